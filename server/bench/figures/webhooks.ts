import type { Case, Side, Workload } from '../figure.ts';
import { startBare } from '../processes.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { shardOf } from '../shards.ts';
import { callApi, type Target } from '../target.ts';
import {
  createEndpoints,
  type Endpoint,
  type PublishedEvents,
  publishEvents,
  sampleBody,
} from '../webhook-events.ts';

const WARM_UP = 3000;
const ONE_GOAL = 0.45;
const MANY_GOAL = 0.35;
const WAITING_GOAL = 0.9;
const TENANTS = 10;
const WEBHOOKS_PER_TENANT = 100;
const RETRIES = 1_000_000;

/** Signs and posts the same bytes, reads nothing and records nothing; PostgreSQL's CPU time is not charged to it. */
async function createBarePoster(receiverUrl: string, paths: string[]): Promise<Workload> {
  const bare = await startBare('webhooks', { BENCH_RECEIVER: receiverUrl });
  const { before, after } = sampleBody();
  return {
    processes: () => ({ server: bare.pid }),
    async run(count) {
      const body = { count, paths, before, after };
      const { seconds } = await callApi<{ seconds: number }>(bare.port, 'POST', '/run', { body });
      return { operations: count, seconds };
    },
    stop: () => bare.stop(),
  };
}

interface ReceivedEvents {
  receiver: Receiver;
  endpoints: Endpoint[];
  events: PublishedEvents;
}

async function createReceivedEvents(
  target: Target,
  tenants: number,
  webhooksPerTenant: number,
): Promise<ReceivedEvents> {
  const receiver = await startReceiver();
  const endpoints = await createEndpoints(target, tenants, webhooksPerTenant, receiver);
  return { receiver, endpoints, events: await publishEvents(target, endpoints, receiver) };
}

/** Creating a thousand webhooks takes seconds, so two figures share them. */
const thousands = new WeakMap<Target, Promise<ReceivedEvents>>();

function getThousandEndpoints(target: Target): Promise<ReceivedEvents> {
  const created = thousands.get(target) ?? createReceivedEvents(target, TENANTS, WEBHOOKS_PER_TENANT);
  thousands.set(target, created);
  return created;
}

function createCase(title: string, goal: number, { receiver, endpoints, events }: ReceivedEvents): Case {
  const paths = endpoints.map(({ path }) => path);
  return {
    title,
    warmUp: WARM_UP,
    ours: events,
    bares: [{ goal, create: () => createBarePoster(receiver.url, paths) }],
  };
}

/** From published events to recorded deliveries at one endpoint. */
export async function createEndpoint({ getTarget }: Side): Promise<Case[]> {
  const events = await createReceivedEvents(await getTarget(), 1, 1);
  return [createCase('1 kB events to one endpoint', ONE_GOAL, events)];
}

/** The same, spread over a thousand endpoints. */
export async function createThousandEndpoints({ getTarget }: Side): Promise<Case[]> {
  const events = await getThousandEndpoints(await getTarget());
  return [createCase('1 kB events to 1000 endpoints', MANY_GOAL, events)];
}

/** Deliveries that failed once and are due within a day. Their type distinguishes them from the measured ones. */
const insertRetries = (shardColumn: string): string => `
  insert into deliveries (id, tenant_id, webhook_id, ${shardColumn}, event_id, event_type, sequence, status, attempts,
                          due_at, created_at, updated_at)
  select uuidv7(), e.tenant_id, e.webhook_id, e.shard, uuidv7(), 'message.read', n, 'pending', 1,
         now() + interval '1 hour' + (n % 86400 * 7919 % 86400) * interval '1 second', now(), now()
    from generate_series(0, ${RETRIES} - 1) as n
    join unnest($1::uuid[], $2::uuid[], $3::smallint[]) with ordinality as e (tenant_id, webhook_id, shard, number)
      on e.number = n % cardinality($1::uuid[]) + 1`;
const REMOVE_RETRIES = `delete from deliveries where event_type = 'message.read'`;

/** Returns a function that adds or removes a million waiting retries. */
function retriesOf(
  { db, shardColumn }: Target,
  endpoints: Endpoint[],
): (wanted: boolean) => Promise<boolean> {
  let exist = false;
  return async (wanted) => {
    if (exist === wanted) return false;
    exist = wanted;
    if (wanted)
      await db.query(insertRetries(shardColumn), [
        endpoints.map(({ tenantId }) => tenantId),
        endpoints.map(({ webhookId }) => webhookId),
        endpoints.map(({ webhookId }) => shardOf(webhookId)),
      ]);
    else await db.query(REMOVE_RETRIES);
    await db.query('vacuum analyze deliveries');
    await db.query('checkpoint');
    return true;
  };
}

/** What fresh deliveries lose while a million retries wait at the same thousand endpoints. */
export async function createWaiting({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { endpoints, events } = await getThousandEndpoints(target);
  const setRetries = retriesOf(target, endpoints);
  const withRetries = (wanted: boolean): Workload => ({
    ...events,
    async prepare(count) {
      // Writing or removing a million rows evicts all other rows from PostgreSQL's memory, which is not to be measured.
      if (await setRetries(wanted)) {
        await events.prepare(WARM_UP);
        await events.run();
      }
      await events.prepare(count);
    },
  });
  return [
    {
      title: 'fresh deliveries with 1,000,000 waiting',
      warmUp: WARM_UP,
      ours: {
        ...withRetries(true),
        stop: async () => void (await setRetries(false)),
      },
      bares: [
        {
          title: 'fresh deliveries without and with 1,000,000 waiting',
          goal: WAITING_GOAL,
          create: async () => withRetries(false),
        },
      ],
    },
  ];
}
