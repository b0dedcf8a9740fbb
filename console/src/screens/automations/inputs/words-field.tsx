import { type KeyboardEvent, useState } from 'react';
import { useText } from '../../../i18n/i18n.tsx';
import fieldStyles from '../../../ui/field.module.css';
import { Field } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import styles from '../panel.module.css';
import type { InputProps } from './input.ts';

/** Short texts as chips: Enter or a comma adds one. */
export function WordsField({ label, value, error, onChange }: InputProps) {
  const t = useText();
  const [text, setText] = useState('');
  const words = Array.isArray(value) ? value.map(String) : [];
  /** A list without anything is left out. */
  const store = (next: readonly string[]): void => onChange(next.length === 0 ? undefined : next, '');
  const add = (): void => {
    const added = text.split(',').map((word) => word.trim());
    const fresh = [...new Set(added)].filter((word) => word !== '' && !words.includes(word));
    setText('');
    if (fresh.length > 0) store([...words, ...fresh]);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ',') {
      event.preventDefault();
      add();
    } else if (event.key === 'Backspace' && text === '' && words.length > 0) store(words.slice(0, -1));
  };
  return (
    <Field label={label} help={t('automations.wordsHelp')} error={error}>
      {(control) => (
        <div className={styles.words}>
          {words.map((word) => (
            <span key={word} className={styles.word}>
              <bdi className={styles.wordText}>{word}</bdi>
              <button
                type="button"
                className={styles.wordRemove}
                aria-label={t('automations.removeWord', { word })}
                onClick={() => store(words.filter((one) => one !== word))}
              >
                <Icon name="close" />
              </button>
            </span>
          ))}
          <input
            {...control}
            className={fieldStyles.input}
            value={text}
            maxLength={100}
            autoComplete="off"
            onChange={({ target }) => setText(target.value)}
            onKeyDown={onKeyDown}
            onBlur={add}
          />
        </div>
      )}
    </Field>
  );
}
