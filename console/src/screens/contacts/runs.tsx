import { type AutomationRun, searchAutomationRuns, searchAutomations } from '@parley/sdk';
import { client, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import styles from './drawer.module.css';
import { runsKey } from './live.ts';
import { Part } from './part.tsx';

const SHOWN = 10;
const LOOKS: Record<AutomationRun['status'], 'plain' | 'good' | 'warn' | 'bad'> = {
  scheduled: 'plain',
  running: 'warn',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** The newest runs of automations for a contact. Nothing is shown where there are none, or no right to see them. */
export function Runs({ contactId }: { contactId: string }) {
  const t = useText();
  const enabled = useScope('automations:read');
  const automations = useAll(['automations'], searchAutomations, { enabled });
  const runs = useRead(
    runsKey(contactId),
    (signal) =>
      searchAutomationRuns(client, {
        body: {
          query: `eq(contactId,"${contactId}")`,
          sortBy: 'desc(createdAt)',
          pagination: { limit: SHOWN },
        },
        signal,
      }),
    { enabled },
  );
  const found = runs.data?.items ?? [];
  if (found.length === 0) return null;
  return (
    <Part title={t('contacts.runs')}>
      <ul className={styles.rows}>
        {found.map(({ id, automationId, status, createdAt, error }) => (
          <li key={id} className={styles.run}>
            <span className={styles.runName}>
              {automations.data?.find((one) => one.id === automationId)?.name ?? t('contacts.runOfDeleted')}
            </span>
            <Badge look={LOOKS[status]}>{t(`contacts.run.${status}`)}</Badge>
            <span className={styles.muted}>
              <RelativeTime at={createdAt} />
            </span>
            {error && <p className={styles.runError}>{error.message}</p>}
          </li>
        ))}
      </ul>
    </Part>
  );
}
