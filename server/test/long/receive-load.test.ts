import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { inboundQueue } from '../../src/channels/queues.ts';
import type { Database } from '../../src/db/database.ts';
import type { TenantTx } from '../../src/db/tenant.ts';
import { publishEvents } from '../../src/engine/outbox.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { createSequencerState } from '../../src/engine/sequencer.ts';
import { fileStore } from '../../src/files/store.ts';
import { processInbound } from '../../src/messages/inbound/worker.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { useDatabase } from '../kit/database.ts';
import { storeInbound } from '../kit/inbound.ts';
import { useServer } from '../kit/server.ts';
import { silentWakeUps } from '../kit/silent-wakeups.ts';
import { useTaskPool } from '../kit/task-pool.ts';
import { testHooks } from '../kit/tenant-hooks.ts';
import { ADA, pigeonBody, pigeonChannel, pigeonHeaders, withPigeon, written } from '../kit/vendor.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer({ adapters: withPigeon, timers: true });
const port = await listen(server.system.app.server);

/** A database that records the names of the statements in transactions. */
function recordingDatabase(names: string[]): Database {
  const record = <S extends { name: string }>(statement: S): S => {
    names.push(statement.name);
    return statement;
  };
  const recording = <T extends Pick<TenantTx, 'enqueue'>>(tx: T): T => ({
    ...tx,
    enqueue: (statement, values) => tx.enqueue(record(statement), values),
  });
  const publish = publishEvents;
  const db = useDatabase(
    server.databaseUrl,
    { poolSize: 1 },
    { ...testHooks(server.clock), publish: (tx, events) => publish(recording(tx), events) },
  );
  return {
    ...db,
    forTenant: (tenantId) => {
      const tenant = db.forTenant(tenantId);
      return {
        ...tenant,
        transaction: (work) =>
          tenant.transaction((tx) =>
            work({
              ...recording(tx),
              all: (statement, values) => tx.all(record(statement), values),
              find: (statement, values) => tx.find(record(statement), values),
              run: (statement, values) => tx.run(record(statement), values),
            }),
          ),
      };
    },
  };
}

it('plain texts of known contacts take four statements, however many they are', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant);
  const writtenAt = server.clock.now();
  const contacts = Array.from({ length: 20 }, (_, index) => ({ ...ADA, value: `+155500050${10 + index}` }));
  const texts = (turn: number): Buffer[] =>
    contacts.map((contact) =>
      Buffer.from(pigeonBody(channel, [written(`${turn} ${contact.value}`, writtenAt, { contact })])),
    );
  const { db } = server.system;
  const names: string[] = [];
  const recordingDb = recordingDatabase(names);
  const deps = {
    db: recordingDb,
    clock: server.clock,
    keys: server.keys,
    wakeUps: silentWakeUps,
    adapters: withPigeon,
    store: fileStore(server.filesFolder),
    baseUrl: () => '',
    policy: { allow: parseAllowList(''), loopback: true },
    tasks: useTaskPool(),
    countIgnored: () => {},
    countFailed: () => {},
    subscribers: [],
    batchSizes: createSequencerState(),
    log: createLog({ level: 'silent', json: true, destination: { write: () => {} } }),
  };
  for (const turn of [1, 2]) {
    names.length = 0;
    // Where messages come within the time that a slow machine takes for the statements, the last ids are asked for.
    server.clock.advance(60_000);
    // Never due, so that only this test processes them.
    await storeInbound(db.forTenant(tenant.id), channel.id, texts(turn), 'infinity');
    const rows = await db.all(inboundQueue.claim as NonNullable<typeof inboundQueue.claim>, [
      realShardOf(channel.id),
      channel.id,
      'infinity' as never,
      200,
    ]);
    expect(await processInbound(deps, rows)).toBe('ok');
  }
  expect(names).toEqual([
    'chats.lock_and_claim',
    'messages.store_inbound',
    'events.insert',
    'inbound.delete',
  ]);
});

const MESSAGES = 10_000;
const PER_REQUEST = 50;
const CONNECTIONS = 4;

it('ten thousand messages of one chat over four connections at once are all stored, with the right count and latest', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant);
  const end = server.clock.now().getTime();
  // Shuffled, each with a different time: the latest is somewhere in the middle.
  const secondOf = (number: number): number => (number * 7919) % MESSAGES;
  const bodies = Array.from({ length: MESSAGES / PER_REQUEST }, (_, batch) =>
    pigeonBody(
      channel,
      Array.from({ length: PER_REQUEST }, (_, at) => {
        const number = batch * PER_REQUEST + at;
        return written(`m${number}`, new Date(end - (MESSAGES - secondOf(number)) * 1000));
      }),
    ),
  );
  const agents = Array.from({ length: CONNECTIONS }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const post = (body: string, agent: Agent): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: `/providers/pigeon/${channel.id}`,
          headers: pigeonHeaders(body, channel.secret),
        },
        (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
      );
      sent.on('error', reject).end(body);
    });
  const statuses = await Promise.all(bodies.map((body, at) => post(body, agents[at % CONNECTIONS] as Agent)));
  for (const agent of agents) agent.destroy();
  expect(new Set(statuses)).toEqual(new Set([200]));
  await server.settle();

  const { rows } = await server.system.db.query(
    `select count(*)::int as n, count(distinct vendor_id)::int as ids, count(distinct chat_id)::int as chats,
            (select count(*)::int from events where tenant_id = $1 and type = 'message.received') as events,
            (select count(*)::int from inbound where tenant_id = $1) as waiting
       from messages where tenant_id = $1`,
    [tenant.id],
  );
  expect(rows).toEqual([{ n: MESSAGES, ids: MESSAGES, chats: 1, events: MESSAGES, waiting: 0 }]);
  const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
  const latest = Array.from({ length: MESSAGES }, (_, number) => number).find(
    (number) => secondOf(number) === MESSAGES - 1,
  );
  expect(chat).toMatchObject({ unreadCount: MESSAGES, latestMessage: { vendorId: `m${latest}` } });
}, 60_000);
