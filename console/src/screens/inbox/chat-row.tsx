import type { Chat } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useWorkspace } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './chat-list.module.css';
import { summarise } from './describe-message.ts';
import type { Selection } from './selection.ts';

export const ROW_HEIGHT = 76;
export const rowId = (chatId: string): string => `chat-${chatId}`;

interface ChatRowProps {
  chat: Chat;
  isShown: boolean;
  kind: string | undefined;
  /** The user or else the team that it is assigned to. */
  assignee: string | undefined;
  search: Record<string, unknown>;
  /** Undefined: the person may not change chats. */
  selection: Selection | undefined;
}

/** A chat in the list: who, where, what and when. */
export function ChatRow({ chat, isShown, kind, assignee, search, selection }: ChatRowProps) {
  const t = useText();
  const { userId } = useWorkspace().membership;
  const { contact, latestMessage, isUnread, unreadCount, waitingSince } = chat;
  const isSelected = selection?.ids.has(chat.id) ?? false;
  const select = (isRange: boolean): void =>
    isRange ? selection?.extendTo(chat.id) : selection?.toggle(chat.id);
  return (
    <div className={classes(styles.item, isSelected && styles.selected)}>
      <Link
        id={rowId(chat.id)}
        to="/inbox/{-$chatId}"
        params={{ chatId: chat.id } as never}
        search={search as never}
        className={classes(styles.row, isShown && styles.shown, isUnread && styles.unread)}
        aria-current={isShown ? 'true' : undefined}
        onClick={(event) => {
          if (!selection || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          select(event.shiftKey);
        }}
      >
        <Avatar name={contact.displayName} id={contact.id} />
        <span className={styles.lines}>
          <span className={styles.line}>
            <span className={styles.name} dir="auto">
              {contact.displayName}
            </span>
            <span className={styles.time}>
              <RelativeTime at={latestMessage?.timestamp ?? chat.createdAt} />
            </span>
          </span>
          <span className={styles.line}>
            <span className={styles.snippet} dir="auto">
              {latestMessage?.sender === 'outbound' &&
                `${latestMessage.author.id === userId ? t('inbox.you') : '↩'} `}
              {summarise(latestMessage, t)}
            </span>
            {isUnread && (
              <span
                className={styles.count}
                role="img"
                aria-label={t('inbox.unread', { count: unreadCount })}
              >
                {unreadCount > 0 ? (unreadCount > 99 ? '99+' : unreadCount) : ''}
              </span>
            )}
          </span>
          <span className={styles.line}>
            {kind === undefined ? <span className={styles.meta} /> : <ChannelKindLabel kind={kind} />}
            {latestMessage?.status === 'failed' && (
              <span className={styles.failed}>
                <Icon name="warning" />
                {t('message.failed')}
              </span>
            )}
            {waitingSince && latestMessage?.status !== 'failed' && (
              <span className={styles.waiting}>
                <Icon name="clock" />
                {t('inbox.waiting')}
              </span>
            )}
            <span className={styles.assignee}>{assignee}</span>
          </span>
        </span>
      </Link>
      {selection && (
        <input
          type="checkbox"
          className={styles.check}
          // X does the same, without a second stop for each row.
          tabIndex={-1}
          aria-label={t('bulk.select', { name: contact.displayName })}
          checked={isSelected}
          onChange={({ nativeEvent }) => select('shiftKey' in nativeEvent && nativeEvent.shiftKey === true)}
        />
      )}
    </div>
  );
}
