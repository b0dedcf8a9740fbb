import { type Ref, useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import styles from './contacts.module.css';

const TYPING_MS = 250;

interface SearchFieldProps {
  ref: Ref<HTMLInputElement>;
  value: string;
  onChange: (text: string) => void;
}

/** Searches when somebody pauses typing. */
export function SearchField({ ref, value, onChange }: SearchFieldProps) {
  const t = useText();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The address changed by other means, such as Back.
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const change = useRef(onChange);
  useEffect(() => {
    change.current = onChange;
  });
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => change.current(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <input
      ref={ref}
      type="search"
      className={styles.search}
      aria-label={t('contacts.search')}
      placeholder={t('contacts.search')}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
