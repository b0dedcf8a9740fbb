import { type Message, searchMessages } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useList } from '../../api/lists.ts';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './chat-list.module.css';

/** Shorter texts are in almost every message, and no index finds them. */
const MIN_CHARACTERS = 3;
const BEFORE_MATCH = 30;
const AFTER_MATCH = 120;

export const resultId = (messageId: string): string => `result-${messageId}`;

/** The messages whose text contains something, the newest first. */
export function useMessageResults(text: string, isShown: boolean) {
  const canSearch = isShown && [...text].length >= MIN_CHARACTERS;
  const list = useList(
    ['messages', 'found'],
    searchMessages,
    { search: text, sortBy: 'desc(createdAt)' },
    { enabled: canSearch },
  );
  return { ...list, canSearch };
}

/** The part of a text that matches, and what stands around it. */
function partsOf(text: string, searched: string): [before: string, match: string, after: string] {
  const at = text.toLocaleLowerCase().indexOf(searched.toLocaleLowerCase());
  if (at < 0) return [text.slice(0, BEFORE_MATCH + AFTER_MATCH), '', ''];
  const start = Math.max(0, at - BEFORE_MATCH);
  const end = at + searched.length;
  return [
    `${start > 0 ? '…' : ''}${text.slice(start, at)}`,
    text.slice(at, end),
    text.slice(end, end + AFTER_MATCH),
  ];
}

interface MessageResultsProps {
  results: ReturnType<typeof useMessageResults>;
  text: string;
  shownId: string | undefined;
  search: Record<string, unknown>;
}

/** Each result opens its chat at the message. */
export function MessageResults({ results, text, shownId, search }: MessageResultsProps) {
  const t = useText();
  const { rows, error, hasMore, isReadingMore, readMore, refetch, canSearch } = results;
  if (!canSearch) return <p className={styles.notice}>{t('search.short', { count: MIN_CHARACTERS })}</p>;
  if (!rows)
    return (
      <div className={styles.notice}>
        {error ? <ErrorNotice error={error} onRetry={refetch} /> : <Skeleton lines={6} />}
      </div>
    );
  if (rows.length === 0 && hasMore && !error)
    return (
      <div className={styles.scroller}>
        <EmptyState
          icon="search"
          title={t('search.noneYet')}
          action={
            <Button isBusy={isReadingMore} onClick={readMore}>
              {t('search.further')}
            </Button>
          }
        >
          {t('search.noneYetText', { text })}
        </EmptyState>
      </div>
    );
  if (rows.length === 0 && !error)
    return (
      <div className={styles.scroller}>
        <EmptyState icon="search" title={t('search.noMessages')}>
          {t('search.noMessagesText', { text })}
        </EmptyState>
      </div>
    );
  return (
    <div className={styles.scroller}>
      <ul>
        {rows.map((message) => (
          <Result
            key={message.id}
            message={message}
            text={text}
            isShown={message.id === shownId}
            search={search}
          />
        ))}
      </ul>
      {error ? (
        <div className={styles.notice}>
          <ErrorNotice error={error} onRetry={readMore} />
        </div>
      ) : (
        hasMore && (
          <div className={styles.notice}>
            <Button isBusy={isReadingMore} onClick={readMore}>
              {t('search.more')}
            </Button>
          </div>
        )
      )}
    </div>
  );
}

interface ResultProps {
  message: Message;
  text: string;
  isShown: boolean;
  search: Record<string, unknown>;
}

function Result({ message, text, isShown, search }: ResultProps) {
  const t = useText();
  const { id, chatId, contact, author, sender, timestamp } = message;
  const [before, match, after] = partsOf(message.text ?? '', text);
  const writer = sender === 'inbound' ? undefined : (author.name ?? t(`message.author.${author.type}`));
  return (
    <li>
      <Link
        id={resultId(id)}
        to="/inbox/{-$chatId}"
        params={{ chatId } as never}
        search={{ ...search, message: id } as never}
        className={classes(styles.row, styles.result, isShown && styles.shown)}
        aria-current={isShown ? 'true' : undefined}
      >
        <span className={styles.lines}>
          <span className={styles.line}>
            <span className={styles.name} dir="auto">
              {contact?.displayName}
            </span>
            <span className={styles.time}>
              <RelativeTime at={timestamp} />
            </span>
          </span>
          <span className={styles.found} dir="auto">
            {writer !== undefined && `${writer}: `}
            {before}
            <mark className={styles.match}>{match}</mark>
            {after}
          </span>
        </span>
      </Link>
    </li>
  );
}
