import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, Side, Workload } from '../figure.ts';
import { requestBytes, sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { shardOf } from '../shards.ts';
import { createResource, type Target } from '../target.ts';
import { isQueueEmpty, waitForNumbering } from '../wait.ts';
import { chargeBare, chargeServer, countingRows, isIdle, untilDone } from '../workload.ts';

const CONTACTS = 1000;
const WARM_UP = 2000;
const STORED_GOAL = 0.8;
const VISIBLE_GOAL = 0.4;
const PATH = '/providers/whatsapp_cloud';
const APP_SECRET = 'an-app-secret-of-the-benchmark';
const HEARTBEAT_MS = 3_000;
/** Two heartbeats of a server: by then it has noticed that it lost a shard. */
const LOSE_SHARD_MS = 2 * HEARTBEAT_MS;

let messages = 0;

/** A text message in the format that Meta posts. */
function formatText(phoneNumberId: string): object {
  messages += 1;
  const from = `1444${String(messages % CONTACTS).padStart(7, '0')}`;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550009995', phone_number_id: phoneNumberId },
    contacts: [{ profile: { name: 'Ada Lovelace' }, wa_id: from }],
    messages: [
      {
        from,
        id: `wamid.HBgLMTQ0NDAwMDAwMDAVAgASGBQzQTdC${String(messages).padStart(12, '0')}AA==`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: 'Is this still available? I would like to come by on Saturday and have a look at it.' },
      },
    ],
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: '102290129340398', changes: [{ field: 'messages', value }] }],
  };
}

function signedText(phoneNumberId: string): Buffer {
  const body = Buffer.from(JSON.stringify(formatText(phoneNumberId)));
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
  return requestBytes('POST', PATH, { body, headers: { 'x-hub-signature-256': `sha256=${signature}` } });
}

const createChannel = (target: Target, phoneNumberId: string): Promise<string> =>
  createResource(target, '/v3/channels', {
    kind: 'whatsapp',
    provider: 'whatsapp_cloud',
    name: 'WhatsApp',
    address: '+15550009995',
    config: {
      phoneNumberId,
      businessAccountId: '102290129340398',
      accessToken: 'EAAbenchmark',
      appSecret: APP_SECRET,
      verifyToken: 'verify-benchmark',
    },
  });

/** Posts texts that were signed before the round begins. */
function postTexts(getPort: () => number, phoneNumberId: string): Pick<Workload, 'prepare' | 'run'> {
  let texts: Buffer[] = [];
  return {
    async prepare(count) {
      texts = Array.from({ length: count }, () => signedText(phoneNumberId));
    },
    run: (count) => sendRequests(getPort(), count, texts),
  };
}

/**
 * Gives the shard of a channel to a worker that does not exist: requests to the channel are stored, and nothing else. Its
 * lease is renewed like that of a process, because servers cut leases that end too late.
 */
async function takeShard({ db, shardColumn }: Target, channelId: string): Promise<() => Promise<void>> {
  const setOwner = (owner: string | null, lease: string | null) =>
    db.query(
      `update ${shardColumn}s set owner = $2, lease_until = now() + $3::interval where ${shardColumn} = $1`,
      [shardOf(channelId), owner, lease],
    );
  const worker = randomUUID();
  const holdShard = () => setOwner(worker, '15 s');
  await holdShard();
  // A failed renewal ends the benchmark.
  const renewal = setInterval(() => void holdShard(), HEARTBEAT_MS);
  await delay(LOSE_SHARD_MS);
  return async () => {
    clearInterval(renewal);
    await db.query('delete from inbound where channel_id = $1', [channelId]);
    await setOwner(null, null);
  };
}

/** Empties a table before every round, and checks afterwards that the round has filled it. */
function fillTable(workload: Workload, { db }: Target, table: string): Workload {
  let expected = 0;
  return {
    ...workload,
    async prepare(count) {
      await db.query(`truncate ${table}`);
      expected = count;
      await workload.prepare?.(count);
    },
    async check() {
      const { rows } = await db.query(`select count(*)::int as count from ${table}`);
      if (rows[0].count !== expected) throw new Error(`${rows[0].count} of ${expected} texts were stored.`);
    },
  };
}

const startWhatsapp = (mode: string, { databaseUrl }: Target) =>
  startBare(mode, { BENCH_DATABASE_URL: databaseUrl, BENCH_SECRET: APP_SECRET });

/** A signed text, until it is stored and acknowledged. Another process turns it into a message. */
export async function createWhatsapp({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const phoneNumberId = '1122334455667';
  const channelId = await createChannel(target, phoneNumberId);
  const giveBack = await takeShard(target, channelId);
  const ours = {
    ...chargeServer(target),
    ...postTexts(() => target.server.port, phoneNumberId),
    stop: giveBack,
  };
  return [
    {
      title: 'WhatsApp text to acknowledged',
      warmUp: WARM_UP,
      ours: fillTable(ours, target, 'inbound'),
      bares: [
        {
          goal: STORED_GOAL,
          async create() {
            const bare = await startWhatsapp('whatsapp', target);
            const workload = { ...chargeBare(bare, target), ...postTexts(() => bare.port, phoneNumberId) };
            return fillTable(workload, target, 'bare_whatsapp.inbound');
          },
        },
      ],
    },
  ];
}

/** A signed text, until its message can be read. */
export async function createWhatsappVisible({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const phoneNumberId = '1122334455668';
  const channelId = await createChannel(target, phoneNumberId);
  const ours = {
    ...chargeServer(target),
    ...postTexts(() => target.server.port, phoneNumberId),
    check: () => waitForNumbering(target, target.tenantId),
  };
  const countMessages = `select count(*)::int as count from messages
    where tenant_id = '${target.tenantId}' and channel_id = '${channelId}'`;
  return [
    {
      title: 'WhatsApp text to visible message',
      warmUp: WARM_UP,
      ours: countingRows(untilDone(ours, isQueueEmpty(target, 'inbound', channelId)), target, countMessages),
      bares: [
        {
          goal: VISIBLE_GOAL,
          async create() {
            const bare = await startWhatsapp('whatsapp-visible', target);
            const workload = { ...chargeBare(bare, target), ...postTexts(() => bare.port, phoneNumberId) };
            return countingRows(
              untilDone(workload, isIdle(bare)),
              target,
              'select count(*)::int as count from bare_whatsapp.messages',
            );
          },
        },
      ],
    },
  ];
}
