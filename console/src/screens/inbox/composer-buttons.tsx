import { useEffect, useId, useRef } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import styles from './composer.module.css';
import { MAX_BUTTON_TITLE } from './message-bodies.ts';

interface ComposerButtonsProps {
  /** Their titles. */
  buttons: readonly string[];
  max: number;
  onChange: (buttons: readonly string[]) => void;
}

/** The buttons below a reply, which the customer can tap. */
export function ComposerButtons({ buttons, max, onChange }: ComposerButtonsProps) {
  const t = useText();
  const id = useId();
  const last = useRef<HTMLInputElement>(null);
  const count = useRef(buttons.length);
  // Who adds a button wants to name it. One that was begun before does not take the focus from the chat.
  useEffect(() => {
    if (buttons.length > count.current) last.current?.focus();
    count.current = buttons.length;
  }, [buttons.length]);
  if (buttons.length === 0) return null;
  return (
    <fieldset className={styles.buttons}>
      <legend className="visually-hidden">{t('composer.buttons')}</legend>
      {buttons.map((title, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: titles change while somebody types
        <span key={index} className={styles.button}>
          <label htmlFor={`${id}-${index}`} className="visually-hidden">
            {t('composer.button', { number: index + 1 })}
          </label>
          <input
            id={`${id}-${index}`}
            className={styles.buttonTitle}
            value={title}
            maxLength={MAX_BUTTON_TITLE}
            placeholder={t('composer.button', { number: index + 1 })}
            dir="auto"
            autoComplete="off"
            ref={index === buttons.length - 1 ? last : undefined}
            onChange={({ target }) =>
              onChange(buttons.map((old, other) => (other === index ? target.value : old)))
            }
          />
          <IconButton
            icon="close"
            label={t('composer.removeButton', { number: index + 1 })}
            onClick={() => onChange(buttons.filter((_, other) => other !== index))}
          />
        </span>
      ))}
      {buttons.length < max && (
        <Button look="quiet" icon="plus" onClick={() => onChange([...buttons, ''])}>
          {t('composer.addButton')}
        </Button>
      )}
    </fieldset>
  );
}
