import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { HEARTBEAT_MS } from '../../src/engine/shards.ts';
import { createSendRecorder } from '../../src/messages/outbound/record.ts';
import type { SendOutcome } from '../../src/messages/outbound/retry-policy.ts';
import { statusRank } from '../../src/messages/status.ts';
import type { SendResult } from '../../src/providers/outgoing-message.ts';
import { sandbox } from '../../src/providers/sandbox/sandbox.ts';
import { adaptersWith, messageOf, outboxOf, send, type TestChat, testVendor } from '../kit/sending.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';

/** The sandbox, but it can hang before or after it has accepted a message. A send that hangs is never answered. */
let stopAt: 'before' | 'after' | undefined;
let stopped = (): void => {};
const reached = (): Promise<void> =>
  new Promise((resolve) => {
    stopped = resolve;
  });
const hang = (): Promise<SendResult> => {
  stopped();
  return new Promise(() => {});
};
const halting = testVendor({
  ...sandbox,
  async send(message, channel, context) {
    if (stopAt === 'before') return hang();
    const result = await sandbox.send(message, channel, context);
    return stopAt === 'after' ? hang() : result;
  },
});
const mute = testVendor();

const first = await useServer({
  adapters: new Map([...adaptersWith(mute), ['sandbox', { ...halting, provider: 'sandbox' }]]),
});
const { clock, databaseUrl } = first;
const { db } = first.system;
const MINUTE = 60_000;

/** Another process on the same database that has taken over all shards. */
const successor = (isSoleProcess = true): Promise<TestServer> =>
  useServer({
    connection: { connectionString: databaseUrl },
    clock,
    isSoleProcess,
    adapters: new Map([...adaptersWith(mute), ['sandbox', { ...halting, provider: 'sandbox' }]]),
    filesFolder: first.filesFolder,
  });

let tenant: TestTenant;
let chat: TestChat;
async function openOn(provider: string): Promise<void> {
  const channel = await tenant.post('/v3/channels', {
    kind: 'sms',
    provider,
    name: 'Test',
    address: '+15550009999',
  });
  const contact = await tenant.post('/v3/contacts', { phoneNumber: '+12025550123' });
  const channelId = channel.body.data.id;
  const contactId = contact.body.data.id;
  const made = await tenant.post('/v3/chats', { contactId, channelId });
  chat = { id: made.body.data.id, channelId, contactId };
}
beforeEach(async () => {
  tenant = await first.tenant();
  stopAt = undefined;
  mute.forget();
});

/** Sends two messages with a process that hangs at the first one, and returns them with a function that kills it. */
async function crashAt(point: typeof stopAt): Promise<{ ids: string[]; victim: TestServer }> {
  const victim = await successor();
  stopAt = point;
  const at = reached();
  const ids = [];
  for (const text of ['first', 'second']) ids.push((await send(tenant, chat, { text })).id as string);
  void victim.settle();
  await at;
  // Its connections are closed, so that it can change nothing more.
  await victim.stop(0);
  stopAt = undefined;
  return { ids, victim };
}
const accepted = async (): Promise<string[]> =>
  (await outboxOf(tenant, { id: chat.channelId })).map(({ messageId }: { messageId: string }) => messageId);
const statuses = (ids: string[]): Promise<string[]> =>
  Promise.all(ids.map(async (id) => (await messageOf(tenant, id)).status));

