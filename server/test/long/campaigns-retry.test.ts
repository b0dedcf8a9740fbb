import { beforeEach, describe, expect, it } from 'vitest';
import type { Reconciled, SendResult } from '../../src/providers/outgoing-message.ts';
import { automationOf, testContacts } from '../kit/campaigns.ts';
import { adaptersWith, chatWith, send, testVendor } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

let reconciled: Reconciled = { outcome: 'unknown' };
const vendor = testVendor({ reconcile: async () => reconciled });
const server = await useServer({ adapters: adaptersWith(vendor) });
const { db } = server.system;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = server.clock.now();

let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(START);
  tenant = await server.tenant();
  vendor.forget();
  reconciled = { outcome: 'unknown' };
});

const pass = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const busy: SendResult = {
  ok: false,
  error: { code: '429', message: 'busy' },
  retry: 'backoff',
  retryAfterMs: MINUTE,
};
const lost: SendResult = { ...busy, retry: 'unknown' };

async function vendorChannel(): Promise<string> {
  const body = { kind: 'sms', provider: 'pigeon', name: 'Test', address: '+15550009999' };
  return (await tenant.post('/v3/channels', body)).body.data.id;
}

/** A campaign that sends one message to one contact. It begins with the next `settle`. */
async function campaignOn(channelId: string): Promise<string> {
  const automationId = await automationOf(tenant, {
    steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }],
  });
  const contacts = testContacts(1);
  const made = await tenant.post('/v3/campaigns', { channelId, automationId, name: 'x', contacts });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  return made.body.data.id;
}
const set = async (id: string, status: string): Promise<void> =>
  expect((await tenant.post(`/v3/campaigns/${id}/status`, { status })).status).toBe(200);
const read = async (id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;
const recipientOf = async (id: string) => {
  const [{ status, code }] = (await tenant.post(`/v3/campaigns/${id}/recipients/search`, {})).body.data;
  return { status, code };
};
const failedEvents = async (): Promise<(string | undefined)[]> =>
  (await tenant.post('/v3/events/search', { query: 'eq(type,"message.failed")' })).body.data.map(
    ({ data }: { data: { error?: { code: string } } }) => data.error?.code,
  );

/** A campaign whose status is set while the vendor is asked to send its message. */
async function setWhileSending(status: string, answer: SendResult): Promise<string> {
  const id = await campaignOn(await vendorChannel());
  vendor.answerWith(async () => {
    await set(id, status);
    return answer;
  });
  await server.settle();
  expect(vendor.arrived).toHaveLength(1);
  return id;
}

describe('a message that is with the vendor while its campaign is cancelled', () => {
  it('is not tried again, and is cancelled at once', async () => {
    const id = await setWhileSending('cancelled', busy);
    expect(await recipientOf(id)).toEqual({ status: 'failed', code: 'cancelled' });
    expect(await failedEvents()).toEqual(['cancelled']);
    await pass(HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });

  it('is cancelled when the vendor says later that it was not sent', async () => {
    const id = await setWhileSending('cancelled', lost);
    expect((await recipientOf(id)).status).toBe('queued');
    reconciled = { outcome: 'not_sent' };
    await pass(MINUTE);
    expect(await recipientOf(id)).toEqual({ status: 'failed', code: 'cancelled' });
    await pass(HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });

  it('is sent if the vendor takes it', async () => {
    const id = await setWhileSending('cancelled', { ok: true, vendorId: `v-${tenant.id}`, status: 'sent' });
    expect(await recipientOf(id)).toEqual({ status: 'sent', code: null });
  });

  it('is unknown and not sent again if nobody learns what became of it', async () => {
    const id = await setWhileSending('cancelled', lost);
    await pass(HOUR);
    expect(await recipientOf(id)).toEqual({ status: 'failed', code: 'outcome_unknown' });
    expect(vendor.arrived).toHaveLength(1);
  });
});

describe('a message that is with the vendor while its campaign is paused', () => {
  it('is tried again when the campaign goes on', async () => {
    const id = await setWhileSending('paused', busy);
    await pass(HOUR);
    expect([vendor.arrived.length, (await recipientOf(id)).status]).toEqual([1, 'queued']);
    await set(id, 'running');
    await server.settle();
    expect([vendor.arrived.length, (await recipientOf(id)).status]).toEqual([2, 'sent']);
  });

  it('holds no other message of its chat', async () => {
    const channelId = await vendorChannel();
    const chat = await chatWith(tenant, channelId, testContacts(1)[0]?.phoneNumber as string);
    const id = await campaignOn(channelId);
    vendor.answerWith(async () => {
      await set(id, 'paused');
      return busy;
    });
    await server.settle();
    await send(tenant, chat, { text: 'We are here' });
    await server.settle();
    expect(vendor.arrived.map(({ text }) => text)).toEqual(['Hello', 'We are here']);
  });

  it('is cancelled with the campaign', async () => {
    const id = await setWhileSending('paused', busy);
    await set(id, 'cancelled');
    expect(await recipientOf(id)).toEqual({ status: 'failed', code: 'cancelled' });
    await pass(HOUR);
    expect(vendor.arrived).toHaveLength(1);
  });
});

describe('a message whose campaign was paused after its attempt was recorded, but is still due', () => {
  /** As if the pause and the end of the attempt had happened at the same moment. */
  async function dueAgain(id: string): Promise<void> {
    const { rows } = await db.query(
      `update messages set due_at = held_due_at, held_due_at = null
        where campaign_id = $1 and held_due_at is not null returning id`,
      [id],
    );
    expect(rows).toHaveLength(1);
  }

  it('waits until the campaign goes on', async () => {
    const id = await setWhileSending('paused', busy);
    await dueAgain(id);
    await pass(HOUR);
    expect(vendor.arrived).toHaveLength(1);
    await set(id, 'running');
    await server.settle();
    expect(vendor.arrived).toHaveLength(2);
  });
});

describe('a message of a campaign that was paused for longer than messages are tried', () => {
  it('is tried for as long as any other from then on', async () => {
    const id = await setWhileSending('paused', busy);
    await pass(2 * DAY);
    vendor.answerWith(async () => busy);
    await set(id, 'running');
    await server.settle();
    expect([vendor.arrived.length, (await recipientOf(id)).status]).toEqual([2, 'queued']);
    await pass(HOUR);
    expect([vendor.arrived.length, (await recipientOf(id)).status]).toEqual([3, 'sent']);
    await pass(HOUR);
    expect((await read(id)).status).toBe('completed');
  });

  it('comes after what is being tried in its chat', async () => {
    const channelId = await vendorChannel();
    const chat = await chatWith(tenant, channelId, testContacts(1)[0]?.phoneNumber as string);
    const id = await campaignOn(channelId);
    vendor.answerWith(
      async () => {
        await set(id, 'paused');
        return busy;
      },
      async () => busy,
    );
    await server.settle();
    server.clock.advance(MINUTE);
    await send(tenant, chat, { text: 'We are here' });
    await server.settle();
    server.clock.advance(1000);
    await set(id, 'running');
    await pass(HOUR);
    expect(vendor.arrived.map(({ text }) => text)).toEqual(['Hello', 'We are here', 'We are here', 'Hello']);
  });
});
