import { useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/i18n.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './inbox.module.css';

const SEARCH_DELAY_MS = 250;

interface SearchFieldProps {
  field: React.RefObject<HTMLInputElement | null>;
  text: string;
  onSearch: (text: string) => void;
}

/** Searches a moment after the last key. */
export function SearchField({ field, text, onSearch }: SearchFieldProps) {
  const t = useText();
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
      setShown(next.trim());
      onSearch(next.trim());
    }, SEARCH_DELAY_MS);
  };
  return (
    <div className={styles.search}>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        className={styles.searchInput}
        aria-label={t('inbox.search')}
        placeholder={t('inbox.search')}
        value={typed}
        onChange={(event) => change(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          if (typed === '') field.current?.blur();
          else change('');
        }}
      />
    </div>
  );
}

interface SearchPlacesProps {
  isInMessages: boolean;
  onChoose: (inMessages: boolean) => void;
}

/** Where a text is searched: in who the chats are with, or in what was written. */
export function SearchPlaces({ isInMessages, onChoose }: SearchPlacesProps) {
  const t = useText();
  return (
    <div role="tablist" aria-label={t('search.places')} className={styles.places}>
      {[false, true].map((inMessages) => (
        <button
          key={String(inMessages)}
          type="button"
          role="tab"
          aria-selected={isInMessages === inMessages}
          className={styles.place}
          onClick={() => onChoose(inMessages)}
        >
          {t(inMessages ? 'search.messages' : 'search.chats')}
        </button>
      ))}
    </div>
  );
}
