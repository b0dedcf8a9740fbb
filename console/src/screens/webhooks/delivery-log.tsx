import { type ApiWebhook, type FoundDelivery, searchAllWebhookDeliveries } from '@parley/sdk';
import { useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useScope } from '../../api/session.tsx';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { EmptyState, Loaded } from '../../ui/notices.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { DELIVERIES_KEY } from './data.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { RetryManyDialog } from './dialogs.tsx';
import { deliveryFilters, useDeliveryFields } from './filter.ts';
import styles from './webhooks.module.css';

/** A filter that every delivery matches. */
const EVERYTHING = 'ge(createdAt,"1970-01-01T00:00:00Z")';

interface DeliveryLogProps {
  /** Only those of one webhook. */
  webhook?: ApiWebhook | undefined;
  /** What the addresses of the webhooks are, where several are shown. */
  webhooks?: readonly ApiWebhook[];
  filter: string;
  /** The one that is shown in a window. */
  openedId: string | undefined;
  onChange: (next: { filter?: string; delivery?: string | undefined }) => void;
}

/** What was sent, and what became of it. */
export function DeliveryLog({ webhook, webhooks = [], filter, openedId, onChange }: DeliveryLogProps) {
  const { t } = useTranslator();
  const fields = useDeliveryFields();
  const canWrite = useScope('webhooks:write');
  const [isRetrying, setIsRetrying] = useState(false);
  const conditions = [
    ...(webhook ? [`eq(webhookId,"${webhook.id}")`] : []),
    ...(filter === '' ? [] : [filter]),
  ];
  const query = conditions.length > 1 ? `and(${conditions.join()})` : conditions[0];
  const list = useList(
    DELIVERIES_KEY,
    searchAllWebhookDeliveries,
    { sortBy: 'desc(createdAt)', ...(query === undefined ? {} : { query }) },
    { withTotal: true },
  );
  return (
    <div className={styles.log}>
      <div className={styles.tools}>
        <FilterBar
          texts={deliveryFilters}
          fields={fields}
          filter={filter}
          error={list.error}
          example={'eq(status,"failed")'}
          onChange={(next) => onChange({ filter: next })}
        />
        {webhook?.status === 'active' && canWrite && (list.rows?.length ?? 0) > 0 && (
          <Button icon="reply" onClick={() => setIsRetrying(true)}>
            {t('webhooks.retryMany')}
          </Button>
        )}
      </div>
      <Loaded query={{ data: list.rows, error: list.error, refetch: list.refetch }}>
        {(rows) =>
          rows.length > 0 ? (
            <DeliveryTable
              rows={rows}
              webhooks={webhook ? [] : webhooks}
              onOpen={(delivery) => onChange({ filter, delivery })}
            />
          ) : (
            <EmptyState icon="webhook" title={t(filter === '' ? 'webhooks.logEmpty' : 'webhooks.logNothing')}>
              {t('webhooks.logEmptyText')}
            </EmptyState>
          )
        }
      </Loaded>
      {list.hasMore && (
        <Button onClick={list.readMore} isBusy={list.isReadingMore}>
          {t('action.showMore')}
        </Button>
      )}
      {openedId !== undefined && (
        <DeliveryDialog key={openedId} deliveryId={openedId} onClose={() => onChange({ filter })} />
      )}
      {isRetrying && webhook && (
        <RetryManyDialog
          webhookId={webhook.id}
          query={filter || EVERYTHING}
          count={list.total?.count ?? 0}
          onClose={() => setIsRetrying(false)}
        />
      )}
    </div>
  );
}

interface DeliveryTableProps {
  rows: readonly FoundDelivery[];
  webhooks: readonly ApiWebhook[];
  onOpen: (deliveryId: string) => void;
}

function DeliveryTable({ rows, webhooks, onOpen }: DeliveryTableProps) {
  const { t, formatNumber } = useTranslator();
  const urlOf = ({ webhookId }: FoundDelivery): string =>
    webhooks.find(({ id }) => id === webhookId)?.url ?? '–';
  const columns: Column<FoundDelivery>[] = [
    {
      id: 'event',
      title: t('webhooks.event'),
      cell: ({ id, eventType, createdAt }) => (
        <>
          <button type="button" className={styles.open} onClick={() => onOpen(id)}>
            {eventType}
          </button>
          <div className={styles.muted}>
            <RelativeTime at={createdAt} />
          </div>
        </>
      ),
    },
    ...(webhooks.length === 0 ? [] : [{ id: 'url', title: t('webhooks.url'), isExtra: true, cell: urlOf }]),
    {
      id: 'status',
      title: t('webhooks.delivery'),
      cell: (row) => <DeliveryState of={row} />,
    },
    {
      id: 'answer',
      title: t('webhooks.answer'),
      isExtra: true,
      cell: ({ responseStatus, totalMs, attemptCount }) => (
        <>
          {responseStatus ?? (attemptCount > 0 ? t('webhooks.noAnswer') : '–')}
          {totalMs !== null && (
            <div className={styles.muted}>{t('webhooks.ms', { ms: Math.round(totalMs) })}</div>
          )}
        </>
      ),
    },
    {
      id: 'attempts',
      title: t('webhooks.attempts'),
      align: 'end',
      isExtra: true,
      cell: ({ attemptCount }) => formatNumber(attemptCount),
    },
  ];
  return (
    <Table<FoundDelivery> label={t('webhooks.log')} rows={rows} keyOf={({ id }) => id} columns={columns} />
  );
}
