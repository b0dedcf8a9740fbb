import { type AuditEntry, searchAuditEntries, searchUsers } from '@parley/sdk';
import { useDeferredValue } from 'react';
import { useAll, useList } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useAddress } from '../../app/address.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { describeOperation, operations } from './operations.ts';
import styles from './settings.module.css';

const PERIODS = ['P1D', 'P7D', 'P30D', 'all'] as const;

/** Who changed what, and when. */
export function Audit() {
  const { t, compare } = useTranslator();
  const users = useAll(['users'], searchUsers, { enabled: useScope('users:read') });
  const [address, setAddress] = useAddress('q', 'who', 'what', 'when');
  const { q: text, who: actorId, what: operation } = address;
  const period = PERIODS.find((one) => one === address.when) ?? 'P7D';
  const conditions = [
    ...(actorId === '' ? [] : [`eq(actor.id,"${actorId}")`]),
    ...(operation === '' ? [] : [`eq(operation,"${operation}")`]),
    ...(period === 'all' ? [] : [`ge(createdAt,now("-${period}"))`]),
  ];
  const search = useDeferredValue(text.trim());
  const entries = useList(
    ['audit'],
    searchAuditEntries,
    {
      ...(conditions.length === 0 ? {} : { query: `and(${conditions.join()})` }),
      ...(search === '' ? {} : { search }),
    },
    { freshMs: 0 },
  );
  return (
    <Page title={t('audit.title')}>
      <p className={styles.intro}>{t('audit.intro')}</p>
      <div className={styles.tools}>
        <TextField
          label={t('audit.search')}
          type="search"
          value={text}
          onChange={(event) => setAddress({ q: event.target.value })}
          maxLength={200}
        />
        <SelectField
          label={t('audit.actor')}
          value={actorId}
          options={[
            { value: '', label: t('audit.anybody') },
            ...(users.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(who) => setAddress({ who })}
        />
        <SelectField
          label={t('audit.operation')}
          value={operation}
          options={[
            { value: '', label: t('audit.anything') },
            ...operations
              .map((value) => ({ value, label: describeOperation(value, t) }))
              .sort((a, b) => compare(a.label, b.label)),
          ]}
          onChange={(what) => setAddress({ what })}
        />
        <SelectField
          label={t('audit.when')}
          value={period}
          options={PERIODS.map((value) => ({ value, label: t(`audit.${value}`) }))}
          onChange={(when) => setAddress({ when })}
        />
      </div>
      <Loaded query={{ data: entries.rows, error: entries.error, refetch: entries.refetch }}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="audit" title={t('audit.empty')}>
              {t('audit.emptyText')}
            </EmptyState>
          ) : (
            <EntriesTable entries={rows} />
          )
        }
      </Loaded>
      {entries.hasMore && (
        <div className={styles.more}>
          <Button onClick={entries.readMore} isBusy={entries.isReadingMore}>
            {t('action.showMore')}
          </Button>
        </div>
      )}
    </Page>
  );
}

function EntriesTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { t } = useTranslator();
  return (
    <Table<AuditEntry>
      label={t('audit.title')}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'what',
          title: t('audit.what'),
          cell: (entry) => <Entry entry={entry} />,
        },
        {
          id: 'when',
          title: t('audit.when'),
          align: 'end',
          cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
        },
      ]}
    />
  );
}

/** A sentence, and what is known besides. */
function Entry({ entry }: { entry: AuditEntry }) {
  const { t, formatDate } = useTranslator();
  const { actor, operation, targetId, changes, address, requestId, createdAt } = entry;
  const changed = Object.entries(changes).map(([name, value]) =>
    value === null ? name : `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const details: readonly (readonly [string, string])[] = [
    [t('audit.actor'), `${actor.name} (${t(`audit.${actor.type}`)})`],
    [t('audit.operation'), operation],
    ...(targetId === null ? [] : [[t('audit.target'), targetId] as const]),
    ...(changed.length === 0 ? [] : [[t('audit.changes'), changed.join(' · ')] as const]),
    [t('audit.address'), address],
    [t('audit.request'), requestId],
    [t('audit.when'), formatDate(new Date(createdAt), 'full')],
  ];
  return (
    <details>
      <summary className={styles.summary}>
        <span className={styles.name}>{actor.name}</span> {describeOperation(operation, t)}
      </summary>
      <dl className={styles.details}>
        {details.map(([name, value]) => (
          <div key={name} className={styles.detail}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
