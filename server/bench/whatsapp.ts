import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../src/base/ids.ts';
import { realShardOf } from '../src/engine/queue.ts';
import { HEARTBEAT_MS } from '../src/engine/shards.ts';
import { signedRequest } from '../src/providers/meta/signature.ts';
import { type CountedSide, measureCounted } from './counted.ts';
import { requestBytes, runLoad, times } from './load.ts';
import { startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import type { Comparison } from './rounds.ts';
import { eventsNumbered, isIdle, isWorkedOff, untilDone } from './until.ts';
import type { World } from './world.ts';

const CONNECTIONS = 64;
const PEOPLE = 1000;
const WARM_UP = 2000;
const STORED_GOAL = 0.8;
const VISIBLE_GOAL = 0.4;
const PATH = '/providers/whatsapp_cloud';
const APP_SECRET = 'an-app-secret-of-the-benchmark';

interface BusinessNumber {
  channelId: string;
  /** So many texts as Meta would post them, each a message of its own. */
  texts(count: number): Buffer[];
}

let written = 0;

/** A text as Meta writes it. */
function textTo(phoneNumberId: string): object {
  written += 1;
  const from = `1444${String(written % PEOPLE).padStart(7, '0')}`;
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550009995', phone_number_id: phoneNumberId },
    contacts: [{ profile: { name: 'Ada Lovelace' }, wa_id: from }],
    messages: [
      {
        from,
        id: `wamid.HBgLMTQ0NDAwMDAwMDAVAgASGBQzQTdC${String(written).padStart(12, '0')}AA==`,
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

async function connectNumber({ call }: World, phoneNumberId: string): Promise<BusinessNumber> {
  const { data: channel } = await call<{ data: { id: string } }>('POST', '/v3/channels', {
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
  const one = (): Buffer => {
    const { headers, body } = signedRequest(textTo(phoneNumberId), '', APP_SECRET);
    const { 'content-type': _, ...signature } = headers;
    return requestBytes('POST', PATH, { body, headers: signature });
  };
  return { channelId: channel.id, texts: (count) => Array.from({ length: count }, one) };
}

/** A side that is posted texts which were signed before the clock starts. */
function posting(name: string, { pid, port }: { pid: number; port: number }, number: BusinessNumber) {
  let texts: Buffer[] = [];
  return {
    name,
    pid,
    prepare: async (count) => {
      texts = number.texts(count);
    },
    run: (count) => runLoad({ port, connections: CONNECTIONS, next: times(count, texts) }),
  } satisfies CountedSide;
}

/** Gives the work of a channel to a process that does none of it: requests to it are stored, and nothing else. */
async function leaveWorkOf({ db }: World, channelId: string): Promise<() => Promise<void>> {
  const shard = realShardOf(channelId);
  const set = (owner: string | null, until: string | null) =>
    db.query('update shards set owner = $2, lease_until = $3 where shard = $1', [shard, owner, until]);
  await set(newId(), 'infinity');
  await delay(2 * HEARTBEAT_MS);
  return async () => {
    await db.query('delete from inbound where channel_id = $1', [channelId]);
    await set(null, null);
  };
}

/** A signed text, until it is stored and acknowledged. Whoever makes messages of it is another process. */
export async function whatsappFigure(world: World, effort: Effort): Promise<Comparison> {
  const number = await connectNumber(world, '1122334455667');
  const bare = await startBare('whatsapp', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_SECRET: APP_SECRET,
  });
  const takeBack = await leaveWorkOf(world, number.channelId);
  const side = (name: string, program: { pid: number; port: number }, stored: string): CountedSide => {
    const { prepare, ...posted } = posting(name, program, number);
    let expected = 0;
    return {
      ...posted,
      async prepare(count) {
        await world.db.query(`truncate ${stored}`);
        expected = count;
        await prepare(count);
      },
      async check() {
        const { rows } = await world.db.query(`select count(*)::int as count from ${stored}`);
        if (rows[0].count !== expected) throw new Error(`${rows[0].count} of ${expected} texts were stored.`);
      },
    };
  };
  const sides = [side('bare', bare, 'bare_whatsapp.inbound'), side('ours', world.server, 'inbound')];
  const results = await measureCounted(world, effort, sides, WARM_UP);
  await takeBack();
  await bare.stop();
  return {
    figure: 'WhatsApp text to acknowledged',
    bare: results.get('bare') ?? [],
    ours: results.get('ours') ?? [],
    goal: STORED_GOAL,
  };
}

/** A signed text, until its message can be read. */
export async function whatsappVisibleFigure(world: World, effort: Effort): Promise<Comparison> {
  const { db, tenantId } = world;
  const number = await connectNumber(world, '1122334455668');
  const bare = await startBare('whatsapp-visible', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_SECRET: APP_SECRET,
  });
  const side = (
    name: string,
    program: { pid: number; port: number },
    countMessages: string,
    isDone: () => Promise<boolean>,
  ): CountedSide => {
    const posted = posting(name, program, number);
    let expected = 0;
    const counting: CountedSide = {
      ...posted,
      run(count) {
        expected += count;
        return posted.run(count);
      },
      async check() {
        const { rows } = await db.query(countMessages);
        if (rows[0].count !== expected)
          throw new Error(`${rows[0].count} of ${expected} texts became messages.`);
        await eventsNumbered(world, tenantId);
      },
    };
    return untilDone(counting, isDone);
  };
  const sides = [
    side('bare', bare, 'select count(*)::int as count from bare_whatsapp.messages', isIdle(bare.port)),
    side(
      'ours',
      world.server,
      `select count(*)::int as count from messages where tenant_id = '${tenantId}' and channel_id = '${number.channelId}'`,
      isWorkedOff(world, 'inbound', number.channelId),
    ),
  ];
  const results = await measureCounted(world, effort, sides, WARM_UP);
  await bare.stop();
  return {
    figure: 'WhatsApp text to visible message',
    bare: results.get('bare') ?? [],
    ours: results.get('ours') ?? [],
    goal: VISIBLE_GOAL,
  };
}
