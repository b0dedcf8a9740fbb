import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { deliveryRetry } from './schedule.ts';
import { joinEvent, type SentRow, sentColumns } from './sent.ts';

/** How many deliveries a process sends at the same time. */
export const SOCKETS = 256;
const SOCKETS_PER_WEBHOOK = 32;

/** Whether and how a webhook is called. */
export interface WebhookState {
  /** Null if the webhook is deleted. */
  url: string | null;
  webhook_status: string | null;
  failing_since: Date | null;
  /** Encrypted, in hexadecimal digits. */
  secret: string;
  old_secret: string | null;
  old_secret_until: Date | null;
}

/** SQL for the columns of a {@link WebhookState}. */
export const stateColumns = (webhook: string): string =>
  `${webhook}.url, ${webhook}.status as webhook_status, ${webhook}.failing_since,
   encode(${webhook}.secret_encrypted, 'hex') as secret, encode(${webhook}.old_secret_encrypted, 'hex') as old_secret,
   ${webhook}.old_secret_until`;

/** A delivery that is due. */
export interface DueDelivery extends QueueRow, SentRow, WebhookState {
  webhook_id: string;
  attempts: number;
  /** How many attempts were made before the delivery was requested again. */
  earlier_attempts: number;
}

export const deliveriesQueue = declareQueue<DueDelivery>({
  name: 'deliveries',
  purpose: 'send events to webhooks, each as a signed POST',
  table: 'deliveries',
  view: 'visible_deliveries',
  orderingKey: 'webhook_id',
  order: ['due_at', 'sequence'],
  columns: `q.webhook_id, q.attempts, q.earlier_attempts, ${sentColumns('q', 'hook')}, ${stateColumns('hook')}`,
  joins: joinEvent('q'),
  // The webhook is looked up once for all its deliveries. A delivery goes only to a webhook of its own tenant.
  claimsManyKeys: {
    keyJoins: 'left join webhooks hook on hook.id = k.ordering_key',
    where: 'w.tenant_id = coalesce(hook.tenant_id, w.tenant_id)',
  },
  rowsPerCall: 1,
  callsPerKey: SOCKETS_PER_WEBHOOK,
  callsPerProcess: SOCKETS,
  waitsOutside: true,
  retry: deliveryRetry,
});
