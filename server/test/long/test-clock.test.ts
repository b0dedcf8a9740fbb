import { describe, expect, it } from 'vitest';
import { RETRY_DELAYS_MS } from '../../src/webhooks/schedule.ts';
import { automationOf } from '../kit/automations.ts';
import { automationOf as campaignAutomation } from '../kit/campaigns.ts';
import { useReceiver } from '../kit/receiver.ts';
import { chatWith, customers, messageOf, openChat, outboxOf, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { advance, settled, smsChannel, testTenant } from '../kit/test-clock.ts';
import { deliveriesOf, statusOf, subscribe, write } from '../kit/webhooks.ts';

const server = await useServer({ timers: true });
const START = Date.parse('2026-11-15T01:02:03.456Z');
const DAY = 24 * 3600_000;
const later = (ms: number): string => new Date(START + ms).toISOString();
const contact = async (tenant: TestTenant, firstName: string, number: string): Promise<string> =>
  (await tenant.post('/v3/contacts', { firstName, phoneNumber: `+1202555${number}` })).body.data.id;

describe('an automation of a test tenant', () => {
  it('waits for days that pass at once, and does everything in its order and at its time', async () => {
    const tenant = await testTenant(server);
    const channel = await smsChannel(tenant);
    const says = (id: string, text: string) => ({
      id,
      type: 'send_message',
      parameters: { text, channelId: channel.id },
    });
    const wait = (id: string, length: string) => ({ id, type: 'wait', parameters: { for: length } });
    const slow = await automationOf(tenant, {
      steps: [
        says('a', 'slow 0'),
        wait('b', 'P10D'),
        says('c', 'slow 10'),
        wait('d', 'P10D'),
        says('e', 'slow 20'),
      ],
    });
    const quick = await automationOf(tenant, {
      steps: [
        says('a', 'quick 0'),
        wait('b', 'P3D'),
        says('c', 'quick 3'),
        wait('d', 'P9D'),
        says('e', 'quick 12'),
      ],
    });
    for (const [id, number] of [
      [slow, '0101'],
      [quick, '0102'],
    ] as const) {
      const contactId = await contact(tenant, 'Ada', number);
      const answer = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
      expect(answer.status).toBe(200);
    }
    expect(await settled(tenant)).toBe(later(0));
    const sent = async () =>
      (await outboxOf(tenant, channel)).map(({ text, at }: { text: string; at: string }) => [text, at]);
    expect((await sent()).map(([text]: string[]) => text).sort()).toEqual(['quick 0', 'slow 0']);
    expect(await advance(tenant, { by: 'P11D' })).toBe(later(11 * DAY));
    expect((await sent()).slice(2)).toEqual([
      ['quick 3', later(3 * DAY)],
      ['slow 10', later(10 * DAY)],
    ]);
    expect(await advance(tenant, { to: later(30 * DAY) })).toBe(later(30 * DAY));
    expect((await sent()).slice(4)).toEqual([
      ['quick 12', later(12 * DAY)],
      ['slow 20', later(20 * DAY)],
    ]);
    const runs = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect(runs.map((run: { status: string; endedAt: string }) => [run.status, run.endedAt]).sort()).toEqual([
      ['completed', later(12 * DAY)],
      ['completed', later(20 * DAY)],
    ]);
  });

  it('takes the reply that comes in time, and the other way when none does', async () => {
    const tenant = await testTenant(server);
    const channel = await tenant.channel();
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: { keywords: ['order'] } },
      steps: [
        { id: 'ask', type: 'send_message', parameters: { text: 'Good or bad?' } },
        { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'PT5H', onTimeout: 'late' } },
        { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks!' }, next: 'end' },
        { id: 'late', type: 'send_message', parameters: { text: 'Another time, then.' } },
        { id: 'end', type: 'end' },
      ],
    });
    const says = (from: string, text: string) =>
      tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
    await says('+15550001111', 'my order');
    await says('+15550002222', 'an order');
    await advance(tenant, { by: 'PT4H59M' });
    await says('+15550001111', 'good');
    await advance(tenant, { by: 'PT2M' });
    const sent = await outboxOf(tenant, channel);
    expect(sent.slice(2).map(({ to, text }: Record<string, string>) => [to, text])).toEqual([
      ['+15550001111', 'Thanks!'],
      ['+15550002222', 'Another time, then.'],
    ]);
    expect(sent[3].at).toBe(later(5 * 3600_000));
  });

  it('runs by its schedule for a month, at the same time on the wall when clocks are changed', async () => {
    const tenant = await testTenant(server);
    const channel = await smsChannel(tenant);
    await contact(tenant, 'Ada', '0103');
    await advance(tenant, { to: '2027-03-15T00:00:00Z' });
    await automationOf(tenant, {
      trigger: {
        type: 'schedule',
        parameters: {
          rrule: 'FREQ=DAILY;INTERVAL=3;BYHOUR=9;BYMINUTE=0',
          timezone: 'Europe/Berlin',
          audience: 'eq(firstName,"Ada")',
        },
      },
      steps: [{ id: 'a', type: 'send_message', parameters: { text: 'Good morning', channelId: channel.id } }],
    });
    await advance(tenant, { to: '2027-04-15T00:00:00Z' });
    const times: string[] = (await outboxOf(tenant, channel)).map(({ at }: { at: string }) => at);
    expect(times.map((at) => at.slice(5, 16))).toEqual([
      ...['03-15', '03-18', '03-21', '03-24', '03-27'].map((day) => `${day}T08:00`),
      ...['03-30', '04-02', '04-05', '04-08', '04-11', '04-14'].map((day) => `${day}T07:00`),
    ]);
  });
});

