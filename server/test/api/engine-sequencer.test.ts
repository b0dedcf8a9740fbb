import { describe, expect, it } from 'vitest';
import { startRuns } from '../../src/automations/triggers/events.ts';
import { noteRepliedRuns } from '../../src/automations/triggers/replies.ts';
import { newId } from '../../src/base/ids.ts';
import type { TenantHooks } from '../../src/db/tenant.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { eventsQueue, type PublishedEvent } from '../../src/engine/outbox.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { createSequencerState, type Subscriber, sequenceEvents } from '../../src/engine/sequencer.ts';
import { createDeliveries } from '../../src/webhooks/match.ts';
import { automationOf, personOf } from '../kit/automations.ts';
import { useDatabase } from '../kit/database.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';
import { testHooks } from '../kit/tenant-hooks.ts';

const server = await useServer();
const woken: string[] = [];
const wake: TenantHooks['wake'] = (queue, orderingKey, tenantId) =>
  void woken.push(`${queue.name}:${queue.shardOf(orderingKey, tenantId)}:${orderingKey}`);
const hooks = { ...testHooks(server.clock), wake };
const db = useDatabase(server.databaseUrl, { poolSize: 8 }, hooks);
const event = (note: string) => ({
  type: 'chat.created' as const,
  channelId: null,
  contactId: null,
  chatId: null,
  data: { note },
});
const notes = async (tenantId: string) =>
  (
    await db.query(
      `select sequence, position, data::json ->> 'note' as note from events
        where tenant_id = $1 order by sequence, position`,
      [tenantId],
    )
  ).rows as { sequence: number | null; position: number; note: string }[];

const seen: PublishedEvent[] = [];
/** Sees every event that is numbered. Nothing follows from them. */
const see: Subscriber = async (_tx, events) => ({
  rows: 0,
  write: (sequences) => void seen.push(...events.filter(({ id }) => sequences.has(id))),
});
const handle = (rows: PublishedEvent[], subscriber = see) =>
  sequenceEvents({ db, subscribers: [subscriber], batchSizes: createSequencerState() }, rows);
const claim = (tenantId: string, limit = 500): Promise<PublishedEvent[]> =>
  claimsOf(db, eventsQueue, server.clock.real)(realShardOf(tenantId), tenantId, limit, new Set());

/** Numbers everything with one memory of sizes, as a process does. */
async function numberAll(tenantId: string, subscriber: Subscriber): Promise<void> {
  const batchSizes = createSequencerState();
  for (;;) {
    const rows = await claim(tenantId);
    if (rows.length === 0) return;
    await sequenceEvents({ db, subscribers: [subscriber], batchSizes }, rows);
  }
}

