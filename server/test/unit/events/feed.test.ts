import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventRow } from '../../../src/events/event.ts';
import { createFeed, type Feed } from '../../../src/events/feed.ts';
import { createEventStream, type EventStream } from '../../../src/events/stream.ts';

const TENANT = '019a82a0-0000-7000-8000-000000000001';

/** The events of a tenant as the database returns them, and a feed of them. */
function tenantWith(start = 0) {
  const rows: EventRow[] = [];
  const streams = new Set<EventStream>();
  let newest = start;
  let reads = 0;
  const add = (count: number, bytes = 10, type = 'chat.read'): void => {
    for (let made = 0; made < count; made += 1)
      rows.push({
        id: TENANT,
        tenant_id: TENANT,
        type,
        channel_id: null,
        sequence: ++newest,
        created_at: new Date(0),
        data: JSON.stringify({ text: 'x'.repeat(bytes) }),
      });
  };
  const feed: Feed = createFeed({
    epoch: 0,
    from: start,
    read: async (last, limit) => {
      reads += 1;
      const found = rows.filter((row) => row.sequence > last).slice(0, limit);
      await turn();
      return found;
    },
    wake: () => {
      for (const stream of streams) void stream.pump();
    },
  });
  return {
    feed,
    add,
    /** Leaves out numbers, as a failed transaction does. */
    skip: (count: number) => {
      newest += count;
    },
    advance: () => feed.advance(newest),
    newest: () => newest,
    reads: () => reads,
    open: (last = newest, filter = (_: { type: string }) => true): EventStream => {
      const stream = createEventStream({
        epoch: 0,
        feed,
        filter,
        last,
        onClose: () => streams.delete(stream),
      });
      streams.add(stream);
      return stream;
    },
  };
}

/** The ids of the events in a stream's text. */
const idsIn = (text: string): number[] =>
  [...text.matchAll(/id: (\d+)\nevent: /g)].map(([, id]) => Number(id));

/** Reads a stream until it is empty. */
async function drain(stream: EventStream): Promise<string> {
  let text = '';
  for (let empty = 0; empty < 20; ) {
    const chunk = stream.readable.read() as Buffer | null;
    if (chunk) text += chunk;
    empty = chunk ? 0 : empty + 1;
    await turn();
  }
  return text;
}

describe('a feed', () => {
  it('reads new events once for all streams', async () => {
    const tenant = tenantWith();
    const streams = Array.from({ length: 20 }, () => tenant.open());
    const texts = streams.map(() => '');
    for (const [index, stream] of streams.entries())
      stream.readable.on('data', (chunk) => {
        texts[index] += chunk;
      });
    tenant.add(1_000);
    await tenant.advance();
    await expect.poll(() => texts.map((text) => idsIn(text).length)).toEqual(texts.map(() => 1_000));
    expect(tenant.reads()).toBe(6);
    expect(idsIn(texts[7] as string)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
  });

  it('keeps few events for a client that does not read, and reads the rest from the database later', async () => {
    const tenant = tenantWith();
    const stalled = tenant.open();
    for (let round = 0; round < 10; round += 1) {
      tenant.add(500, 2_000);
      await tenant.advance();
    }
    const before = tenant.reads();
    expect(stalled.readable.readableLength).toBeLessThan(2 * 64 * 1024);
    expect(idsIn(await drain(stalled))).toEqual(Array.from({ length: 5_000 }, (_, index) => index + 1));
    expect(tenant.reads()).toBeGreaterThan(before);
  });

  it('drops an event after the second check, so that erased data does not stay in memory', async () => {
    const tenant = tenantWith();
    tenant.add(3);
    await tenant.advance();
    tenant.feed.dropOld();
    expect(tenant.feed.after(0)?.events).toHaveLength(3);
    tenant.add(2);
    await tenant.advance();
    tenant.feed.dropOld();
    expect([tenant.feed.after(0), tenant.feed.after(3)?.events.length]).toEqual([undefined, 2]);
    expect(idsIn(await drain(tenant.open(0)))).toEqual([1, 2, 3, 4, 5]);
  });

  it('does not read repeatedly for numbers that are not used', async () => {
    const tenant = tenantWith(10);
    const late = tenant.open(4);
    tenant.skip(5);
    await tenant.advance();
    expect(tenant.feed.upTo).toBe(15);
    await drain(late);
    const before = tenant.reads();
    for (let round = 0; round < 5; round += 1) await late.pump();
    expect(tenant.reads()).toBe(before);
  });

  it('sends its position in heartbeats, also if the filter lets no event through', async () => {
    const tenant = tenantWith();
    const stream = tenant.open(0, ({ type }) => type === 'chat.created');
    tenant.add(300);
    await tenant.advance();
    expect(await drain(stream)).toBe('retry: 1000\nid: 0\n\n');
    stream.sendHeartbeat(0);
    expect(await drain(stream)).toBe(': alive\nid: 300\n\n');
    stream.sendHeartbeat(60_000);
    expect(await drain(stream)).toBe('');
  });

  it('sends every stream each of its events once and in order, in any sequence of steps', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 450 }) }),
      fc.record({ do: fc.constant('skip' as const), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ do: fc.constant('advance' as const) }),
      fc.record({ do: fc.constant('drop' as const) }),
      fc.record({ do: fc.constant('open' as const), back: fc.integer({ min: 0, max: 2_000 }) }),
      fc.record({ do: fc.constant('read' as const), which: fc.nat(), times: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constant('beat' as const), which: fc.nat() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const tenant = tenantWith();
        const used: number[] = [];
        const clients: { stream: EventStream; last: number; text: string }[] = [];
        for (const one of steps) {
          if (one.do === 'add') {
            for (let made = 1; made <= one.count; made += 1) used.push(tenant.newest() + made);
            tenant.add(one.count, 400);
          } else if (one.do === 'skip') tenant.skip(one.count);
          else if (one.do === 'advance') void tenant.advance();
          else if (one.do === 'drop') tenant.feed.dropOld();
          else if (one.do === 'open') {
            const last = Math.max(0, tenant.newest() - one.back);
            clients.push({ stream: tenant.open(last), last, text: '' });
          } else {
            const client = clients[one.which % Math.max(1, clients.length)];
            if (one.do === 'beat') client?.stream.sendHeartbeat(0);
            else
              for (let time = 0; client && time < one.times; time += 1)
                client.text += (client.stream.readable.read() as Buffer | null) ?? '';
          }
          await turn();
        }
        await tenant.advance();
        for (const client of clients) {
          client.text += await drain(client.stream);
          expect(idsIn(client.text)).toEqual(used.filter((number) => number > client.last));
        }
      }),
      { numRuns: 60 },
    );
  });
});
