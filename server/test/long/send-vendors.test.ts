import { beforeEach, describe, expect, it } from 'vitest';
import { OutboundError } from '../../src/outbound/outbound-error.ts';
import type { Reconciled, SendResult } from '../../src/providers/outgoing-message.ts';
import { listener } from '../kit/events.ts';
import {
  adaptersWith,
  chatWith,
  messageOf,
  send,
  type TestChat,
  taken,
  testVendor,
  vendorChat,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const vendor = testVendor();
/** The same vendor, but it can be asked whether a message was sent. */
let reconciled: Reconciled[] = [];
const knowing = testVendor({
  provider: 'owl',
  reconcile: async () => reconciled.shift() ?? { outcome: 'unknown' },
});
const server = await useServer({
  adapters: new Map([...adaptersWith(vendor), [knowing.provider, knowing]]),
  sendDeadlineMs: 50,
});
const { db } = server.system;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = server.clock.now();

let tenant: TestTenant;
let chat: TestChat;
beforeEach(async () => {
  server.clock.set(START);
  tenant = await server.tenant();
  chat = await vendorChat(tenant);
  vendor.forget();
  knowing.forget();
  reconciled = [];
});

const pass = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const refusal =
  (code: string, retry: Extract<SendResult, { ok: false }>['retry'], retryAfterMs?: number) =>
  async (): Promise<SendResult> => ({
    ok: false,
    error: { code, message: `because of ${code}` },
    retry,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
/** Milliseconds from now until the message is due again. */
async function pauseOf(message: { id: string }): Promise<number | null> {
  const { rows } = await db.query('select due_at from messages where id = $1', [message.id]);
  const due = rows[0]?.due_at as Date | null;
  return due && due.getTime() - server.clock.now().getTime();
}
const sent = async (text = 'hello') => {
  const message = await send(tenant, chat, { text });
  await server.settle();
  return message;
};
const statusOf = async (message: { id: string }) => {
  const { status, error, vendorId } = await messageOf(tenant, message.id);
  return { status, error, vendorId };
};
const queued = { status: 'queued', error: null, vendorId: null };

describe('a vendor', () => {
  it.each([
    'never',
    'needs_template',
  ] as const)('that refuses permanently (%s): failed with an event, not tried again', async (retry) => {
    const hear = listener(server, tenant);
    await hear();
    vendor.answerWith(refusal('131026', retry));
    const message = await sent();
    const error = { code: '131026', message: 'because of 131026' };
    expect(await statusOf(message)).toEqual({ status: 'failed', error, vendorId: null });
    expect(await hear()).toMatchObject([
      { type: 'message.failed', data: { id: message.id, status: 'failed', error } },
    ]);
    await pass(25 * HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });

  it('that asks for a retry: tried again with growing delays, and sent in the end', async () => {
    vendor.answerWith(...Array(4).fill(refusal('429', 'backoff')));
    const message = await sent();
    for (const [index, seconds] of [1, 2, 4, 8].entries()) {
      expect(await statusOf(message)).toEqual(queued);
      const pause = (await pauseOf(message)) as number;
      expect(pause).toBeGreaterThanOrEqual(seconds * 800);
      expect(pause).toBeLessThanOrEqual(seconds * 1200);
      await pass(pause - 1);
      expect(vendor.arrived).toHaveLength(index + 1);
      await pass(1);
    }
    expect(vendor.arrived).toHaveLength(5);
    expect(new Set(vendor.arrived.map(({ id }) => id))).toEqual(new Set([message.id]));
    expect((await statusOf(message)).status).toBe('sent');
  });

  it('that sends Retry-After: not tried before, and for at most a day', async () => {
    vendor.answerWith(refusal('429', 'backoff', 2 * HOUR), refusal('429', 'backoff', 23 * HOUR));
    const message = await sent();
    expect(await pauseOf(message)).toBe(2 * HOUR);
    await pass(2 * HOUR);
    expect(await statusOf(message)).toMatchObject({ status: 'failed', error: { code: '429' } });
  });

  it('that always refuses temporarily: after a day the message fails with the last error', async () => {
    let attempts = 0;
    const busy = async (): Promise<SendResult> => {
      attempts += 1;
      return refusal(`busy ${attempts}`, 'backoff')();
    };
    vendor.answerWith(...Array(1000).fill(busy));
    const message = await sent();
    let pauses = 0;
    for (let pause = await pauseOf(message); pause !== null; pause = await pauseOf(message)) {
      expect(pause).toBeLessThanOrEqual(15 * MINUTE * 1.2);
      pauses += 1;
      await pass(pause);
    }
    expect(server.clock.now().getTime() - START.getTime()).toBeGreaterThan(23.5 * HOUR);
    expect(server.clock.now().getTime() - START.getTime()).toBeLessThanOrEqual(24 * HOUR);
    expect(await statusOf(message)).toMatchObject({
      status: 'failed',
      error: { code: `busy ${pauses + 1}` },
    });
  });

  it('that cannot be reached: tried again, because nothing was sent', async () => {
    const unreached = new OutboundError('connect', 'refused', { bytesSent: false });
    vendor.answerWith(async () => Promise.reject(unreached));
    const message = await sent();
    expect(await statusOf(message)).toEqual(queued);
    await pass(2 * SECOND);
    expect(vendor.arrived).toHaveLength(2);
    expect((await statusOf(message)).status).toBe('sent');
  });

  it.each<[string, () => Promise<SendResult>]>([
    ['never answers', () => new Promise(() => {})],
    ['answers what nobody understands', async () => Promise.reject(new SyntaxError('Unexpected token <'))],
    ['breaks off', async () => Promise.reject(new OutboundError('response', 'reset', { bytesSent: true }))],
    ['leaves it open', refusal('timeout', 'unknown')],
  ])('that %s: not sent again, and after ten minutes the message fails', async (_, answer) => {
    const hear = listener(server, tenant);
    await hear();
    vendor.answerWith(answer);
    const message = await sent();
    expect(await statusOf(message)).toEqual(queued);
    await pass(10 * MINUTE - 1);
    expect(await statusOf(message)).toEqual(queued);
    expect(await hear()).toEqual([]);
    await pass(1);
    expect(await statusOf(message)).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
    expect((await hear()).map(({ type }) => type)).toEqual(['message.failed']);
    await pass(25 * HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });

  it('whose answer is lost does not delay the next message', async () => {
    vendor.answerWith(refusal('timeout', 'unknown'));
    await sent('first');
    const next = await sent('second');
    expect((await statusOf(next)).status).toBe('sent');
  });

  it('that queues by itself: the message has its id and is sent only when the vendor reports it', async () => {
    vendor.answerWith(async (message) => ({ ...taken(message), status: 'queued' }) as SendResult);
    const hear = listener(server, tenant);
    await hear();
    const message = await sent();
    expect(await statusOf(message)).toEqual({ ...queued, vendorId: `vendor-${message.id}` });
    expect(await hear()).toEqual([]);
    await pass(25 * HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });

  it('whose error contains NUL: stored without it', async () => {
    const error = { code: 'a\0b', message: 'half a character: \ud800, and \0' };
    vendor.answerWith(async () => ({ ok: false, error, retry: 'never' }));
    const message = await sent();
    expect((await statusOf(message)).error).toEqual({
      code: 'a\ufffdb',
      message: 'half a character: \ufffd, and \ufffd',
    });
  });
});

describe('a vendor that can be asked whether a message was sent', () => {
  beforeEach(async () => {
    const made = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'owl',
      name: 'Test',
      address: '+15550009999',
    });
    const channelId = made.body.data.id;
    const { body } = await tenant.post('/v3/chats', { contactId: chat.contactId, channelId });
    chat = { ...chat, id: body.data.id, channelId };
    knowing.answerWith(refusal('timeout', 'unknown'));
  });

  it('and has it: sent, with the vendor’s id', async () => {
    reconciled = [{ outcome: 'sent', vendorId: 'found' }];
    const message = await sent();
    expect(await statusOf(message)).toEqual({ status: 'sent', error: null, vendorId: 'found' });
    expect(knowing.arrived).toHaveLength(1);
  });

  it('and does not have it: sent again immediately', async () => {
    reconciled = [{ outcome: 'not_sent' }];
    const message = await sent();
    expect((await statusOf(message)).status).toBe('sent');
    expect(knowing.arrived.map(({ id }) => id)).toEqual([message.id, message.id]);
  });

  it('and never has it: tried with growing delays until the message fails', async () => {
    knowing.answerWith(...Array(5).fill(refusal('timeout', 'unknown')));
    reconciled = Array(6).fill({ outcome: 'not_sent' });
    const message = await sent();
    expect(knowing.arrived).toHaveLength(2);
    await pass(20 * MINUTE);
    await pass(20 * MINUTE);
    expect(knowing.arrived).toHaveLength(4);
    expect(await statusOf(message)).toEqual(queued);
  });

  it('and does not know: asked again until it does', async () => {
    reconciled = [{ outcome: 'unknown' }, { outcome: 'unknown' }, { outcome: 'sent', vendorId: 'late' }];
    const message = await sent();
    await pass(MINUTE);
    expect(await statusOf(message)).toEqual(queued);
    await pass(MINUTE);
    expect(await statusOf(message)).toMatchObject({ status: 'sent', vendorId: 'late' });
    expect(knowing.arrived).toHaveLength(1);
  });

  it('and never knows: the message fails after ten minutes', async () => {
    const message = await sent();
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await statusOf(message)).toEqual(queued);
      await pass(MINUTE);
    }
    expect(await statusOf(message)).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } });
  });
});

