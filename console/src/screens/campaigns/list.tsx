import type { Campaign } from '@parley/sdk';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useScope } from '../../api/session.tsx';
import { useAddress } from '../../app/address.ts';
import { useText, useTranslator } from '../../i18n/i18n.tsx';
import { useKeys } from '../../keys/keys.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useCampaignActions } from './actions.tsx';
import { useAudienceText } from './audience-text.ts';
import styles from './campaigns.module.css';
import { useCampaign, useCampaigns, useChannels } from './data.ts';
import { ListFrame } from './frame.tsx';
import { NewDialog } from './new-dialog.tsx';
import { doneOf, ProgressBar, totalOf } from './progress.tsx';
import { useReplies } from './replies.ts';
import { StatusBadge } from './status.tsx';

/** All campaigns, the newest first. */
export function CampaignList() {
  const t = useText();
  const navigate = useNavigate();
  const canWrite = useScope('campaigns:write');
  const [{ q: search }, setAddress] = useAddress('q');
  const [isCreating, setIsCreating] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const list = useCampaigns(search);
  useKeys([
    { keys: '/', label: t('campaigns.search'), run: () => field.current?.focus() },
    ...(canWrite ? [{ keys: 'n', label: t('campaigns.new'), run: () => setIsCreating(true) }] : []),
  ]);
  const create = canWrite && (
    <Button look="primary" icon="plus" onClick={() => setIsCreating(true)}>
      {t('campaigns.new')}
    </Button>
  );
  const isFiltered = search.trim() !== '';
  return (
    <ListFrame tab="campaigns" actions={create}>
      <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }} lines={6}>
        {(rows) =>
          rows.length === 0 && !isFiltered ? (
            <EmptyState icon="campaign" title={t('campaigns.empty')} action={create}>
              {t('campaigns.emptyText')}
            </EmptyState>
          ) : (
            <>
              <div className={styles.search}>
                <SearchField
                  ref={field}
                  label={t('campaigns.search')}
                  text={search}
                  onSearch={(q) => setAddress({ q })}
                />
              </div>
              {rows.length === 0 ? (
                <EmptyState icon="search" title={t('campaigns.nothing')}>
                  {t('campaigns.nothingText')}
                </EmptyState>
              ) : (
                <CampaignTable campaigns={rows} />
              )}
              {list.hasMore && (
                <div className={styles.more}>
                  <Button isBusy={list.isReadingMore} onClick={list.readMore}>
                    {t('campaigns.more')}
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
      {isCreating && (
        <NewDialog
          onClose={() => setIsCreating(false)}
          onDone={({ id }) => void navigate({ to: `/campaigns/${id}` })}
        />
      )}
    </ListFrame>
  );
}

function CampaignTable({ campaigns }: { campaigns: readonly Campaign[] }) {
  const t = useText();
  const { itemsOf, dialogs } = useCampaignActions();
  const channels = useChannels().data;
  const describeAudience = useAudienceText();
  const replies = useReplies(campaigns);
  const actions = useRowActions<Campaign>(useScope('campaigns:write'), {
    nameOf: ({ name }) => name,
    itemsOf,
  });
  return (
    <>
      <Table<Campaign>
        label={t('campaigns.title')}
        rows={campaigns}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'name',
            title: t('campaigns.name'),
            cell: ({ id, name, channelId }) => (
              <div className={styles.name}>
                <Link to={`/campaigns/${id}`} className={styles.link} dir="auto">
                  {name}
                </Link>
                <span className={styles.meta}>{channels?.find((one) => one.id === channelId)?.name}</span>
              </div>
            ),
          },
          { id: 'status', title: t('campaigns.state'), cell: (row) => <StatusBadge status={row.status} /> },
          { id: 'audience', title: t('campaigns.audience'), isExtra: true, cell: describeAudience },
          { id: 'when', title: t('campaigns.when'), isExtra: true, cell: (row) => <When campaign={row} /> },
          {
            id: 'results',
            title: t('campaigns.results'),
            isExtra: true,
            cell: (row) => <RowResults campaign={row} replied={replies.get(row.id) ?? 0} />,
          },
          ...actions,
        ]}
      />
      {dialogs}
    </>
  );
}

/** When it runs next, or when it has run. */
function When({ campaign }: { campaign: Campaign }) {
  const { t, formatDate } = useTranslator();
  const at = campaign.nextOccurrenceAt ?? campaign.startedAt ?? campaign.scheduledAt;
  if (at === null) return <span className={styles.meta}>{t('campaigns.noTime')}</span>;
  const date = new Date(at);
  const isPast = campaign.nextOccurrenceAt === null && campaign.startedAt !== null;
  return (
    <div className={styles.name}>
      {isPast ? (
        <RelativeTime at={at} />
      ) : (
        <time dateTime={at} title={formatDate(date, 'full')}>
          {formatDate(date, 'dateTime')}
        </time>
      )}
      {campaign.isReoccurring && <span className={styles.meta}>{t('campaigns.recurring')}</span>}
    </div>
  );
}

/** How far it has got. The numbers of a campaign that has not started say nothing. */
function RowResults({ campaign, replied }: { campaign: Campaign; replied: number }) {
  const t = useText();
  const hasStarted = campaign.startedAt !== null;
  const { data } = useCampaign(campaign.id, hasStarted);
  if (!hasStarted) return <span className={styles.meta}>–</span>;
  if (!data) return null;
  const { recipientCounts: counts } = data;
  const reached = counts.sent + counts.delivered + counts.read;
  const parts = [
    t('campaigns.progress', { done: doneOf(counts), total: totalOf(counts) }),
    ...(counts.delivered + counts.read > 0
      ? [t('campaigns.deliveredCount', { count: counts.delivered + counts.read })]
      : [t('campaigns.sentCount', { count: reached })]),
    ...(counts.read > 0 ? [t('campaigns.readCount', { count: counts.read })] : []),
    ...(replied > 0 ? [t('campaigns.repliedCount', { count: replied })] : []),
    ...(counts.failed > 0 ? [t('campaigns.failedCount', { count: counts.failed })] : []),
    ...(counts.skipped > 0 ? [t('campaigns.skippedCount', { count: counts.skipped })] : []),
  ];
  return (
    <div className={styles.results}>
      <ProgressBar counts={counts} label={t('campaigns.progressOf', { name: campaign.name })} />
      <span className={styles.meta}>{parts.join(' · ')}</span>
    </div>
  );
}
