import { getTenantSettings, searchChannels, searchTeams } from '@parley/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { client, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useLiveReports } from './data.ts';
import { type DetailName, DetailTable, details } from './details.tsx';
import { Overview, type Scope } from './overview.tsx';
import { dateIn, datesOf, type PeriodName, periodNames, periodOf, QUARTER_MS } from './period.ts';
import styles from './reports.module.css';

/** What the address says: a reload, Back and a link keep it. */
interface Address {
  period: PeriodName;
  from: string;
  to: string;
  channelId: string;
  teamId: string;
  tab: DetailName;
}

const tabNames = Object.keys(details) as DetailName[];
const UUID = /^[0-9a-f-]{36}$/i;

/** The address may be anything. */
function readAddress(given: Record<string, unknown>): Address {
  const text = (name: string): string => String(given[name] ?? '');
  const id = (name: string): string => (UUID.test(text(name)) ? text(name) : '');
  return {
    period: periodNames.find((one) => one === text('period')) ?? '7',
    from: text('from'),
    to: text('to'),
    channelId: id('channelId'),
    teamId: id('teamId'),
    tab: tabNames.find((one) => one === text('tab')) ?? 'agents',
  };
}

function queryOf({ channelId, teamId }: Address): string | undefined {
  const conditions = [
    ...(channelId === '' ? [] : [`eq(channelId,"${channelId}")`]),
    ...(teamId === '' ? [] : [`contains(teamIds,"${teamId}")`]),
  ];
  return conditions.length === 0 ? undefined : `and(${conditions.join()})`;
}

/** What happened in a period: how much, how fast, and by whom. */
export function Reports() {
  const { t } = useTranslator();
  const tenant = useRead(['tenant'], (signal) => getTenantSettings(client, { signal }));
  return (
    <Page title={t('reports.title')}>
      <Loaded query={tenant} lines={8}>
        {({ timezone }) => <Figures zone={timezone} />}
      </Loaded>
    </Page>
  );
}

function Figures({ zone }: { zone: string }) {
  const { t } = useTranslator();
  const navigate = useNavigate();
  const address = readAddress(useSearch({ strict: false }) as Record<string, unknown>);
  const change = (next: Partial<Address>): void =>
    void navigate({ to: '/reports', search: { ...address, ...next } as never, replace: true });
  const today = dateIn(zone, Date.now());
  const dates = datesOf(address.period, address, zone, Date.now());
  // The period stays the same until the day ends or another one is chosen, so that what was read is not read again. What it is
  // compared with grows by a quarter of an hour, as what has passed of it does.
  const { from, to } = dates;
  const now = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS;
  const period = useMemo(() => periodOf({ from, to }, zone, now), [from, to, zone, now]);
  useLiveReports(period.to);
  useKeys(
    (['today', '7', '30', '90'] as const).map((name, index) => ({
      keys: String(index + 1),
      label: t(`reports.period.${name}`),
      run: () => change({ period: name }),
    })),
  );
  const scope: Scope = { period, query: queryOf(address), zone };
  return (
    <div className={styles.reports}>
      <Tools address={address} dates={dates} today={today} onChange={change} />
      <p className={styles.zone}>{t('reports.zone', { zone })}</p>
      <Overview scope={scope} />
      <div className={styles.tabs}>
        <Tabs
          label={t('reports.details')}
          tabs={tabNames.map((id) => ({ id, label: t(`reports.${id}`) }))}
          chosen={address.tab}
          onChoose={(tab) => change({ tab })}
        />
      </div>
      <DetailTable key={address.tab} name={address.tab} scope={scope} />
    </div>
  );
}

interface ToolsProps {
  address: Address;
  dates: { from: string; to: string };
  today: string;
  onChange: (next: Partial<Address>) => void;
}

function Tools({ address, dates, today, onChange }: ToolsProps) {
  const { t } = useTranslator();
  const channels = useAll(['channels'], searchChannels, { enabled: useScope('channels:read') });
  const teams = useAll(['teams'], searchTeams, { enabled: useScope('users:read') });
  // A team without channels of its own has no figures of its own.
  const withChannels = (teams.data ?? []).filter(({ channelIds }) => channelIds.length > 0);
  return (
    <div className={styles.tools}>
      <SelectField
        label={t('reports.period')}
        value={address.period}
        options={periodNames.map((value) => ({ value, label: t(`reports.period.${value}`) }))}
        onChange={(period) => onChange(period === 'own' ? { period, ...dates } : { period })}
      />
      {address.period === 'own' && (
        <>
          <TextField
            label={t('reports.from')}
            type="date"
            value={dates.from}
            max={today}
            onChange={(event) => event.target.value && onChange({ from: event.target.value })}
          />
          <TextField
            label={t('reports.to')}
            type="date"
            value={dates.to}
            min={dates.from}
            max={today}
            onChange={(event) => event.target.value && onChange({ to: event.target.value })}
          />
        </>
      )}
      <SelectField
        label={t('reports.channel')}
        value={address.channelId}
        options={[
          { value: '', label: t('reports.allChannels') },
          ...(channels.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={(channelId) => onChange({ channelId })}
      />
      {withChannels.length > 0 && (
        <SelectField
          label={t('reports.team')}
          value={address.teamId}
          options={[
            { value: '', label: t('reports.allTeams') },
            ...withChannels.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={(teamId) => onChange({ teamId })}
        />
      )}
    </div>
  );
}
