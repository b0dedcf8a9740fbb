import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';

const server = await useServer();

describe('the kinds of channels', () => {
  it('are listed with their settings, and a channel can be made with those that are required', async () => {
    const tenant = await server.tenant();
    const kinds = (await tenant.get('/v3/channel_kinds')).body.data as {
      kind: string;
      provider: string;
      fields: { name: string; isSecret: boolean; isRequired: boolean; isAdvanced: boolean }[];
      guideUrl: string;
    }[];
    expect(kinds.map(({ kind, provider }) => `${kind} ${provider}`)).toEqual(
      expect.arrayContaining([
        'whatsapp sandbox',
        'whatsapp whatsapp_cloud',
        'instagram instagram',
        'sms twilio',
        'email smtp',
      ]),
    );
    // What must be filled in is never hidden among what most do without.
    for (const { fields } of kinds)
      expect(fields.filter(({ isRequired, isAdvanced }) => isRequired && isAdvanced)).toEqual([]);
    for (const { guideUrl } of kinds) expect((await server.call('GET', guideUrl)).status).toBe(200);
  });
});

describe('the setup of a channel', () => {
  it('has the URL and the verify token for Meta, and what has been seen', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.post('/v3/channels', {
      kind: 'whatsapp',
      provider: 'whatsapp_cloud',
      name: 'Support',
      address: '+15550009999',
      config: {
        phoneNumberId: '1122334455667',
        businessAccountId: '102290129340398',
        accessToken: 'EAA',
        appSecret: 'hidden-secret',
        verifyToken: 'chosen',
      },
    });
    const answer = await tenant.get(`/v3/channels/${channel.body.data.id}/setup`);
    expect(answer.body.data).toMatchObject({
      webhookUrl: 'https://parley.test/providers/whatsapp_cloud',
      verifyToken: 'chosen',
      isReachable: true,
      health: 'unchecked',
      lastReceivedAt: null,
      lastSentAt: null,
      failedRequests: 0,
    });
    expect(answer.text).not.toContain('hidden-secret');
    const done = ({ isDone }: { isDone: boolean | null }) => isDone;
    expect(answer.body.data.steps.map(done)).toEqual([false, false, true, false, false, false]);
    expect(
      answer.body.data.steps.findIndex(({ needsWebhook }: { needsWebhook: boolean }) => needsWebhook),
    ).toBe(3);
  });

  it('ticks the steps at the vendor when its credentials work, and the rest when a message came in', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.post('/v3/channels', {
      kind: 'email',
      provider: 'smtp',
      name: 'Help',
      address: 'help@shop.test',
      config: { from: 'help@shop.test', smtp: { host: 'mail.shop.test', port: 587 } },
    });
    const { id } = channel.body.data;
    const steps = async () =>
      (await tenant.get(`/v3/channels/${id}/setup`)).body.data.steps.map(
        ({ isDone }: { isDone: boolean | null }) => isDone,
      );
    // Nothing ever shows that records were added to the domain.
    expect(await steps()).toEqual([null, true, false, false]);
    const twilio = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'twilio',
      name: 'Texts',
      address: '+15550008888',
      config: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'hidden-token', from: '+15550008888' },
    });
    const setupOf = async () => (await tenant.get(`/v3/channels/${twilio.body.data.id}/setup`)).body.data;
    expect((await setupOf()).steps[0].isDone).toBe(false);
    await server.system.db.query("update channels set health = 'healthy' where id = $1", [
      twilio.body.data.id,
    ]);
    expect((await setupOf()).steps[0].isDone).toBe(true);
  });

  it('shows that messages have come in and gone out', async () => {
    const tenant = await server.tenant();
    const { id } = await tenant.channel();
    await tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', text: 'hello' });
    await server.settle();
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'hi' });
    await server.settle();
    expect((await tenant.get(`/v3/channels/${id}/setup`)).body.data).toMatchObject({
      webhookUrl: null,
      verifyToken: null,
      lastReceivedAt: expect.any(String),
      lastSentAt: expect.any(String),
    });
  });

  it('is for those who may change channels of the tenant', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const { id } = await tenant.channel();
    expect((await other.get(`/v3/channels/${id}/setup`)).status).toBe(404);
    const token = await tenant.tokenWith(['channels:read']);
    expect((await tenant.get(`/v3/channels/${id}/setup`, { token })).status).toBe(403);
  });
});

describe('the status of the installation', () => {
  it('has versions, queues, processes and the size of the database', async () => {
    const tenant = await server.tenant();
    const { id } = await tenant.channel();
    const read = async () =>
      (await server.call('GET', '/admin/status', { token: OPERATOR_TOKEN })).body.data as {
        database: { bytes: number };
        queues: { name: string; due: number; oldestDueAt: string | null }[];
        versions: Record<string, string>;
      };
    await tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', text: 'hello' });
    const before = await read();
    expect(before.queues.find(({ name }) => name === 'inbound')).toMatchObject({
      due: 1,
      oldestDueAt: expect.any(String),
    });
    expect(before.database.bytes).toBeGreaterThan(1_000_000);
    expect(before.versions).toMatchObject({
      node: process.versions.node,
      schema: expect.stringMatching(/^\d{4}_/),
    });
    expect(before).toMatchObject({
      failingChannels: expect.any(Number),
      systemMail: { status: 'none', tenantId: null, channelId: null, problem: null },
    });
    await server.settle();
    const after = await read();
    expect(after.queues.find(({ name }) => name === 'inbound')).toMatchObject({ due: 0, oldestDueAt: null });
    expect((await tenant.get('/admin/status')).status).toBe(401);
  });
});