it('a campaign of a test tenant recurs, once for everyone each time', async () => {
  const tenant = await testTenant(server);
  const channel = await smsChannel(tenant);
  const automationId = await campaignAutomation(tenant, {
    steps: [{ id: 'a', type: 'send_message', parameters: { text: 'News' } }],
  });
  const contacts = ['0104', '0105'].map((number) => ({ phoneNumber: `+1202555${number}` }));
  const made = await tenant.post('/v3/campaigns', {
    channelId: channel.id,
    name: 'News',
    automationId,
    isScheduled: true,
    scheduledAt: '2026-11-17T10:00:00Z',
    isReoccurring: true,
    recurrenceRules: ['RRULE:FREQ=WEEKLY;COUNT=3'],
    contacts,
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  await advance(tenant, { by: 'P30D' });
  const sent = await outboxOf(tenant, channel);
  expect(sent.map(({ at }: { at: string }) => at.slice(0, 16))).toEqual(
    ['11-17', '11-17', '11-24', '11-24', '12-01', '12-01'].map((day) => `2026-${day}T10:00`),
  );
  expect(new Set(sent.map(({ to }: { to: string }) => to)).size).toBe(2);
  const { status } = (await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data;
  expect(status).toBe('completed');
});

it('a campaign of a test tenant whose runs wait for weeks is over soon after they have sent', async () => {
  const tenant = await testTenant(server);
  const channel = await smsChannel(tenant);
  const automationId = await campaignAutomation(tenant, {
    steps: [
      { id: 'a', type: 'wait', parameters: { for: 'P20D' } },
      { id: 'b', type: 'send_message', parameters: { text: 'News' } },
    ],
  });
  const contacts = [{ phoneNumber: '+12025550108' }];
  const made = await tenant.post('/v3/campaigns', {
    channelId: channel.id,
    name: 'News',
    automationId,
    contacts,
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  const status = async () => (await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data.status;
  await advance(tenant, { to: later(20 * DAY - 1) });
  expect(await status()).toBe('running');
  await advance(tenant, { by: 'PT11M' });
  expect(await outboxOf(tenant, channel)).toMatchObject([{ at: later(20 * DAY) }]);
  expect(await status()).toBe('completed');
});

describe('a chat of a test tenant', () => {
  it('is open again when its snooze ends', async () => {
    const tenant = await testTenant(server);
    const channel = await tenant.channel();
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: customers.whatsapp, text: 'hello' });
    await settled(tenant);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    const snoozedUntil = later(7 * DAY);
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'snoozed', snoozedUntil });
    const status = async () => (await tenant.get(`/v3/chats/${chat.id}`)).body.data.status;
    await advance(tenant, { to: later(7 * DAY - 1) });
    expect(await status()).toBe('snoozed');
    await advance(tenant, { by: 'PT0.001S' });
    expect(await status()).toBe('open');
    const { data } = (await tenant.post('/v3/events/search', { query: 'eq(type,"chat.status_changed")' }))
      .body;
    expect(data.map(({ createdAt }: { createdAt: string }) => createdAt).sort()).toEqual([
      later(0),
      snoozedUntil,
    ]);
  });

  it('takes no free text any more when its window has closed', async () => {
    const tenant = await testTenant(server);
    const channel = await tenant.channel();
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: customers.whatsapp, text: 'hello' });
    await settled(tenant);
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await advance(tenant, { by: 'PT23H59M' });
    await send(tenant, chat, { text: 'In time' });
    await advance(tenant, { by: 'PT2M' });
    const late = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Too late' });
    expect([late.status, late.body.error.messageKey]).toEqual([409, 'conflict']);
  });
});

