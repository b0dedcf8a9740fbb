import {
  type Automation,
  type AutomationFunnel,
  type AutomationVersion,
  getAutomationFunnel,
} from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../../../api/api.ts';
import { useTranslator } from '../../../i18n/i18n.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { EmptyState, Loaded, Warning } from '../../../ui/notices.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { funnelKey, useVersion, useVersions } from './data.ts';
import { paintFunnel } from './paint.ts';
import styles from './runs.module.css';
import { Split } from './split.tsx';
import { useDescriber } from './trace-steps.tsx';

const PERIODS = { days7: 7, days30: 30, days90: 90, all: undefined } as const;
type Period = keyof typeof PERIODS;
const DAY_MS = 24 * 3600_000;

/** How far runs have come, as numbers on the picture. */
export function ResultsTab({ automation }: { automation: Automation }) {
  const { t } = useTranslator();
  const [period, setPeriod] = useState<Period>('days30');
  const [versionId, setVersionId] = useState('');
  const versions = useVersions(automation.id);
  const chosen = useVersion(automation.id, versionId === '' ? undefined : versionId).data;
  const version = chosen ?? automation.activeVersion ?? automation.latestVersion;
  const funnel = useRead([...funnelKey(automation.id), period, versionId], (signal) => {
    const days = PERIODS[period];
    const body = {
      ...(versionId !== '' && { versionId }),
      ...(days !== undefined && { from: new Date(Date.now() - days * DAY_MS).toISOString() }),
    };
    return getAutomationFunnel(client, { path: { automationId: automation.id }, body, signal });
  });
  return (
    <Split definition={version} paint={funnel.data && paintFunnel(funnel.data)}>
      <div className={styles.tools}>
        <SelectField
          label={t('results.period')}
          value={period}
          options={(Object.keys(PERIODS) as Period[]).map((value) => ({
            value,
            label: t(`results.${value}`),
          }))}
          onChange={setPeriod}
        />
        <SelectField
          label={t('results.version')}
          value={versionId}
          options={[
            { value: '', label: t('results.allVersions') },
            ...(versions.data?.items.map(({ id, number }) => ({
              value: id,
              label: t('results.versionNumber', { number }),
            })) ?? []),
          ]}
          onChange={setVersionId}
        />
      </div>
      <Loaded query={funnel} lines={6}>
        {(data) =>
          data.runs === 0 ? (
            <EmptyState icon="chart" title={t('results.empty')}>
              {t('results.emptyText')}
            </EmptyState>
          ) : (
            <Numbers funnel={data} version={version} />
          )
        }
      </Loaded>
    </Split>
  );
}

function Numbers({ funnel, version }: { funnel: AutomationFunnel; version: AutomationVersion }) {
  const { t, formatNumber, language } = useTranslator();
  const describer = useDescriber();
  type Counted = AutomationFunnel['steps'][number];
  const share = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const numbers = (['entered', 'left', 'waiting', 'failed', 'ended'] as const).map(
    (id): Column<Counted> => ({
      id,
      title: t(`results.${id}`),
      align: 'end',
      cell: (row) => (
        <span
          className={row[id] === 0 ? styles.zero : undefined}
          title={t('results.share', { share: share.format(row[id] / funnel.runs) })}
        >
          {formatNumber(row[id])}
        </span>
      ),
    }),
  );
  return (
    <>
      <p role="status">{t('results.runs', { count: funnel.runs })}</p>
      {!funnel.isComplete && <Warning>{t('results.capped')}</Warning>}
      <Table
        label={t('runs.tab.results')}
        columns={[
          {
            id: 'step',
            title: t('results.step'),
            cell: ({ step, type }) => (
              <span className={styles.where}>
                {describer.stepTitle({ type })}
                <span className={styles.cause}>
                  {step}
                  {!version.steps.some(({ id }) => id === step) && ` · ${t('results.gone')}`}
                </span>
              </span>
            ),
          },
          ...numbers,
        ]}
        rows={funnel.steps}
        keyOf={({ step }) => step}
      />
    </>
  );
}
