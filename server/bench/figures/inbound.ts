import type { Bare, Case, Side, Workload } from '../figure.ts';
import { requestBytes, sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { callApi, createResource, createSandboxChannel, type Target } from '../target.ts';
import { hasNoRows, waitUntil } from '../wait.ts';
import { chargeBare, chargeServer, countingRows, postBytes } from '../workload.ts';

const CONTACTS = 50;
const WARM_UP = 1000;
const GOAL = 0.5;

const MESSAGES = Array.from({ length: CONTACTS }, (_, contact) => ({
  from: `+1444${String(contact).padStart(7, '0')}`,
  text: 'Is this still available? I would like to come by on Saturday and have a look at it.',
}));

/** Sends messages to the server and waits until the webhook of each is received and recorded. */
async function createOurs(target: Target, receiver: Receiver): Promise<Workload> {
  const { db } = target;
  const channelId = await createSandboxChannel(target, { name: 'Inbound', address: '+15550009998' });
  const webhookId = await createResource(target, '/v3/api_webhooks', {
    url: `${receiver.url}/hook`,
    events: [{ type: 'message.received' }],
  });
  const requests = MESSAGES.map((body) => postBytes(target, `/v3/sandbox/${channelId}/inbound`, body));
  const areRecorded = () =>
    hasNoRows(db, 'select 1 from deliveries where webhook_id = $1 and due_at is not null limit 1', [
      webhookId,
    ]);
  const workload: Workload = {
    ...chargeServer(target),
    async run(count) {
      const before = await receiver.countAtLeast(0);
      const startedAt = performance.now();
      await sendRequests(target.server.port, count, requests);
      // A query takes PostgreSQL's time, which is measured, so it is made only after the receiver has all of them.
      await receiver.countAtLeast(before + count);
      await waitUntil(areRecorded);
      return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
    },
    stop: () => receiver.stop(),
  };
  return countingRows(
    workload,
    target,
    `select count(*)::int as count from deliveries where webhook_id = '${webhookId}' and status = 'delivered'`,
  );
}

/** From a customer's message to the delivered and recorded webhook. */
export async function createInbound({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const receiver = await startReceiver();
  const startInbound = () =>
    startBare('inbound', { BENCH_DATABASE_URL: target.databaseUrl, BENCH_RECEIVER: receiver.url });
  const withoutHttp: Bare = {
    goal: GOAL,
    async create() {
      const bare = await startInbound();
      return {
        ...chargeBare(bare, target),
        async run(count) {
          const body = { count, messages: MESSAGES };
          const { seconds } = await callApi<{ seconds: number }>(bare.port, 'POST', '/run', { body });
          return { operations: count, seconds };
        },
      };
    },
  };
  const withHttp: Bare = {
    title: '  the bare program behind HTTP too',
    async create() {
      const bare = await startInbound();
      const requests = MESSAGES.map((body) => requestBytes('POST', '/message', { body }));
      return { ...chargeBare(bare, target), run: (count) => sendRequests(bare.port, count, requests) };
    },
  };
  return [
    {
      title: 'inbound to recorded webhook',
      warmUp: WARM_UP,
      ours: await createOurs(target, receiver),
      bares: [withoutHttp, withHttp],
    },
  ];
}
