import { getWebhookDelivery, retryWebhookDelivery, type WebhookDeliveryWithAttempts } from '@parley/sdk';
import { client, useRead, useWrite } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { useScope } from '../../api/session.tsx';
import { useText } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loaded } from '../../ui/notices.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { AttemptDetails } from './attempt.tsx';
import { DELIVERIES_KEY, WEBHOOKS_KEY } from './data.ts';
import { DeliveryState } from './delivery-state.tsx';
import styles from './webhooks.module.css';

/** A delivery has no events: while one is on its way it is asked for. */
const EVERY_MS = 1_000;
/** What is due later than that is not waited for. */
const SOON_MS = 60_000;

const isOnItsWay = ({ status, nextAttemptAt }: WebhookDeliveryWithAttempts): boolean =>
  status === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;

/** Everything about one delivery: its content, and what happened at each attempt. */
export function DeliveryDialog({ deliveryId, onClose }: { deliveryId: string; onClose: () => void }) {
  const t = useText();
  const canWrite = useScope('webhooks:write');
  const query = useRead(
    [...DELIVERIES_KEY, 'one', deliveryId],
    (signal) => getWebhookDelivery(client, { path: { deliveryId }, signal }),
    {
      everyMs: (data) =>
        data !== undefined && !isOnItsWay(data as WebhookDeliveryWithAttempts) ? false : EVERY_MS,
    },
  );
  const retry = useWrite(() => retryWebhookDelivery(client, { path: { deliveryId } }), {
    invalidates: [WEBHOOKS_KEY],
    done: 'webhooks.retried',
  });
  const { data } = query;
  if (statusOf(query.error) === 404)
    return (
      <Dialog title={t('webhooks.gone')} onClose={onClose}>
        <p>{t('webhooks.goneText')}</p>
      </Dialog>
    );
  return (
    <Dialog
      title={data?.eventType ?? t('webhooks.delivery')}
      onClose={onClose}
      isWide
      actions={
        <>
          {canWrite && data && data.status !== 'pending' && (
            <Button icon="reply" isBusy={retry.isPending} onClick={() => retry.mutate()}>
              {t('webhooks.retry')}
            </Button>
          )}
          <Button look="primary" onClick={onClose}>
            {t('action.close')}
          </Button>
        </>
      }
    >
      <Loaded query={query} lines={6}>
        {(delivery) => (
          <>
            <Facts
              facts={[
                [t('webhooks.delivery'), <DeliveryState key="state" of={delivery} />],
                [t('webhooks.created'), <RelativeTime key="created" at={delivery.createdAt} />],
                ['webhook-id', <code key="id">{delivery.eventId}</code>],
              ]}
            />
            {delivery.attempts.length === 0 && <p className={styles.muted}>{t('webhooks.noAttempts')}</p>}
            {delivery.attempts.toReversed().map((attempt, index) => (
              <AttemptDetails
                key={attempt.number}
                attempt={attempt}
                body={delivery.requestBody}
                isOpen={index === 0}
              />
            ))}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