describe('a message of a test tenant', () => {
  it('goes out at its time, and its statuses follow when they are due', async () => {
    const tenant = await testTenant(server);
    const channel = await smsChannel(tenant, { statusDelayMs: 60_000 });
    const chat = await chatWith(tenant, channel.id, '+12025550106');
    const scheduledAt = later(3 * DAY);
    const { id } = await send(tenant, chat, { text: 'Later', scheduledAt });
    await advance(tenant, { to: later(3 * DAY - 1) });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'queued' });
    await advance(tenant, { to: scheduledAt });
    expect(await messageOf(tenant, id)).toMatchObject({
      status: 'sent',
      timestamp: scheduledAt,
      createdAt: later(0),
      updatedAt: scheduledAt,
    });
    await advance(tenant, { by: 'PT59.999S' });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'sent' });
    await advance(tenant, { by: 'PT0.001S' });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'delivered' });
  });

  it('is tried again by the clock of the tenant, and given up after a day', async () => {
    const tenant = await testTenant(server);
    const channel = await smsChannel(tenant);
    const chat = await chatWith(tenant, channel.id, '+12025550107');
    await tenant.post(`/v3/sandbox/${channel.id}/faults`, { failEvery: 1 });
    const { id } = await send(tenant, chat, { text: 'Hello' });
    await advance(tenant, { by: 'PT12H' });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'queued' });
    await advance(tenant, { by: 'PT13H' });
    expect(await messageOf(tenant, id)).toMatchObject({ status: 'failed', error: { code: 'sandbox_fault' } });
  });
});

it('a template of a test tenant is decided on when the sandbox takes so long', async () => {
  const tenant = await testTenant(server);
  const made = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Test',
    address: '+15550009999',
    config: { statusDelayMs: 3600_000 },
  });
  const template = await tenant.post('/v3/message_templates', {
    channelId: made.body.data.id,
    name: 'hello',
    language: 'en',
    body: 'Hello',
  });
  const status = async () =>
    (await tenant.get(`/v3/message_templates/${template.body.data.id}`)).body.data.status;
  await advance(tenant, { by: 'PT59M' });
  expect(await status()).toBe('pending');
  await advance(tenant, { by: 'PT1M' });
  expect(await status()).toBe('approved');
});

describe('a webhook of a test tenant', () => {
  it('is tried again over hours that pass at once, and all is on record when the clock has arrived', async () => {
    const receiver = await useReceiver();
    const tenant = await testTenant(server);
    const channel = await tenant.channel();
    const webhook = await subscribe(tenant, receiver.url);
    receiver.answerWith(...RETRY_DELAYS_MS.map(() => 500));
    await write(tenant, channel, 'hello');
    await settled(tenant);
    expect(receiver.received).toHaveLength(1);
    await advance(tenant, { by: 'PT12H' });
    const [half] = await deliveriesOf(tenant, webhook);
    expect(half).toMatchObject({ status: 'pending' });
    expect(half.attempts).toHaveLength(receiver.received.length);
    await advance(tenant, { by: 'P4D' });
    const [delivery] = await deliveriesOf(tenant, webhook);
    expect(delivery).toMatchObject({ status: 'delivered' });
    const began: number[] = delivery.attempts.map(({ startedAt }: { startedAt: string }) =>
      Date.parse(startedAt),
    );
    expect(began).toHaveLength(RETRY_DELAYS_MS.length + 1);
    for (const [index, pause] of RETRY_DELAYS_MS.entries()) {
      const taken = (began[index + 1] as number) - (began[index] as number);
      expect(taken).toBeGreaterThanOrEqual(0.8 * pause);
      expect(taken).toBeLessThanOrEqual(1.2 * pause);
    }
    // Receivers check a signature by their own time.
    for (const { headers } of receiver.received)
      expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(START / 1000));
  });

  it('is disabled when it has failed for five days', async () => {
    const receiver = await useReceiver();
    const tenant = await testTenant(server);
    const channel = await tenant.channel();
    const webhook = await subscribe(tenant, receiver.url);
    receiver.answerWith(...Array.from({ length: 100 }, () => 500));
    await write(tenant, channel, 'first');
    for (let day = 0; day < 7; day += 1) {
      await advance(tenant, { by: 'P1D' });
      await write(tenant, channel, `day ${day}`);
    }
    await settled(tenant);
    expect(await statusOf(tenant, webhook)).toBe('disabled');
  });
});

it('settles the work of test tenants with everyone’s where nothing happens by itself', async () => {
  const still = await useServer();
  const tenant = await testTenant(still);
  const chat = await openChat(still, tenant, await tenant.channel());
  const { id } = await send(tenant, chat, { text: 'Hello' });
  await still.settle();
  expect(await messageOf(tenant, id)).toMatchObject({ status: 'sent' });
});
