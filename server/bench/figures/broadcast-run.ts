import type { Case, Side } from '../figure.ts';
import { createResource, createSandboxChannel } from '../target.ts';
import { waitForNumbering, waitUntil } from '../wait.ts';
import { chargeServer } from '../workload.ts';
import { STATUS_DELAY_MS } from './sending.ts';

const CONTACTS = 5000;
const GOAL = 1;
/** Counting messages takes PostgreSQL's time, which is measured. */
const POLL_MS = 50;

/** The number of transactions that have written anything so far. */
const COUNT_TRANSACTIONS = 'select pg_snapshot_xmax(pg_current_snapshot())::text::bigint::int as count';

/** A broadcast to 5000 contacts through the sandbox: from the call until all of it is sent. */
export async function createBroadcastRun({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db } = target;
  const tenant = await target.createTenant();
  const workflowId = await createResource(tenant, '/v3/automations', {
    name: 'Broadcast',
    trigger: { type: 'campaign' },
    steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } }],
  });
  await tenant.call('POST', `/v3/automations/${workflowId}/publish`, {});
  const countTransactions = async (): Promise<number> => (await db.query(COUNT_TRANSACTIONS)).rows[0].count;
  let broadcasts = 0;
  let channelId = '';
  const isSent = async (): Promise<boolean> =>
    (
      await db.query(
        `select count(*)::int as count from messages where tenant_id = $1 and channel_id = $2 and status = 'sent'`,
        [tenant.tenantId, channelId],
      )
    ).rows[0].count === CONTACTS;
  return [
    {
      title: `broadcast of ${CONTACTS}, recipients until sent`,
      warmUp: CONTACTS,
      count: () => CONTACTS,
      effort: { rounds: 4 },
      restarts: 'once',
      values: {
        transactions: { title: '  transactions per recipient', digits: 2, goal: GOAL },
        answer: { title: '  from the call to its answer', unit: 'ms' },
        first: { title: '  from the call to the first message at the vendor', unit: 'ms' },
      },
      ours: {
        ...chargeServer(target),
        async prepare() {
          broadcasts += 1;
          channelId = await createSandboxChannel(tenant, {
            kind: 'sms',
            name: 'Broadcasts',
            address: `+15550008${String(broadcasts).padStart(3, '0')}`,
            config: { statusDelayMs: STATUS_DELAY_MS },
          });
        },
        async run() {
          const contacts = Array.from({ length: CONTACTS }, (_, contact) => ({
            firstName: `N${contact}`,
            phoneNumber: `+1${8_000_000_000 + broadcasts * 10_000 + 10 + contact}`,
          }));
          const before = await countTransactions();
          const startedAt = Date.now();
          const body = { name: `Round ${broadcasts}`, workflowId, contacts };
          await tenant.call('POST', `/v2/${channelId}/broadcasts`, body);
          const answer = Date.now() - startedAt;
          await waitUntil(isSent, POLL_MS);
          const seconds = (Date.now() - startedAt) / 1000;
          const transactions = ((await countTransactions()) - before) / CONTACTS;
          const { rows } = await db.query(
            'select min(at) as first from sandbox_outbox where channel_id = $1',
            [channelId],
          );
          const first = rows[0].first.getTime() - startedAt;
          return { operations: CONTACTS, seconds, values: { transactions, answer, first } };
        },
        check: () => waitForNumbering(target, tenant.tenantId),
      },
    },
  ];
}