describe('publishing', () => {
  it('wakes the sequencer after the commit, and neither stores an event nor wakes it after a rollback', async () => {
    const tenant = await server.tenant();
    woken.length = 0;
    await db.forTenant(tenant.id).transaction(async (tx) => {
      tx.publish(event('kept'));
      expect(woken).toEqual([]);
    });
    expect(woken).toEqual([`events:${realShardOf(tenant.id)}:${tenant.id}`]);
    const failing = db.forTenant(tenant.id).transaction(async (tx) => {
      tx.publish(event('lost'));
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(woken).toHaveLength(1);
    await server.settle();
    expect((await notes(tenant.id)).map(({ sequence, note }) => [sequence, note])).toEqual([[1, 'kept']]);
  });
});

describe('the sequencer', () => {
  it('numbers the events of a tenant from 1 without a gap, in the order of their positions', async () => {
    const tenant = await server.tenant();
    const names = Array.from({ length: 1203 }, (_, at) => `event ${at}`);
    for (let at = 0; at < names.length; at += 401)
      await db
        .forTenant(tenant.id)
        .transaction(async (tx) => tx.publish(...names.slice(at, at + 401).map(event)));
    await server.settle();
    const rows = await notes(tenant.id);
    expect(rows.map((row) => row.note)).toEqual(names);
    expect(rows.map((row) => row.sequence)).toEqual(names.map((_, at) => at + 1));
    const positions = rows.map((row) => row.position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('numbers no event twice when two of them have the same events in hand', async () => {
    const tenant = await server.tenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(...['a', 'b', 'c', 'd'].map(event)));
    seen.length = 0;
    const rows = await claim(tenant.id);
    await Promise.all([handle(rows.slice(0, 3)), handle(rows.slice(1)), handle(rows)]);
    const sequences = (await notes(tenant.id)).map((row) => row.sequence);
    expect(new Set(sequences).size).toBe(4);
    expect(sequences).not.toContain(null);
    // What follows from an event follows once.
    expect(seen.map((one) => one.id).toSorted()).toEqual(rows.map((row) => row.id).toSorted());
  });

  it('stores no numbers when a subscriber fails', async () => {
    const tenant = await server.tenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(event('a')));
    const failing = handle(await claim(tenant.id), () => Promise.reject(new Error('on purpose')));
    await expect(failing).rejects.toThrow('on purpose');
    await server.settle();
    expect((await notes(tenant.id)).map((row) => row.sequence)).toEqual([1]);
  });

  it('lets a reader who asks for what came after the last miss nothing, with four writers and two sequencers', async () => {
    const tenant = await server.tenant();
    const WRITERS = 4;
    const EACH = 30;
    let writing = true;
    let sequenced = false;
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let at = 0; at < EACH; at += 1)
        await db
          .forTenant(tenant.id)
          .transaction(async (tx) => {
            tx.publish(event(`${writer}.${at}`), event(`${writer}.${at}+`));
            if (at % 5 === 4) throw new Error('on purpose');
          })
          .catch((error) => expect(String(error)).toContain('on purpose'));
    });
    const sequencers = Array.from({ length: 2 }, async (_, which) => {
      for (;;) {
        const done = !writing;
        const rows = await claim(tenant.id, 3 + which * 4);
        if (rows.length > 0) await handle(rows);
        else if (done) return;
      }
    });
    const read: string[] = [];
    const reader = (async () => {
      let last = 0;
      for (;;) {
        const done = sequenced;
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
    await Promise.all(writers);
    writing = false;
    await Promise.all(sequencers);
    sequenced = true;
    await reader;
    const kept = Array.from({ length: WRITERS }, (_, writer) =>
      Array.from({ length: EACH }, (_unused, at) =>
        at % 5 === 4 ? [] : [`${writer}.${at}`, `${writer}.${at}+`],
      ),
    ).flat(2);
    expect(read.toSorted()).toEqual(kept.toSorted());
    // Each writer wrote one after the other, so its events keep that order.
    for (let writer = 0; writer < WRITERS; writer += 1)
      expect(read.filter((note) => note.startsWith(`${writer}.`))).toEqual(
        kept.filter((note) => note.startsWith(`${writer}.`)),
      );
  });
});

describe('I7: numbering always makes progress', () => {
  const names = Array.from({ length: 40 }, (_, at) => `event ${at}`);

  it('I7: writes at most 2,000 rows in one transaction, and still numbers every event in order', async () => {
    const tenant = await server.tenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(...names.map(event)));
    const written: number[] = [];
    await numberAll(tenant.id, async (_tx, events) => {
      const rows = events.length * 700;
      return { rows, write: () => void written.push(rows) };
    });
    expect(Math.max(...written)).toBeLessThanOrEqual(2_000);
    expect(written.reduce((sum, rows) => sum + rows, 0)).toBe(names.length * 700);
    const rows = await notes(tenant.id);
    expect(rows.map((row) => row.note)).toEqual(names);
    expect(rows.map((row) => row.sequence)).toEqual(names.map((_, at) => at + 1));
  });

  it('I7: numbers an event alone that more than 2,000 rows follow from', async () => {
    const tenant = await server.tenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(event('a'), event('b')));
    await numberAll(tenant.id, async (_tx, events) => ({ rows: events.length * 5_000, write: () => {} }));
    expect((await notes(tenant.id)).map((row) => row.sequence)).toEqual([1, 2]);
  });

  it('I7: halves what takes too long until it fits', async () => {
    const tenant = await server.tenant();
    await db.forTenant(tenant.id).transaction(async (tx) => tx.publish(...names.map(event)));
    const sizes: number[] = [];
    await numberAll(tenant.id, async (tx, events) => {
      sizes.push(events.length);
      if (events.length > 5) {
        await tx.query('set local statement_timeout = 10', []);
        await tx.query('select pg_sleep(30)', []);
      }
      // As many as fit, so that nobody tries more.
      return { rows: 1_500, write: () => {} };
    });
    expect(sizes.slice(0, 4)).toEqual([40, 20, 10, 5]);
    expect((await notes(tenant.id)).map((row) => row.sequence)).toEqual(names.map((_, at) => at + 1));
  });

  it('I7: waits for no contact, chat or run that another transaction has locked', async () => {
    const tenant = await server.tenant();
    await automationOf(tenant, {
      trigger: { type: 'message_received' },
      steps: [
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
        { id: 'end', type: 'end' },
      ],
    });
    const { contactId, chatId } = await personOf(server, tenant);
    const { rows: waiting } = await db.query(`select id from automation_runs where tenant_id = $1`, [
      tenant.id,
    ]);
    expect(waiting).toHaveLength(1);
    const other = await usePgClient(server.databaseUrl);
    await other.query('begin');
    for (const table of ['contacts', 'chats', 'automation_runs', 'automation_versions'])
      await other.query(`select 1 from ${table} where tenant_id = $1 for update`, [tenant.id]);
    await db
      .forTenant(tenant.id)
      .transaction(async (tx) =>
        tx.publish({ ...event('reply'), type: 'message.received', contactId, chatId, data: { id: newId() } }),
      );
    const numbering = sequenceEvents(
      {
        db,
        subscribers: [createDeliveries, startRuns, noteRepliedRuns],
        batchSizes: createSequencerState(),
      },
      await claim(tenant.id),
    );
    expect(await numbering).toBe('ok');
    await other.query('rollback');
    const { rows } = await db.query('select run_id from run_replies where tenant_id = $1', [tenant.id]);
    expect(rows.map((row) => row.run_id)).toEqual(waiting.map((row) => row.id));
    await server.settle();
    expect((await db.query('select 1 from run_replies', [])).rows).toEqual([]);
  });
});

it('X20: events that a deleted tenant left are deleted, and nothing fails', async () => {
  const tenantId = newId();
  const other = await server.tenant();
  await db.forTenant(tenantId).transaction(async (tx) => tx.publish(...['a', 'b'].map(event)));
  await db.forTenant(other.id).transaction(async (tx) => tx.publish(event('kept')));
  const failures = () => server.system.worker?.failures().reduce((sum, one) => sum + one.failures, 0);
  const before = failures();
  await server.settle();
  expect(await notes(tenantId)).toEqual([]);
  expect((await notes(other.id)).map((row) => row.sequence)).toEqual([1]);
  expect(failures()).toBe(before);
});
