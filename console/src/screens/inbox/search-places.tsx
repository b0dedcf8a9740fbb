import { useText } from '../../i18n/i18n.tsx';
import styles from './inbox.module.css';

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
