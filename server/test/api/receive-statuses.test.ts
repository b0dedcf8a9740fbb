import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { InboundStatus, VendorStatus } from '../../src/providers/inbound-event.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import {
  ADA,
  echoed,
  type PigeonChannel,
  pigeonChannel,
  postEvents,
  storeSending,
  withPigeon,
  written,
} from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

let tenant: TestTenant;
let channel: PigeonChannel;
let newEvents: ReturnType<typeof listener>;
let chat: { id: string; channelId: string; contactId: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
  await postEvents(server, channel, written('hello', at(0)));
  await server.settle();
  [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
  newEvents = listener(server, tenant);
  await newEvents();
});

const status = (
  vendorId: string,
  reported: VendorStatus,
  more: Partial<InboundStatus> = {},
): InboundStatus => ({
  kind: 'status',
  vendorId,
  status: reported,
  occurredAt: at(1),
  ...more,
});
const message = async (id: string) => (await tenant.get(`/v3/messages/${id}`)).body.data;
const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);

describe('statuses', () => {
  it('in any order, split into requests in any way, never move a message back, and publish each step once (R11)', async () => {
    const statuses = fc.array(fc.constantFrom<VendorStatus>('sent', 'delivered', 'read', 'failed'), {
      minLength: 1,
      maxLength: 8,
    });
    const plan = fc.record({ statuses, cut: fc.nat(8), isEarly: fc.boolean() });
    const far = ['queued', 'sent', 'failed', 'delivered', 'read'];
    const isFurther = (one: string, than: string): boolean => far.indexOf(one) > far.indexOf(than);
    const error = { code: '1', message: 'lost' };
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 40 }), async (plans) => {
        runs += 1;
        const all = plans.map(({ statuses, cut, isEarly }, number) => {
          const vendorId = `${runs}.${number}`;
          const events = statuses.map((one) => status(vendorId, one, one === 'failed' ? { error } : {}));
          const echo = echoed(vendorId, at(number));
          const first = [...(isEarly ? [] : [echo]), ...events.slice(0, cut)];
          // The model: the furthest status counts, and one that is not further has no event.
          // Statuses before the message count together with it, once.
          const early = statuses
            .slice(0, cut)
            .reduce((a, b) => (isFurther(b, a) ? b : a), 'sent' as VendorStatus);
          const steps = ['sent'];
          for (const one of isEarly ? [early, ...statuses.slice(cut)] : statuses)
            if (isFurther(one, steps.at(-1) as string)) steps.push(one);
          return { vendorId, first, second: [...events.slice(cut), echo], steps };
        });
        await postEvents(server, channel, ...all.flatMap(({ first }) => first));
        await server.settle();
        await postEvents(server, channel, ...all.flatMap(({ second }) => second));
        await server.settle();

        const published = await newEvents();
        const { rows } = await db.query(
          'select vendor_id, status, error from messages where tenant_id = $1',
          [tenant.id],
        );
        for (const { vendorId, steps } of all) {
          const types = published.filter(({ data }) => data.vendorId === vendorId).map(({ type }) => type);
          expect(types).toEqual(['message.echo', ...steps.slice(1).map((one) => `message.${one}`)]);
          const last = steps.at(-1);
          const shown = { vendor_id: vendorId, status: last, error: last === 'failed' ? error : null };
          expect(rows).toContainEqual(shown);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('of a message that the vendor has accepted advance it, each with an event of that moment', async () => {
    const id = await storeSending(server, tenant, chat, { vendorId: 'out', status: 'sent' });
    await postEvents(
      server,
      channel,
      status('out', 'delivered'),
      status('out', 'read'),
      status('out', 'read'),
    );
    await postEvents(server, channel, status('out', 'delivered'));
    await server.settle();
    const events = await newEvents();
    expect(events).toMatchObject([
      { type: 'message.delivered', data: { id, status: 'delivered' } },
      { type: 'message.read', data: { id, status: 'read' } },
    ]);
    expect(await message(id)).toEqual(events[1]?.data);
  });

  it('of failures store the reason, or a default without one', async () => {
    const error = { code: '131026', message: 'Not on WhatsApp' };
    const ids = await Promise.all(
      ['a', 'b'].map((vendorId) => storeSending(server, tenant, chat, { vendorId, status: 'sent' })),
    );
    await postEvents(server, channel, status('a', 'failed', { error }), status('b', 'failed'));
    await server.settle();
    expect(await message(ids[0] as string)).toMatchObject({ status: 'failed', error });
    expect((await message(ids[1] as string)).error).toMatchObject({ code: 'failed' });
    // A delivered message cannot fail.
    await postEvents(server, channel, status('a', 'sent'), status('a', 'delivered'));
    await server.settle();
    expect(await message(ids[0] as string)).toMatchObject({ status: 'delivered', error: null });
  });

  it('of a message of another channel or of an unknown one change nothing', async () => {
    const id = await storeSending(server, tenant, chat, { vendorId: 'out', status: 'sent' });
    const other = await pigeonChannel(tenant);
    await postEvents(
      server,
      other,
      status('out', 'read'),
      status('hello', 'read'),
      status('x', 'read', { messageId: id }),
    );
    await postEvents(server, channel, status('hello', 'failed'), status('never seen', 'read'));
    await server.settle();
    expect(await message(id)).toMatchObject({ status: 'sent', vendorId: 'out' });
    expect(await newEvents()).toEqual([]);
  });

  it('of a message whose chat is deleted change nothing', async () => {
    await storeSending(server, tenant, chat, { vendorId: 'out', status: 'sent' });
    await tenant.delete(`/v3/chats/${chat.id}`);
    await newEvents();
    await postEvents(server, channel, status('out', 'read'));
    await server.settle();
    expect(await newEvents()).toEqual([]);
    const { rows } = await db.query('select count(*)::int as n from inbound where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([{ n: 0 }]);
  });
});

describe('a status with our own id', () => {
  const sending = { sendingAt: at(0), dueAt: at(600) };
  const rowOf = async (id: string) =>
    (await db.query('select sending_at, due_at, vendor_id, status from messages where id = $1', [id]))
      .rows[0];

  it('resolves a send whose answer was lost, and the vendor’s id is known from then on', async () => {
    const id = await storeSending(server, tenant, chat, sending);
    await postEvents(server, channel, status('lost', 'sent', { messageId: id.toUpperCase() }));
    await server.settle();
    expect(await rowOf(id)).toEqual({ sending_at: null, due_at: null, vendor_id: 'lost', status: 'sent' });
    await postEvents(server, channel, status('lost', 'read'), echoed('lost', at(2), { text: 'hello' }));
    await server.settle();
    expect(typesOf(await newEvents())).toEqual(['message.sent', 'message.read']);
    expect(await message(id)).toMatchObject({ status: 'read', vendorId: 'lost' });
  });

  it('publishes sent before read', async () => {
    const id = await storeSending(server, tenant, chat, sending);
    await postEvents(server, channel, status('lost', 'read', { messageId: id }));
    await server.settle();
    expect(await newEvents()).toMatchObject([
      { type: 'message.sent', data: { status: 'sent', vendorId: 'lost' } },
      { type: 'message.read', data: { status: 'read' } },
    ]);
  });

  it('publishes only failed for a failure', async () => {
    const id = await storeSending(server, tenant, chat, sending);
    const error = { code: '1', message: 'lost' };
    await postEvents(server, channel, status('lost', 'failed', { messageId: id, error }));
    await server.settle();
    expect(typesOf(await newEvents())).toEqual(['message.failed']);
    expect(await rowOf(id)).toMatchObject({ due_at: null, status: 'failed' });
  });

  it('is ignored if the id is not of a message sent over this channel', async () => {
    const [received] = (await tenant.post('/v3/messages/search', {})).body.data;
    for (const messageId of ['x', '', chat.id, received.id])
      await postEvents(server, channel, status(`about ${messageId}`, 'read', { messageId }));
    await server.settle();
    expect(await newEvents()).toEqual([]);
    expect(await message(received.id)).toEqual(received);
  });
});

describe('a read receipt', () => {
  it('sets all messages up to its time to read, each with one event', async () => {
    const ids: string[] = [];
    for (const [number, state] of ['sent', 'delivered', 'failed', 'queued', 'sent'].entries()) {
      server.clock.advance(1000);
      ids.push(await storeSending(server, tenant, chat, { vendorId: `m${number}`, status: state }));
    }
    const until = at(-1);
    const mark = { kind: 'read_receipt' as const, contact: ADA, until, occurredAt: until };
    await postEvents(server, channel, mark, { ...mark, until: at(-3) }, mark);
    await postEvents(server, channel, mark);
    await postEvents(server, channel, { ...mark, contact: { ...ADA, value: '+15550009876' }, until: at(99) });
    await server.settle();
    const shown = await Promise.all(ids.map(message));
    expect(shown.map((one) => one.status)).toEqual(['read', 'read', 'failed', 'queued', 'sent']);
    expect((await newEvents()).map(({ type, data }) => [type, data.id])).toEqual([
      ['message.read', ids[0]],
      ['message.read', ids[1]],
    ]);
  });
});
