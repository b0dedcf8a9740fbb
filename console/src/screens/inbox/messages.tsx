import type { Chat, Message } from '@parley/sdk';
import { type RefObject, useEffect, useRef } from 'react';
import { useWorkspace } from '../../api/session.tsx';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import { useNow } from '../../ui/time.tsx';
import type { ComposerHandle } from './composer.tsx';
import { useMessages, useNotes } from './data.ts';
import { summarise } from './describe-message.ts';
import { MessageEntry, OutgoingEntry } from './entries.tsx';
import { NoteEntry } from './note-entry.tsx';
import { useOutgoing } from './outgoing.ts';
import { type Target, useTarget } from './target.ts';
import styles from './thread.module.css';
import { type Group, groupEntries } from './thread-items.ts';

/** How far from the top older messages are loaded. */
const AHEAD_PX = 600;

interface MessagesProps {
  chat: Chat;
  target: Target | undefined;
  composer: RefObject<ComposerHandle | null>;
}

/** All that was written in a chat. The newest is below; older messages are loaded while scrolling up. */
export function Messages({ chat, target, composer }: MessagesProps) {
  const t = useText();
  const messages = useMessages(chat.id);
  const notes = useNotes(chat.id);
  const outgoing = useOutgoing(chat.id);
  const scroller = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetchingNextPage, fetchNextPage, error } = messages;
  const all = messages.data?.pages.flatMap(({ items }) => items) ?? [];
  const allNotes = notes.data?.pages.flatMap(({ items }) => items) ?? [];

  const oldestNote = allNotes.at(-1)?.createdAt;
  const oldest = all.at(-1)?.createdAt;
  const needsNotes =
    notes.hasNextPage &&
    !notes.isFetchingNextPage &&
    (!hasNextPage || (oldestNote !== undefined && oldest !== undefined && oldestNote > oldest));
  const { fetchNextPage: fetchNotes } = notes;
  useEffect(() => {
    if (needsNotes) void fetchNotes();
  }, [needsNotes, fetchNotes]);

  /** The content is laid out from below, so the position is negative and 0 is the end. */
  const loadOlder = (): void => {
    const element = scroller.current;
    if (!element || !hasNextPage || isFetchingNextPage || error) return;
    if (element.scrollHeight + element.scrollTop - element.clientHeight < AHEAD_PX) void fetchNextPage();
  };
  useEffect(loadOlder);

  const canReadOlder = hasNextPage && !isFetchingNextPage && !error;
  useTarget(chat.id, target, {
    isThere: [...all, ...allNotes].some(({ id }) => id === target?.id),
    readOlder: canReadOlder ? () => void fetchNextPage() : undefined,
  });

  // What somebody sends is shown, wherever they were.
  const sending = outgoing.length;
  useEffect(() => {
    if (sending > 0 && scroller.current) scroller.current.scrollTop = 0;
  }, [sending]);

  if (!messages.data)
    return (
      <div className={styles.waiting}>
        {error ? (
          <ErrorNotice error={error} onRetry={() => void messages.refetch()} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    );
  const byId = new Map(all.map((message) => [message.id, message]));
  const repliedTo = ({ replyToMessageId }: Message): string | undefined => {
    const replied = replyToMessageId ? byId.get(replyToMessageId) : undefined;
    return replied && summarise(replied, t);
  };
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      onScroll={loadOlder}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
      tabIndex={0}
      role="log"
      aria-label={t('inbox.messages')}
    >
      <div className={styles.groups}>
        {isFetchingNextPage && <Skeleton lines={3} />}
        {error ? <ErrorNotice error={error} onRetry={() => void fetchNextPage()} /> : null}
        {!hasNextPage && <p className={styles.beginning}>{t('inbox.beginning')}</p>}
        {groupEntries(all, allNotes, outgoing, hasNextPage).map((group) => (
          <div key={group.key}>
            {group.startsDay && <DayLine at={group.entries[0]?.at ?? ''} />}
            <EntryGroup
              group={group}
              chat={chat}
              repliedTo={repliedTo}
              targetId={target?.id}
              composer={composer}
            />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Where a day begins. Today is yesterday after midnight. */
function DayLine({ at }: { at: string }) {
  const { formatDay } = useTranslator();
  return (
    <h3 className={styles.day}>
      <span>{formatDay(new Date(at), useNow())}</span>
    </h3>
  );
}

interface EntryGroupProps {
  group: Group;
  chat: Chat;
  repliedTo: (message: Message) => string | undefined;
  targetId: string | undefined;
  composer: RefObject<ComposerHandle | null>;
}

/** What one author wrote in a row, below the name. */
function EntryGroup({ group, chat, repliedTo, targetId, composer }: EntryGroupProps) {
  const t = useText();
  const { userId, name: ownName } = useWorkspace().membership;
  const [first] = group.entries;
  if (!first) return null;
  const isNote = first.kind === 'note';
  const isInbound = first.kind === 'message' && first.message.sender === 'inbound';
  const author = first.kind === 'message' ? first.message.author : isNote ? first.note.author : undefined;
  const isOwn = author === undefined || author.id === userId;
  const name = isInbound
    ? chat.contact.displayName
    : isOwn
      ? ownName
      : (author.name ?? t(`message.author.${author.type}`));
  const id = isInbound ? chat.contact.id : isOwn ? userId : (author.id ?? name);
  return (
    <section
      className={classes(styles.group, isInbound ? styles.inbound : styles.outbound, isNote && styles.note)}
    >
      <p className={styles.author}>
        {isNote ? <Icon name="note" /> : <Avatar name={name} id={id} size="small" />}
        <span dir="auto">{isNote ? t('message.noteBy', { name }) : name}</span>
        {author && !isInbound && !isNote && author.type !== 'user' && (
          <span className={styles.badge}>{t(`message.author.${author.type}`)}</span>
        )}
      </p>
      {group.entries.map((entry) =>
        entry.kind === 'message' ? (
          <MessageEntry
            key={entry.key}
            message={entry.message}
            replied={repliedTo(entry.message)}
            isTarget={entry.message.id === targetId}
            composer={composer}
          />
        ) : entry.kind === 'note' ? (
          <NoteEntry key={entry.key} note={entry.note} isTarget={entry.note.id === targetId} />
        ) : (
          <OutgoingEntry key={entry.key} outgoing={entry.outgoing} />
        ),
      )}
    </section>
  );
}
