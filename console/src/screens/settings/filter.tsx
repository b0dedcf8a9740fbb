import { useState } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { TextField } from '../../ui/field.tsx';
import styles from './settings.module.css';

/** From so many rows on it is faster to type than to look. */
const MANY = 10;

/** Rows whose texts contain what somebody types, and the field for it where there are many. */
export function useFilter<T>(rows: readonly T[], textOf: (row: T) => string) {
  const t = useText();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  return {
    found: rows.filter((row) => textOf(row).toLowerCase().includes(wanted)),
    field: rows.length > MANY && (
      <div className={styles.tools}>
        <TextField
          label={t('settings.filter')}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
    ),
  };
}
