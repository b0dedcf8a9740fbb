import type { Chat } from '@parley/sdk';
import { useEffect, useEffectEvent, useRef } from 'react';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useTitle } from '../../app/title.ts';
import { useText } from '../../i18n/i18n.tsx';
import { useReadNotifications } from '../../notifications/data.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import { useChatActions } from './actions.ts';
import { Composer, type ComposerHandle } from './composer.tsx';
import { useChat } from './data.ts';
import { DropTarget, useFileDrop } from './file-drop.tsx';
import { Messages } from './messages.tsx';
import { usePresence } from './presence.ts';
import type { Target } from './target.ts';
import styles from './thread.module.css';
import { type ChatDialog, ThreadHeader } from './thread-header.tsx';

interface ThreadProps {
  chatId: string;
  composer: React.RefObject<ComposerHandle | null>;
  /** What of it is shown first; the end if undefined. */
  target: Target | undefined;
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
  target,
  showsContact,
  onBack,
  onToggleContact,
  onDialog,
}: ThreadProps & { chat: Chat }) {
  const canWrite = useScope('chats:write');
  useMarkRead(chat, canWrite);
  useTitle(chat.contact.displayName);
  useReadNotifications(chat.id);
  const onTyping = usePresence(chat.id);
  const drop = useFileDrop((files) => composer.current?.attach(files));
  return (
    <section className={styles.thread} aria-labelledby="chat-title" {...drop.handlers}>
      <ThreadHeader
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
      <Messages key={chat.id} chat={chat} target={target} composer={composer} />
      <Composer key={`composer-${chat.id}`} chat={chat} handle={composer} onTyping={onTyping} />
      {drop.isOver && <DropTarget />}
    </section>
  );
}

/** A person who sees a chat has read it: when it is opened, and when something arrives. */
function useMarkRead(chat: Chat, canWrite: boolean): void {
  const { mark } = useChatActions();
  const { id, unreadCount, isUnread, latestMessage } = chat;
  const opened = useRef<string>(undefined);
  const tried = useRef<string>(undefined);
  const check = useEffectEvent(() => {
    if (!canWrite) return;
    if (document.visibilityState !== 'visible') {
      tried.current = undefined;
      return;
    }
    const isNew = opened.current !== id;
    opened.current = id;
    // If the server refuses it, the chat is unread again: that is no reason to try it again without end.
    const attempt = `${id} ${latestMessage?.id}`;
    // Somebody may mark it as unread while it is shown: that has no new messages.
    if (!(isNew ? isUnread : unreadCount > 0 && tried.current !== attempt)) return;
    tried.current = attempt;
    void mark(chat, false);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chat or a new message
  useEffect(() => {
    check();
    document.addEventListener('visibilitychange', check);
    return () => document.removeEventListener('visibilitychange', check);
  }, [id, unreadCount]);
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