// Each of these tests starts complete servers.
describe('a process that dies while it sends', { timeout: 60_000 }, () => {
  it('before the vendor has the message: the next process asks, and sends it once and in order', async () => {
    await openOn('sandbox');
    const { ids } = await crashAt('before');
    expect(await accepted()).toEqual([]);
    const next = await successor();
    await next.settle();
    expect(await accepted()).toEqual(ids);
    expect(await statuses(ids)).toEqual(['sent', 'sent']);
  });

  it('after the vendor has the message: the next process asks, and does not send it again', async () => {
    await openOn('sandbox');
    const { ids } = await crashAt('after');
    expect(await accepted()).toEqual(ids.slice(0, 1));
    const next = await successor();
    await next.settle();
    expect(await accepted()).toEqual(ids);
    expect(await statuses(ids)).toEqual(['sent', 'sent']);
    const { rows } = await db.query(
      `select data::json->>'id' as id from events where tenant_id = $1 and type = 'message.sent' order by position`,
      [tenant.id],
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it('with a vendor that cannot be asked: the message is not sent again, and fails after ten minutes', async () => {
    await openOn('pigeon');
    mute.answerWith(() => hang());
    const victim = await successor();
    const at = reached();
    const message = await send(tenant, chat, { text: 'who knows' });
    void victim.settle();
    await at;
    await victim.stop(0);
    const next = await successor();
    const following = await send(tenant, chat, { text: 'next' });
    await next.settle();
    expect(await statuses([message.id, following.id])).toEqual(['queued', 'sent']);
    clock.advance(10 * MINUTE);
    await next.settle();
    expect(await messageOf(tenant, message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'outcome_unknown' },
    });
    expect(mute.arrived.map(({ text }) => text)).toEqual(['who knows', 'next']);
  });

  it('and may still be sending beside others: they ask only after its deadline', async () => {
    await openOn('sandbox');
    const { ids } = await crashAt('before');
    const next = await successor(false);
    await next.settle();
    expect(await accepted()).toEqual([]);
    expect(await statuses(ids)).toEqual(['queued', 'queued']);
    clock.advance(35_001);
    await next.settle();
    expect(await accepted()).toEqual(ids);
  });
});

describe('a process that is stopped while it sends', () => {
  it('asks the database for nothing more when the vendor answers at last', async () => {
    await openOn('pigeon');
    const victim = await successor();
    const at = reached();
    let answer = (_: SendResult): void => {};
    mute.answerWith(() => {
      stopped();
      return new Promise((resolve) => {
        answer = resolve;
      });
    });
    await send(tenant, chat, { text: 'late' });
    const settled = victim.settle();
    await at;
    await victim.stop(0);
    await delay(HEARTBEAT_MS + 1);
    answer({ ok: true, vendorId: 'late', status: 'sent' });
    await expect(settled).resolves.toBeUndefined();
  });
});

describe('two processes that both try to send a message', () => {
  it('begin it once, and a late result is ignored', async () => {
    await openOn('sandbox');
    const { id } = await send(tenant, chat, { text: 'hello' });
    const recorders = [createSendRecorder(db, clock), createSendRecorder(db, clock)] as const;
    const message = { id, tenant_id: tenant.id, channel_id: chat.channelId, attempts: 0 };
    const begun = await Promise.all(recorders.map(({ begin }) => begin(message, false)));
    expect(begun.toSorted()).toEqual([false, true]);
    const outcomes: SendOutcome[] = [
      { kind: 'sent', vendorId: 'the first', status: 'sent' },
      { kind: 'failed', error: { code: 'late', message: 'too late' } },
    ];
    for (const outcome of outcomes) await recorders[0].end({ message, outcome });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'sent', vendorId: 'the first', error: null });
  });

  it('store a status that came before the vendor’s answer together with the answer', async () => {
    await openOn('sandbox');
    const statuses = [
      ['early', 'delivered', null],
      ['bounced', 'failed', { code: '30003', message: 'unreachable' }],
    ] as const;
    const { begin, end } = createSendRecorder(db, clock);
    for (const [vendorId, status, error] of statuses) {
      const { id } = await send(tenant, chat, { text: vendorId });
      await db.query(
        `insert into vendor_messages (channel_id, vendor_id, tenant_id, status_rank, pending, created_at)
         values ($1, $2, $3, $4, $5, now())`,
        [chat.channelId, vendorId, tenant.id, statusRank[status], error && JSON.stringify(error)],
      );
      const message = { id, tenant_id: tenant.id, channel_id: chat.channelId, attempts: 0 };
      await begin(message, false);
      await end({ message, outcome: { kind: 'sent', vendorId, status: 'sent' } });
      expect(await messageOf(tenant, id)).toMatchObject({ status, vendorId, error });
    }
    const { rows } = await db.query(
      `select type from events where tenant_id = $1 and type like 'message.%' order by position`,
      [tenant.id],
    );
    expect(rows.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered', 'message.failed']);
  });
});
