import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { inboundQueue } from '../../src/channels/queues.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { createSequencerState, publishLate, type Subscriber } from '../../src/engine/sequencer.ts';
import { processInbound } from '../../src/messages/inbound/worker.ts';
import { useDatabase } from '../kit/database.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { testHooks } from '../kit/tenant-hooks.ts';
import { workerDeps } from '../kit/worker-deps.ts';

const server = await useServer();
const woken: string[] = [];
const db = useDatabase(
  server.databaseUrl,
  { poolSize: 8 },
  { ...testHooks(server.clock), wake: (queue) => void woken.push(queue.name) },
);
const log = createLog({ level: 'silent', json: true, destination: { write: () => {} } });

const event = (note: string) => ({
  type: 'chat.created' as const,
  channelId: null,
  contactId: null,
  chatId: null,
  data: { note },
  facts: { at: new Date(0), note },
});
const notes = async ({ id }: Pick<TestTenant, 'id'>) =>
  (
    await db.query(
      `select data::json ->> 'note' as note, sequence from events where tenant_id = $1 order by sequence, position`,
      [id],
    )
  ).rows.map((row) => [row.note, row.sequence]);
const nothing: Subscriber = async () => ({ rows: 0, write: () => {} });

async function publish(tenant: TestTenant, names: string[], subscriber = nothing): Promise<boolean> {
  return db.forTenant(tenant.id).transaction(async (tx) => {
    const late = publishLate(tx, { subscribers: [subscriber], batchSizes: createSequencerState() });
    for (const name of names) late.tx.publish(event(name));
    await late.publish();
    return late.hasNumbers();
  });
}
/** A tenant with a counter: its first event was numbered. */
async function numberedTenant(): Promise<TestTenant> {
  const tenant = await server.tenant();
  await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(event('first')));
  await server.settle();
  expect(await notes(tenant)).toEqual([['first', 1]]);
  woken.length = 0;
  return tenant;
}

describe('a transaction that numbers its own events', () => {
  it('stores them with their numbers, tells subscribers what a sequencer would, and wakes no sequencer', async () => {
    const tenant = await numberedTenant();
    const seen: unknown[] = [];
    const see: Subscriber = async (tx, events) => {
      // They are stored already.
      const { rows } = await tx.query(
        'select id, facts, created_at from events where id = any ($1) order by sequence',
        [events.map(({ id }) => id)],
      );
      expect(events.map(({ id, facts, created_at }) => ({ id, facts, created_at }))).toEqual(rows);
      return { rows: 0, write: (sequences) => void seen.push(...events.map(({ id }) => sequences.get(id))) };
    };
    expect(await publish(tenant, ['a', 'b'], see)).toBe(true);
    expect(await publish(tenant, ['c'], see)).toBe(true);
    expect(await notes(tenant)).toEqual([
      ['first', 1],
      ['a', 2],
      ['b', 3],
      ['c', 4],
    ]);
    expect(seen).toEqual([2, 3, 4]);
    expect(woken).toEqual([]);
  });

  it('leaves them to the sequencer while an earlier event waits for its number', async () => {
    const tenant = await numberedTenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(event('earlier')));
    expect(await publish(tenant, ['later'])).toBe(false);
    expect(woken).toContain('events');
    await server.settle();
    expect(await notes(tenant)).toEqual([
      ['first', 1],
      ['earlier', 2],
      ['later', 3],
    ]);
  });

  it('I8: waits for nobody who has locked the counter', async () => {
    const tenant = await numberedTenant();
    const other = await usePgClient(server.databaseUrl);
    await other.query('begin');
    await other.query('select 1 from tenant_counters where tenant_id = $1 for no key update', [tenant.id]);
    expect(await publish(tenant, ['a'])).toBe(false);
    await other.query('rollback');
    await server.settle();
    expect(await notes(tenant)).toEqual([
      ['first', 1],
      ['a', 2],
    ]);
  });

  it('leaves many of them, and those of a tenant without a counter, to the sequencer', async () => {
    const fresh = await server.tenant();
    expect(await publish(fresh, ['a'])).toBe(false);
    const tenant = await numberedTenant();
    const names = Array.from({ length: 11 }, (_, index) => `event ${index}`);
    expect(await publish(tenant, names)).toBe(false);
    await server.settle();
    expect(await notes(fresh)).toEqual([['a', 1]]);
    expect(await notes(tenant)).toEqual([['first', 1], ...names.map((name, index) => [name, index + 2])]);
  });

  it('keeps the order of each writer and loses nothing beside a sequencer', async () => {
    const tenant = await numberedTenant();
    const WRITERS = 4;
    const EACH = 25;
    const read: string[] = [];
    let writing = true;
    const reader = (async () => {
      for (let last = 1; ; ) {
        const done = !writing;
        const { rows } = await db.query(
          `select sequence, data::json ->> 'note' as note from events
            where tenant_id = $1 and sequence > $2 order by sequence`,
          [tenant.id, last],
        );
        read.push(...rows.map((row) => row.note as string));
        last = (rows.at(-1)?.sequence as number | undefined) ?? last;
        if (done && rows.length === 0) return;
      }
    })();
    const settling = (async () => {
      while (writing) await server.settle();
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let at = 0; at < EACH; at += 1)
          if (at % 3 === 2)
            await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(event(`${writer}.${at}`)));
          else await publish(tenant, [`${writer}.${at}`]);
      }),
    );
    writing = false;
    await settling;
    await server.settle();
    await reader;
    const { rows } = await db.query(
      'select count(*)::int from events where tenant_id = $1 and sequence is null',
      [tenant.id],
    );
    expect(rows).toEqual([{ count: 0 }]);
    const all = (await notes(tenant)).map(([note]) => note as string).slice(1);
    expect(all.slice(0, read.length)).toEqual(read);
    for (let writer = 0; writer < WRITERS; writer += 1)
      expect(all.filter((note) => note.startsWith(`${writer}.`))).toEqual(
        Array.from({ length: EACH }, (_, at) => `${writer}.${at}`),
      );
  });
});

