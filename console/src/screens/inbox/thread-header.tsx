import type { Chat } from '@parley/sdk';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ChannelKindLabel } from '../../ui/channel-kind.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useChatActions } from './actions.ts';
import { useChannel, useTeams, useUsers } from './data.ts';
import { PresentUsers } from './present.tsx';
import styles from './thread.module.css';

export type ChatDialog = 'assign' | 'snooze' | 'labels' | 'why';

interface ThreadHeaderProps {
  chat: Chat;
  canWrite: boolean;
  showsContact: boolean;
  onBack: () => void;
  onToggleContact: () => void;
  onDialog: (dialog: ChatDialog) => void;
}

/** Whom the chat is with, who has it, who looks at it, and what can be done with it. */
export function ThreadHeader({
  chat,
  canWrite,
  showsContact,
  onBack,
  onToggleContact,
  onDialog,
}: ThreadHeaderProps) {
  const t = useText();
  const channel = useChannel(chat.channelId);
  const { close, reopen } = useChatActions();
  const assignee = useAssignee(chat);
  const canExplain = useScope('automations:read');
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
      <PresentUsers chatId={chat.id} />
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
        {canExplain && (
          <IconButton
            icon="question"
            label={t('why.title')}
            className={styles.extra}
            onClick={() => onDialog('why')}
          />
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
