import { getMessage, type Recipient } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { client, useWrite } from '../../api/api.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './campaigns.module.css';
import { type RecipientStatus, useNames, useRecipients } from './data.ts';
import { useReason } from './reasons.ts';

const LOOKS: Partial<Record<RecipientStatus, 'good' | 'warn' | 'bad'>> = {
  delivered: 'good',
  read: 'good',
  failed: 'bad',
  skipped: 'warn',
};

interface RecipientsProps {
  campaignId: string;
  status: RecipientStatus | undefined;
  hasAny: boolean;
  onClear: () => void;
}

/** Everybody who gets a campaign, and what became of it. */
export function Recipients({ campaignId, status, hasAny, onClear }: RecipientsProps) {
  const t = useText();
  const list = useRecipients(campaignId, status);
  const names = useNames((list.rows ?? []).map(({ contactId }) => contactId));
  if (!hasAny)
    return (
      <EmptyState icon="people" title={t('campaigns.noRecipients')}>
        {t('campaigns.noRecipientsText')}
      </EmptyState>
    );
  return (
    <div className={styles.people}>
      <div className={styles.head}>
        <h2>{status === undefined ? t('campaigns.recipients') : t(`campaigns.recipient.${status}`)}</h2>
        {status !== undefined && (
          <Button look="quiet" icon="close" onClick={onClear}>
            {t('campaigns.showAll')}
          </Button>
        )}
      </div>
      <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }}>
        {(rows) =>
          rows.length === 0 ? (
            <p className={styles.meta}>{t('campaigns.nobodyInStatus')}</p>
          ) : (
            <RecipientTable rows={rows} names={names} />
          )
        }
      </Loaded>
      {list.hasMore && (
        <div className={styles.more}>
          <Button isBusy={list.isReadingMore} onClick={list.readMore}>
            {t('campaigns.more')}
          </Button>
        </div>
      )}
    </div>
  );
}

function RecipientTable({ rows, names }: { rows: readonly Recipient[]; names: ReadonlyMap<string, string> }) {
  const t = useText();
  const navigate = useNavigate();
  const reasonOf = useReason();
  const canOpen = useScope('messages:read');
  // A recipient names its message, and the message its chat.
  const openChat = useWrite((messageId: string) => getMessage(client, { path: { messageId } }), {
    onSuccess: ({ chatId }) => void navigate({ to: `/inbox/${chatId}` }),
  });
  return (
    <Table<Recipient>
      label={t('campaigns.recipients')}
      rows={rows}
      keyOf={({ contactId }) => contactId}
      columns={[
        {
          id: 'contact',
          title: t('campaigns.contact'),
          cell: ({ contactId }) => (
            <div className={styles.contact}>
              <Link to={`/contacts/${contactId}`} className={styles.link} dir="auto">
                {names.get(contactId) ?? '…'}
              </Link>
            </div>
          ),
        },
        {
          id: 'status',
          title: t('campaigns.state'),
          cell: ({ status, code }) => (
            <>
              <Badge look={LOOKS[status] ?? 'plain'}>{t(`campaigns.recipient.${status}`)}</Badge>
              {code !== null && <div className={styles.meta}>{reasonOf(code)}</div>}
            </>
          ),
        },
        {
          id: 'changed',
          title: t('campaigns.changed'),
          isExtra: true,
          cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
        },
        ...(canOpen
          ? [
              {
                id: 'chat',
                title: t('campaigns.openChat'),
                hidesTitle: true,
                align: 'end' as const,
                cell: ({ messageId, contactId }: Recipient) =>
                  messageId !== null && (
                    <Button
                      look="quiet"
                      icon="channel"
                      aria-label={t('campaigns.openChatOf', { name: names.get(contactId) ?? '' })}
                      onClick={() => openChat.mutate(messageId)}
                    >
                      <span className={styles.wideOnly}>{t('campaigns.openChat')}</span>
                    </Button>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
}
