import type { Chat } from '@parley/sdk';
import { useEffect, useEffectEvent, useRef } from 'react';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useChatActions } from './actions.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import { useChannel, useChat, useTeams, useUsers } from './data.ts';
import { Messages } from './messages.tsx';
import styles from './thread.module.css';

export type ChatDialog = 'assign' | 'snooze' | 'labels';

interface ThreadProps {
  chatId: string;
  composer: React.RefObject<ComposerHandle | null>;
  showsContact: boolean;
  onBack: () => void;
  onToggleContact: () => void;
  onDialog: (dialog: ChatDialog) => void;
}

/** One chat: what was said, and where to answer. */
export function Thread(props: ThreadProps) {
  const t = useText();
  const { chat, error, refetch } = useChat(props.chatId);
  if (!chat || statusOf(error) === 404)
    return (
      <div className={styles.waiting}>
        {statusOf(error) === 404 || statusOf(error) === 403 ? (
          <EmptyState
            icon="search"
            title={t('inbox.noChat')}
            action={<Button onClick={props.onBack}>{t('inbox.toList')}</Button>}
          >
            {t('error.notFound')}
          </EmptyState>
        ) : error ? (
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        ) : (
          <Skeleton lines={6} />
        )}
      </div>
    );
  return <LoadedThread {...props} chat={chat} />;
}

function LoadedThread({
  chat,
  composer,
  showsContact,
  onBack,
  onToggleContact,
  onDialog,
}: ThreadProps & { chat: Chat }) {
  const canWrite = useScope('chats:write');
  useMarkRead(chat, canWrite);
  return (
    <section className={styles.thread} aria-labelledby="chat-title">
      <Header
        chat={chat}
        canWrite={canWrite}
        showsContact={showsContact}
        onBack={onBack}
        onToggleContact={onToggleContact}
        onDialog={onDialog}
      />
      <div className={styles.notices}>
        <Takeover chat={chat} canWrite={canWrite} />
      </div>
      <Messages key={chat.id} chat={chat} />
      <Composer key={`composer-${chat.id}`} chat={chat} handle={composer} />
    </section>
  );
}

/** A person who sees a chat has read it: when it is opened, and when something arrives. */
function useMarkRead(chat: Chat, canWrite: boolean): void {
  const { mark } = useChatActions();
  const { id, unreadCount, isUnread } = chat;
  const opened = useRef<string>(undefined);
  const check = useEffectEvent(() => {
    if (document.visibilityState !== 'visible' || !canWrite) return;
    const isNew = opened.current !== id;
    opened.current = id;
    // Somebody may mark it as unread while it is shown: that has no new messages.
    if (isNew ? isUnread : unreadCount > 0) void mark(chat, false);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chat or a new message
  useEffect(() => {
    check();
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, [id, unreadCount]);
}

interface HeaderProps extends Omit<ThreadProps, 'chatId' | 'composer'> {
  chat: Chat;
  canWrite: boolean;
}

function Header({ chat, canWrite, showsContact, onBack, onToggleContact, onDialog }: HeaderProps) {
  const t = useText();
  const channel = useChannel(chat.channelId);
  const { close, reopen } = useChatActions();
  const assignee = useAssignee(chat);
  const isOpen = chat.status === 'open';
  return (
    <header className={styles.header}>
      <IconButton icon="back" label={t('inbox.toList')} onClick={onBack} className={styles.back} />
      <div className={styles.who}>
        <h2 id="chat-title" className={styles.title} dir="auto">
          {chat.contact.displayName}
        </h2>
        <p className={styles.sub}>
          {channel && <ChannelKindLabel kind={channel.kind} />}
          <span className={styles.extra} dir="auto">
            {chat.handle.value}
          </span>
          {chat.status !== 'open' && (
            <span>
              {t(`inbox.status.${chat.status}`)}
              {chat.snoozedUntil && (
                <>
                  {' '}
                  · <RelativeTime at={chat.snoozedUntil} />
                </>
              )}
            </span>
          )}
          <span dir="auto">{assignee ?? t('inbox.nobody')}</span>
        </p>
      </div>
      <div className={styles.actions}>
        {canWrite && (
          <>
            <IconButton icon="assign" label={t('inbox.assign')} onClick={() => onDialog('assign')} />
            <IconButton icon="clock" label={t('inbox.snooze')} onClick={() => onDialog('snooze')} />
            <Button
              icon={isOpen ? 'check' : 'inbox'}
              onClick={() => void (isOpen ? close(chat) : reopen(chat))}
              className={styles.close}
              aria-label={t(isOpen ? 'inbox.close' : 'inbox.open')}
            >
              <span className={styles.extra}>{t(isOpen ? 'inbox.close' : 'inbox.open')}</span>
            </Button>
          </>
        )}
        <IconButton
          icon="contacts"
          label={t('inbox.contact')}
          aria-pressed={showsContact}
          onClick={onToggleContact}
        />
      </div>
    </header>
  );
}

function useAssignee({ assignedUserId, assignedTeamId }: Chat): string | undefined {
  const users = useUsers().data;
  const teams = useTeams().data;
  return (
    users?.find(({ id }) => id === assignedUserId)?.name ??
    teams?.find(({ id }) => id === assignedTeamId)?.name
  );
}

/** While a person has the chat, automations are silent in it. */
function Takeover({ chat, canWrite }: { chat: Chat; canWrite: boolean }) {
  const t = useText();
  const { pause } = useChatActions();
  if (!chat.isAutomationPaused || chat.status === 'closed') return null;
  return (
    <p className={styles.strip}>
      <Icon name="automation" />
      <span>{t(chat.assignedUserId === null ? 'inbox.pausedText' : 'inbox.takenOver')}</span>
      {canWrite && (
        <Button look="quiet" onClick={() => void pause(chat, false)}>
          {t('inbox.handBack')}
        </Button>
      )}
    </p>
  );
}
