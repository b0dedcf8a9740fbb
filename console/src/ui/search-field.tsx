import { type RefObject, useEffect, useRef, useState } from 'react';
import { Icon } from './icon.tsx';
import styles from './search-field.module.css';

const TYPING_MS = 250;

interface SearchFieldProps {
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** What the empty field shows, where the label is too long for it. */
  placeholder?: string;
  /** What is searched for now. */
  text: string;
  onSearch: (text: string) => void;
}

/** Searches a moment after the last key. Escape empties it, and then leaves it. */
export function SearchField({ ref, label, placeholder = label, text, onSearch }: SearchFieldProps) {
  const [typed, setTyped] = useState(text);
  const [shown, setShown] = useState(text);
  // Another address, such as after Back.
  if (text !== shown) {
    setShown(text);
    setTyped(text);
  }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = (next: string): void => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      // Before the address has it, so that what is typed meanwhile stays.
      setShown(next.trim());
      onSearch(next.trim());
    }, TYPING_MS);
  };
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        ref={ref}
        type="search"
        className={styles.input}
        aria-label={label}
        placeholder={placeholder}
        value={typed}
        maxLength={200}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (typed === '') ref.current?.blur();
          else change('');
        }}
      />
    </div>
  );
}
