import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { Dialog } from '../../ui/dialog.tsx';
import styles from './picker.module.css';

export interface Choice {
  id: string;
  label: string;
  /** A second line, which is searched too. */
  detail?: string | undefined;
  picture?: ReactNode;
  isChosen?: boolean;
}

interface PickerProps {
  title: string;
  placeholder: string;
  choices: readonly Choice[];
  /** Shown if there is nothing to choose from at all. */
  empty: string;
  /** Given: it finds the choices for what is typed. Else they are searched here. */
  onText?: (text: string) => void;
  onPick: (id: string) => void;
  onClose: () => void;
  children?: ReactNode;
}

const matches = ({ label, detail = '' }: Choice, text: string): boolean =>
  `${label} ${detail}`.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());

/** A list to choose from by typing, arrows and Enter. */
export function Picker({
  title,
  placeholder,
  choices,
  empty,
  onText,
  onPick,
  onClose,
  children,
}: PickerProps) {
  const t = useText();
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [index, setIndex] = useState(0);
  const found = onText ? choices : choices.filter((choice) => matches(choice, text));
  const active = found[Math.min(index, found.length - 1)];
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (active) document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, id]);

  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) {
      event.preventDefault();
      setIndex((Math.min(index, found.length - 1) + step + found.length) % found.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (active) onPick(active.id);
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <input
        ref={input}
        className={styles.input}
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={active ? `${id}-${active.id}` : undefined}
        aria-label={placeholder}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onText?.(event.target.value);
          setIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      {found.length > 0 && (
        <div id={`${id}-list`} role="listbox" aria-label={title} className={styles.list}>
          {found.map((choice) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input above has the focus
            <div
              key={choice.id}
              id={`${id}-${choice.id}`}
              role="option"
              aria-selected={choice === active}
              className={classes(styles.option, choice === active && styles.active)}
              onClick={() => onPick(choice.id)}
              onPointerMove={() => setIndex(found.indexOf(choice))}
            >
              {choice.picture}
              <span className={styles.label}>
                <span dir="auto">{choice.label}</span>
                {choice.detail && (
                  <span className={styles.detail} dir="auto">
                    {choice.detail}
                  </span>
                )}
              </span>
              {choice.isChosen && <span className={styles.chosen}>✓ {t('inbox.chosen')}</span>}
            </div>
          ))}
        </div>
      )}
      {found.length === 0 && (
        <p className={styles.empty}>
          {choices.length === 0 ? empty : t('palette.empty', { text: text.trim() })}
        </p>
      )}
      {children}
    </Dialog>
  );
}
