import {
  deleteFailedRequest,
  type FailedRequest,
  replayFailedRequest,
  searchFailedRequests,
} from '@parley/sdk';
import { client, useWrite } from '../../api/api.ts';
import { useList } from '../../api/lists.ts';
import { useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { Section } from '../../ui/page.tsx';
import { useRowActions } from '../../ui/row-actions.tsx';
import { Table } from '../../ui/table.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { setupKey } from './data.ts';
import styles from './setup.module.css';

/** Requests of the vendor that could not be processed, if there are any. They can be processed again, after a correction of the channel. */
export function FailedRequests({ channelId }: { channelId: string }) {
  const { t, formatDate } = useTranslator();
  const key = [...setupKey(channelId), 'failed'];
  const requests = useList(
    key,
    (caller, { body, signal }) => searchFailedRequests(caller, { path: { channelId }, body, signal }),
    {},
  );
  const options = { invalidates: [setupKey(channelId)] };
  const pathOf = ({ id }: FailedRequest) => ({ channelId, requestId: id });
  const replay = useWrite(
    (request: FailedRequest) => replayFailedRequest(client, { path: pathOf(request) }),
    { ...options, done: 'channels.replayed' },
  );
  const remove = useWrite(
    (request: FailedRequest) => deleteFailedRequest(client, { path: pathOf(request) }),
    { ...options, done: 'deleted' },
  );
  const actions = useRowActions<FailedRequest>(true, {
    nameOf: ({ receivedAt }) => formatDate(new Date(receivedAt), 'full'),
    itemsOf: (request) => [
      { id: 'replay', label: t('channels.replay'), icon: 'reply', run: () => replay.mutate(request) },
      {
        id: 'delete',
        label: t('action.delete'),
        icon: 'trash',
        isDanger: true,
        run: () => remove.mutate(request),
      },
    ],
  });
  // Most channels have none.
  if (!requests.error && (requests.rows ?? []).length === 0) return null;
  return (
    <Section title={t('channels.failedRequests')} text={t('channels.failedRequestsText')}>
      <div className={styles.wide}>
        <Loaded query={{ data: requests.rows, error: requests.error, refetch: requests.refetch }}>
          {(rows) => (
            <Table<FailedRequest>
              label={t('channels.failedRequests')}
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  id: 'error',
                  title: t('channels.failedReason'),
                  cell: ({ error, body }) => (
                    <details>
                      <summary>{error ?? t('channels.failedAgain')}</summary>
                      {body !== null && <pre className={styles.body}>{body}</pre>}
                    </details>
                  ),
                },
                {
                  id: 'received',
                  title: t('channels.failedWhen'),
                  align: 'end',
                  cell: ({ receivedAt }) => <RelativeTime at={receivedAt} />,
                },
                ...actions,
              ]}
            />
          )}
        </Loaded>
      </div>
      {requests.hasMore && (
        <Button onClick={requests.readMore} isBusy={requests.isReadingMore}>
          {t('action.showMore')}
        </Button>
      )}
    </Section>
  );
}
