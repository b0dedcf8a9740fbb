import { getAutomationFunnel } from '@parley/sdk';
import { useState } from 'react';
import { client, useRead } from '../../api/api.ts';
import { basePath } from '../../api/client.ts';
import { useCanExport, useWorkspace } from '../../api/session.tsx';
import type { PlainKey } from '../../i18n/catalogue.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type ReportName, type ReportRow, useReport } from './data.ts';
import { useDuration } from './format.ts';
import type { Scope } from './overview.tsx';
import styles from './reports.module.css';

type Figure = Exclude<keyof ReportRow, 'at' | 'group'>;
interface Details {
  report: ReportName;
  groupBy: 'user' | 'channel' | 'campaign' | 'automation';
  figures: readonly { figure: Figure; title: PlainKey; of?: Figure; isExtra?: true }[];
  none: PlainKey;
}

/** What is shown by agent, channel, campaign and automation. */
export const details = {
  agents: {
    report: 'agents',
    groupBy: 'user',
    none: 'reports.noAgents',
    figures: [
      { figure: 'replies', title: 'reports.replies' },
      { figure: 'closed', title: 'reports.closed' },
      { figure: 'firstResponses', title: 'reports.firstResponses', isExtra: true },
      { figure: 'firstResponseMedianSeconds', title: 'reports.firstShort' },
      { figure: 'firstResponseP90Seconds', title: 'reports.firstP90', isExtra: true },
      { figure: 'laterResponseMedianSeconds', title: 'reports.laterShort', isExtra: true },
    ],
  },
  channels: {
    report: 'volumes',
    groupBy: 'channel',
    none: 'reports.noChannels',
    figures: [
      { figure: 'received', title: 'reports.received' },
      { figure: 'sent', title: 'reports.sent' },
      { figure: 'failed', title: 'reports.failed', isExtra: true },
      { figure: 'opened', title: 'reports.opened', isExtra: true },
      { figure: 'reopened', title: 'reports.reopened', isExtra: true },
      { figure: 'closed', title: 'reports.closed' },
    ],
  },
  campaigns: {
    report: 'campaigns',
    groupBy: 'campaign',
    none: 'reports.noCampaigns',
    figures: [
      { figure: 'sent', title: 'reports.campaignSent' },
      { figure: 'delivered', title: 'reports.delivered', of: 'sent', isExtra: true },
      { figure: 'read', title: 'reports.read', of: 'sent', isExtra: true },
      { figure: 'replied', title: 'reports.replied', of: 'sent' },
      { figure: 'failed', title: 'reports.failed', isExtra: true },
      { figure: 'optedOut', title: 'reports.optedOut', of: 'sent', isExtra: true },
    ],
  },
  automations: {
    report: 'automations',
    groupBy: 'automation',
    none: 'reports.noAutomations',
    figures: [
      { figure: 'started', title: 'reports.started' },
      { figure: 'completed', title: 'reports.completed', of: 'started' },
      { figure: 'failed', title: 'reports.runsFailed', of: 'started' },
      { figure: 'cancelled', title: 'reports.cancelled', of: 'started', isExtra: true },
    ],
  },
} as const satisfies Record<string, Details>;
export type DetailName = keyof typeof details;

/** A table of one kind, the busiest first. */
export function DetailTable({ name, scope }: { name: DetailName; scope: Scope }) {
  const { t } = useTranslator();
  const detail: Details = details[name];
  const { from, to } = scope.period;
  const asked = {
    name: detail.report,
    from,
    to,
    groupBy: detail.groupBy,
    ...(scope.query === undefined ? {} : { query: scope.query }),
  };
  const rows = useReport(asked);
  const { tenantId } = useWorkspace().membership;
  const url = `${basePath}/v3/reports/export.csv?${new URLSearchParams({ tenantId, ...asked })}`;
  const canExport = useCanExport();
  const columns = useColumns(detail, scope);
  const [main] = detail.figures;
  return (
    <Loaded query={rows} lines={4}>
      {(found) =>
        found.length === 0 ? (
          <p className={styles.none}>{t(detail.none)}</p>
        ) : (
          <div className={styles.details}>
            <Table
              label={t(`reports.${name}`)}
              columns={columns}
              rows={found.toSorted(
                (a, b) => (b[main?.figure as Figure] ?? 0) - (a[main?.figure as Figure] ?? 0),
              )}
              keyOf={({ group }) => group?.id ?? ''}
            />
            {canExport && (
              <LinkButton icon="download" href={url} download className={styles.download}>
                {t('reports.download')}
              </LinkButton>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

function useColumns({ figures, groupBy }: Details, scope: Scope): Column<ReportRow>[] {
  const { t, formatNumber, formatPercent } = useTranslator();
  const formatDuration = useDuration();
  const nameOf = ({ group }: ReportRow): string =>
    group?.name ?? t(group?.id === null ? 'reports.nobody' : 'reports.deleted');
  return [
    {
      id: 'name',
      title: t(`reports.by.${groupBy}`),
      cell: (row) =>
        groupBy === 'automation' && row.group?.name ? (
          <FunnelButton automationId={row.group.id as string} name={row.group.name} scope={scope} />
        ) : (
          <span className={styles.name}>{nameOf(row)}</span>
        ),
    },
    ...figures.map(({ figure, title, of, isExtra }) => ({
      id: figure,
      title: t(title),
      align: 'end' as const,
      ...(isExtra ? { isExtra } : {}),
      cell: (row: ReportRow) => {
        const value = row[figure] ?? null;
        if (figure.endsWith('Seconds')) return formatDuration(value);
        const whole = of && row[of];
        return (
          <>
            {formatNumber(value ?? 0)}
            {whole ? <span className={styles.part}>{formatPercent((value ?? 0) / whole, 1)}</span> : null}
          </>
        );
      },
    })),
  ];
}

/** How far the runs of an automation came, step by step. */
function FunnelButton({ automationId, name, scope }: { automationId: string; name: string; scope: Scope }) {
  const { t } = useTranslator();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button look="quiet" title={t('reports.steps')} onClick={() => setIsOpen(true)}>
        {name}
      </Button>
      {isOpen && <Funnel {...{ automationId, name, scope }} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface FunnelProps {
  automationId: string;
  name: string;
  scope: Scope;
  onClose: () => void;
}

function Funnel({ automationId, name, scope: { period }, onClose }: FunnelProps) {
  const { t, formatNumber } = useTranslator();
  const { from, to } = period;
  const funnel = useRead(['funnel', automationId, from, to], (signal) =>
    getAutomationFunnel(client, { path: { automationId }, body: { from, to }, signal }),
  );
  const counts = ['entered', 'left', 'waiting', 'failed', 'ended'] as const;
  return (
    <Dialog title={t('reports.stepsOf', { name })} onClose={onClose}>
      <Loaded query={funnel}>
        {({ steps }) => (
          <Table
            label={t('reports.steps')}
            rows={steps}
            keyOf={({ step }) => step}
            columns={[
              { id: 'step', title: t('reports.step'), cell: ({ step }) => step },
              ...counts.map((count) => ({
                id: count,
                title: t(`reports.step.${count}`),
                align: 'end' as const,
                cell: (row: (typeof steps)[number]) => formatNumber(row[count]),
              })),
            ]}
          />
        )}
      </Loaded>
    </Dialog>
  );
}
