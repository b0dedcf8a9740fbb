import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import type { Database } from '../../src/db/database.ts';
import { publisher } from '../../src/engine/outbox.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { fileStore } from '../../src/files/store.ts';
import { processInbound } from '../../src/messages/inbound/worker.ts';
import { storeInbound } from '../kit/inbound.ts';
import { useServer } from '../kit/server.ts';
import { silentWakeUps } from '../kit/silent-wakeups.ts';
import { ADA, pigeonBody, pigeonChannel, pigeonHeaders, withPigeon, written } from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon, timers: true });
await server.system.app.server.listen({ host: '127.0.0.1', port: 0 });
const { port } = server.system.app.server.server.address() as AddressInfo;

/** The database, with everything noted that is asked of it within transactions. */
function noting(db: Database, noted: string[]): Database {
  const note = <S extends { name: string }>(asked: S): S => {
    noted.push(asked.name);
    return asked;
  };
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          ...tx,
          all: (asked, values) => tx.all(note(asked), values),
          find: (asked, values) => tx.find(note(asked), values),
          run: (asked, values) => tx.run(note(asked), values),
          write: (asked, values) => tx.write(note(asked), values),
        }),
      ),
  };
}

it('plain texts of people who are known take five statements, however many they are', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant);
  const at = server.clock.now();
  const people = Array.from({ length: 20 }, (_, person) => ({ ...ADA, value: `+155500050${10 + person}` }));
  const texts = (turn: number): Buffer[] =>
    people.map((contact) =>
      Buffer.from(pigeonBody(channel, [written(`${turn} ${contact.value}`, at, { contact })])),
    );
  const { db } = server.system;
  const noted: string[] = [];
  const { list, handle } = processInbound({
    db: noting(db, noted),
    clock: server.clock,
    keys: server.keys,
    wakeUps: silentWakeUps,
    publisher: publisher(server.clock, silentWakeUps),
    adapters: withPigeon,
    store: fileStore(server.filesFolder),
    baseUrl: () => '',
    log: createLog({ level: 'silent', json: true, destination: { write: () => {} } }),
  });
  for (const turn of [1, 2]) {
    noted.length = 0;
    // Stored for a time that has not come: only this test takes them.
    const ids = await storeInbound(db, tenant.id, channel.id, texts(turn));
    await db.query(`update inbound set due_at = 'infinity' where id = any ($1::uuid[])`, [ids]);
    const rows = await db.all(list.claim as NonNullable<typeof list.claim>, [
      realShardOf(channel.id),
      channel.id,
      'infinity' as never,
      200,
    ]);
    expect(await handle(rows)).toBe('ok');
  }
  expect(noted).toEqual([
    'chats.lock',
    'messages.claim_vendor_ids',
    'messages.store_inbound',
    'events.insert',
    'inbound.delete',
  ]);
});

const MESSAGES = 10_000;
const PER_REQUEST = 50;
const CONNECTIONS = 4;

it('ten thousand messages of one chat over four connections at once are all there, with the right count and latest', async () => {
  const tenant = await server.tenant();
  const channel = await pigeonChannel(tenant);
  const start = server.clock.now().getTime();
  // In no order of time, and each with another: the latest is somewhere in the middle.
  const secondOf = (number: number): number => (number * 7919) % MESSAGES;
  const bodies = Array.from({ length: MESSAGES / PER_REQUEST }, (_, batch) =>
    pigeonBody(
      channel,
      Array.from({ length: PER_REQUEST }, (_, at) => {
        const number = batch * PER_REQUEST + at;
        return written(`m${number}`, new Date(start + secondOf(number) * 1000));
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
