import type { ApiWebhook } from '@parley/sdk';
import { Link } from '@tanstack/react-router';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Table } from '../../ui/table.tsx';
import { Health } from './stats.tsx';
import styles from './webhooks.module.css';

const LOOKS = { active: 'good', inactive: 'plain', disabled: 'bad' } as const;

/** Whether it gets events, and whether they arrive. */
export function StatusBadge({ webhook: { status, failingSince } }: { webhook: ApiWebhook }) {
  const t = useText();
  if (status === 'active' && failingSince !== null) return <Badge look="warn">{t('webhooks.failing')}</Badge>;
  return <Badge look={LOOKS[status]}>{t(`webhooks.status.${status}`)}</Badge>;
}

const SHOWN_EVENTS = 3;

export function EventNames({ webhook: { events, v2Type } }: { webhook: ApiWebhook }) {
  const t = useText();
  const names = events.map(({ type }) => type ?? t('webhooks.allEvents'));
  return (
    <span className={styles.tags} title={names.join('\n')}>
      {v2Type !== undefined && <Badge look="warn">{t('webhooks.v2')}</Badge>}
      {names.slice(0, SHOWN_EVENTS).map((name) => (
        <Badge key={name}>{name}</Badge>
      ))}
      {names.length > SHOWN_EVENTS && (
        <Badge>{t('webhooks.moreEvents', { count: names.length - SHOWN_EVENTS })}</Badge>
      )}
    </span>
  );
}

/** Where events are sent to, and how it goes. */
export function Endpoints({ webhooks }: { webhooks: readonly ApiWebhook[] }) {
  const t = useText();
  return (
    <Table<ApiWebhook>
      label={t('webhooks.title')}
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'url',
          title: t('webhooks.url'),
          cell: (webhook) => (
            <>
              <Link to={`/webhooks/${webhook.id}`} className={styles.link}>
                {webhook.url}
              </Link>
              <div className={styles.events}>
                <EventNames webhook={webhook} />
              </div>
            </>
          ),
        },
        { id: 'state', title: t('webhooks.state'), cell: (webhook) => <StatusBadge webhook={webhook} /> },
        {
          id: 'health',
          title: t('webhooks.last24'),
          isExtra: true,
          cell: ({ id }) => <Health webhookId={id} />,
        },
      ]}
    />
  );
}
