import { type AutomationRun, searchAutomationRuns, searchAutomations } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { AddressLink } from '../../explain/address-link.tsx';
import { RunLink } from '../../explain/run-link.tsx';
import { WhyDialog } from '../../explain/why-dialog.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
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

/** The newest runs of automations for a contact, and why others did not start. Nothing for those who may not see them. */
export function Runs({ contactId }: { contactId: string }) {
  const t = useText();
  const canReadEvents = useScope('events:read');
  const [isAsking, setIsAsking] = useState(false);
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
  if (!enabled || !runs.data) return null;
  return (
    <Part title={t('contacts.runs')}>
      <ul className={styles.rows}>
        {found.map(({ id, automationId, status, createdAt, error }) => (
          <li key={id} className={styles.run}>
            <span className={styles.runName}>
              <RunLink
                runId={id}
                automationId={automationId}
                name={
                  automations.data?.find((one) => one.id === automationId)?.name ?? t('contacts.runOfDeleted')
                }
              />
            </span>
            <Badge look={LOOKS[status]}>{t(`contacts.run.${status}`)}</Badge>
            <span className={styles.muted}>
              <RelativeTime at={createdAt} />
            </span>
            {error && <p className={styles.runError}>{error.message}</p>}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className={styles.muted}>{t('explain.noRuns')}</p>}
      <div className={styles.asking}>
        <Button look="quiet" icon="question" className={styles.add} onClick={() => setIsAsking(true)}>
          {t('why.short')}
        </Button>
        {canReadEvents && (
          <AddressLink address={{ to: '/events', search: { filter: `eq(contactId,"${contactId}")` } }}>
            {t('events.ofContact')}
          </AddressLink>
        )}
      </div>
      {isAsking && <WhyDialog about={{ contactId }} onClose={() => setIsAsking(false)} />}
    </Part>
  );
}
