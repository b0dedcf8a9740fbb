import { getStatus, type InstallationStatus, listV2Usage, releaseHeldWork, type V2Usage } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead, useWrite } from '../../api/api.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded, Warning } from '../../ui/notices.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime, useNow } from '../../ui/time.tsx';
import styles from './settings.module.css';
import { SystemMail } from './system-mail.tsx';
import { Tenants } from './tenants.tsx';

const KEY = ['system'];
/** It counts what is due in every queue, so it is not asked for more often, and only while the page is shown. */
const EVERY_MS = 10_000;

/** How the whole installation does, for those who run it. */
export function System() {
  const t = useText();
  const status = useRead(KEY, (signal) => getStatus(client, { signal }), { everyMs: EVERY_MS });
  return (
    <Page title={t('system.title')}>
      <Loaded query={status} lines={10}>
        {(found) => (
          <>
            <p className={styles.intro}>{t('system.intro', { count: EVERY_MS / 1000 })}</p>
            {found.heldSince !== null && <HeldWork since={found.heldSince} />}
            <Installation status={found} />
            <Section title={t('system.mail')} text={t('system.mailText')}>
              <SystemMail state={found.systemMail} link={null} />
            </Section>
            <Queues queues={found.queues} />
            <Processes processes={found.processes} />
            <Tenants />
            <V2Calls usage={found.v2} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function HeldWork({ since }: { since: string }) {
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  const close = (): void => setIsAsking(false);
  const release = useWrite(() => releaseHeldWork(client), {
    invalidates: [KEY],
    done: 'system.released',
    showsError: true,
    onSuccess: close,
  });
  return (
    <>
      <Warning action={<Button onClick={() => setIsAsking(true)}>{t('system.release')}</Button>}>
        {t('system.held')} <RelativeTime at={since} />
      </Warning>
      {isAsking && (
        <ConfirmDialog
          title={t('system.releaseTitle')}
          text={t('system.releaseText')}
          action={t('system.release')}
          write={release}
          onClose={close}
        />
      )}
    </>
  );
}

function Installation({ status }: { status: InstallationStatus }) {
  const { t, formatBytes, formatNumber } = useTranslator();
  const { versions, database, tenants, failingChannels } = status;
  const failing = formatNumber(failingChannels);
  return (
    <Section title={t('system.versions')}>
      <Facts
        facts={[
          ['Parley', versions.parley],
          ['Node.js', versions.node],
          ['PostgreSQL', versions.postgres],
          [t('system.schema'), versions.schema ?? '–'],
          [t('system.size'), formatBytes(database.bytes)],
          [t('system.tenants'), formatNumber(tenants)],
          [
            t('system.failingChannels'),
            failingChannels === 0 ? (
              failing
            ) : (
              <Badge key="failing" look="bad">
                {failing}
              </Badge>
            ),
          ],
        ]}
      />
    </Section>
  );
}

/** What waits longer than this is a sign of trouble. */
const LATE_MS = 60_000;
type QueueState = InstallationStatus['queues'][number];

function Queues({ queues }: { queues: readonly QueueState[] }) {
  const { t, translate, formatNumber } = useTranslator();
  const now = useNow();
  const isLate = ({ oldestDueAt }: QueueState): boolean =>
    oldestDueAt !== null && now.getTime() - new Date(oldestDueAt).getTime() > LATE_MS;
  return (
    <Section title={t('system.queues')} text={t('system.queuesText')}>
      <div className={styles.wide}>
        <Table<QueueState>
          label={t('system.queues')}
          rows={queues}
          keyOf={({ name }) => name}
          columns={[
            {
              id: 'name',
              title: t('system.queue'),
              cell: ({ name, purpose }) => (
                <>
                  <code>{name}</code>
                  <div className={styles.muted}>{translate(purpose)}</div>
                </>
              ),
            },
            {
              id: 'due',
              title: t('system.due'),
              align: 'end',
              cell: ({ due }) => formatNumber(due),
            },
            {
              id: 'oldest',
              title: t('system.oldest'),
              align: 'end',
              cell: (queue) => {
                if (queue.oldestDueAt === null) return '–';
                const since = <RelativeTime at={queue.oldestDueAt} />;
                return isLate(queue) ? <Badge look="warn">{since}</Badge> : since;
              },
            },
          ]}
        />
      </div>
    </Section>
  );
}

type ProcessState = InstallationStatus['processes'][number];

function Processes({ processes }: { processes: readonly ProcessState[] }) {
  const { t, formatNumber } = useTranslator();
  return (
    <Section title={t('system.processes')} text={t('system.processesText')}>
      <div className={styles.wide}>
        {processes.length === 0 ? (
          <Warning>{t('system.noProcesses')}</Warning>
        ) : (
          <Table<ProcessState>
            label={t('system.processes')}
            rows={processes}
            keyOf={({ id }) => id}
            columns={[
              { id: 'id', title: t('system.process'), cell: ({ id }) => <code>{id}</code> },
              {
                id: 'shards',
                title: t('system.shards'),
                align: 'end',
                isExtra: true,
                cell: ({ shards }) => formatNumber(shards),
              },
              {
                id: 'seen',
                title: t('system.seen'),
                align: 'end',
                cell: ({ seenAt }) => <RelativeTime at={seenAt} />,
              },
            ]}
          />
        )}
      </div>
    </Section>
  );
}

function V2Calls({ usage }: { usage: InstallationStatus['v2'] }) {
  const { t, formatNumber } = useTranslator();
  const hasCalls = usage.calls > 0;
  const rows = useRead([...KEY, 'v2', usage.calls], (signal) => listV2Usage(client, { signal }), {
    enabled: hasCalls,
    keepsPrevious: true,
  });
  return (
    <Section title={t('system.v2')} text={t(hasCalls ? 'system.v2Text' : 'system.v2None')}>
      {hasCalls && (
        <div className={styles.wide}>
          <Loaded query={rows}>
            {(found) => (
              <Table<V2Usage>
                label={t('system.v2')}
                rows={found}
                keyOf={({ tenantId, tokenId, operation }) => `${tenantId} ${tokenId} ${operation}`}
                columns={[
                  {
                    id: 'who',
                    title: t('system.v2Who'),
                    cell: ({ tenantName, tokenName }) => (
                      <>
                        {tenantName}
                        <div className={styles.muted}>{tokenName ?? t('system.v2Deleted')}</div>
                      </>
                    ),
                  },
                  {
                    id: 'operation',
                    title: t('audit.operation'),
                    cell: ({ operation }) => <code>{operation}</code>,
                  },
                  {
                    id: 'calls',
                    title: t('system.v2Calls'),
                    align: 'end',
                    isExtra: true,
                    cell: ({ calls }) => formatNumber(calls),
                  },
                  {
                    id: 'last',
                    title: t('system.v2Last'),
                    align: 'end',
                    cell: ({ lastCalledAt }) => <RelativeTime at={lastCalledAt} />,
                  },
                ]}
              />
            )}
          </Loaded>
        </div>
      )}
    </Section>
  );
}