describe('an inbound request whose events are numbered with it', () => {
  async function receive(tenant: TestTenant, subscriber: Subscriber) {
    const channel = await tenant.channel();
    const body = await sandboxBody(channel, {
      id: 'vendor-1',
      from: '+15550001111',
      at: server.clock.now(),
      text: 'hello',
    });
    await storeInbound(db.forTenant(tenant.id), channel.id, [body]);
    const claim = claimsOf(db, inboundQueue, server.clock.real);
    const rows = await claim(realShardOf(channel.id), channel.id, 10, new Set());
    const deps = {
      ...workerDeps(server, db),
      subscribers: [subscriber],
      batchSizes: createSequencerState(),
      log,
    };
    return processInbound(deps, rows);
  }
  const received = async (tenant: TestTenant) =>
    (
      await db.query(
        `select type, sequence is not null as "hasNumber" from events
          where tenant_id = $1 and type = 'message.received'`,
        [tenant.id],
      )
    ).rows;

  it('has them when it is done', async () => {
    const tenant = await numberedTenant();
    expect(await receive(tenant, nothing)).toBe('ok');
    expect(await received(tenant)).toEqual([{ type: 'message.received', hasNumber: true }]);
  });

  it.each([
    ['fails', async () => Promise.reject(new Error('on purpose'))],
    ['writes too many rows', async () => ({ rows: 2_001, write: () => {} })],
  ] satisfies [
    string,
    Subscriber,
  ][])('is done once, and the sequencer repeats what %s', async (_, subscriber) => {
    const tenant = await numberedTenant();
    expect(await receive(tenant, subscriber)).toBe('ok');
    expect(await received(tenant)).toEqual([{ type: 'message.received', hasNumber: false }]);
    await server.settle();
    expect(await received(tenant)).toEqual([{ type: 'message.received', hasNumber: true }]);
    const { rows } = await db.query(
      'select (select count(*)::int from inbound where tenant_id = $1) as left, count(*)::int as stored from messages where tenant_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([{ left: 0, stored: 1 }]);
  });
});