describe('a channel whose credentials the vendor refuses', () => {
  const reauth = refusal('190', 'reauth');
  const health = async () => (await tenant.get(`/v3/channels/${chat.channelId}`)).body.data.health;
  const changes = async (hear: ReturnType<typeof listener>) =>
    (await hear()).filter(({ type }) => type === 'channel.health_changed').map(({ data }) => data);

  it('is failing, with one event and log line; its messages wait and are sent with new credentials', async () => {
    const hear = listener(server, tenant);
    vendor.answerWith(reauth, reauth);
    const first = await sent('first');
    expect(await health()).toBe('failing');
    const changed = await changes(hear);
    expect(changed).toEqual([expect.objectContaining({ id: chat.channelId, health: 'failing' })]);
    const { rows } = await db.query('select problem from channels where id = $1', [chat.channelId]);
    expect(rows).toEqual([{ problem: 'because of 190' }]);
    expect((await server.call('GET', '/metrics')).text).toMatch(/^parley_channels_failing [1-9]/m);
    expect(
      server.logged.filter((line) => line.includes(chat.channelId) && line.includes('channel is failing')),
    ).toHaveLength(1);

    const second = await sent('second');
    expect(vendor.arrived).toHaveLength(1);
    expect([await statusOf(first), await statusOf(second)]).toEqual([queued, queued]);
    await pass(5 * MINUTE);
    expect(vendor.arrived).toHaveLength(2);
    expect(await changes(hear)).toEqual([]);
    await pass(5 * MINUTE);
    await pass(5 * MINUTE);
    expect(vendor.arrived.map(({ text }) => text)).toEqual(['first', 'first', 'first', 'second']);
    expect(await health()).toBe('healthy');
    expect(await changes(hear)).toEqual([expect.objectContaining({ health: 'healthy' })]);
  });

  it('stays failing if a message that was sent before is accepted later', async () => {
    const slow = testVendor();
    const patient = await useServer({ adapters: adaptersWith(slow) });
    const owner = await patient.tenant();
    const first = await vendorChat(owner);
    const second = await chatWith(owner, first.channelId, '+12025550199');
    const healthNow = async () => (await owner.get(`/v3/channels/${first.channelId}`)).body.data.health;
    await patient.system.db.query("update channels set health = 'unchecked' where id = $1", [
      first.channelId,
    ]);
    slow.answerWith(async (message) => {
      await expect.poll(healthNow).toBe('failing');
      return taken(message);
    }, reauth);
    await send(owner, first, { text: 'first' });
    await send(owner, second, { text: 'second' });
    await patient.settle();
    expect(slow.arrived.map(({ text }) => text)).toEqual(['first', 'second']);
    expect(await healthNow()).toBe('failing');
  });

  it('does not delay messages of other channels', async () => {
    vendor.answerWith(reauth);
    await sent();
    const broken = chat;
    const made = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'pigeon',
      name: 'Other',
      address: '+15550009998',
    });
    const { body } = await tenant.post('/v3/chats', {
      contactId: broken.contactId,
      channelId: made.body.data.id,
    });
    chat = { ...broken, id: body.data.id };
    expect((await statusOf(await sent())).status).toBe('sent');
  });
});
