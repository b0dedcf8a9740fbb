import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';

const server = await useServer();

interface Schema {
  properties: Record<string, Partial<Schema> & { 'x-advanced'?: true }>;
  required: string[];
}
const whatsappChannel = {
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
};
const statusOf = ({ status }: { status: string }): string => status;

describe('the kinds of channels', () => {
  it('are listed with their settings, and a channel can be made with those that are required', async () => {
    const tenant = await server.tenant();
    const kinds = (await tenant.get('/v3/channel_kinds')).body.data as {
      kind: string;
      provider: string;
      settings: Schema;
      steps: string[];
      help: string;
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
    for (const { settings } of kinds)
      for (const name of settings.required) expect(settings.properties[name]?.['x-advanced']).toBeUndefined();
    for (const { help } of kinds) expect((await server.call('GET', help)).status).toBe(200);
    const smtp = kinds.find(({ provider }) => provider === 'smtp')?.settings as Schema;
    const validate = new Ajv({ strict: false }).compile(smtp);
    const config = { from: 'help@shop.test', smtp: { host: 'mail.shop.test', port: 587 } };
    expect(validate(config)).toBe(true);
    for (const wrong of [{ from: 'x' }, { ...config, smtp: { host: 'x' } }, { ...config, other: 1 }])
      expect(validate(wrong)).toBe(false);
    expect(smtp.properties.smtp?.properties?.password).toMatchObject({ writeOnly: true, type: 'string' });
  });
});

describe('the setup of a channel', () => {
  it('has the URL and the verify token for Meta, and what has been seen', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.post('/v3/channels', whatsappChannel);
    const answer = await tenant.get(`/v3/channels/${channel.body.data.id}/setup`);
    expect(answer.body.data[3]).toMatchObject({
      webhookUrl: 'https://parley.test/providers/whatsapp_cloud',
      verifyToken: 'chosen',
      isReachable: true,
      message: 'No message has come in yet.',
      seenAt: null,
    });
    expect(answer.text).not.toContain('hidden-secret');
    expect(answer.body.data.map(statusOf)).toEqual(['open', 'open', 'done', 'open', 'open', 'open', 'open']);
    const { steps } = (await tenant.get('/v3/channel_kinds')).body.data.find(
      ({ provider }: { provider: string }) => provider === 'whatsapp_cloud',
    );
    expect(answer.body.data.map(({ step }: { step: string }) => step)).toEqual(steps);
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
    const steps = async () => (await tenant.get(`/v3/channels/${id}/setup`)).body.data.map(statusOf);
    // Nothing ever shows that records were added to the domain.
    expect(await steps()).toEqual(['unknown', 'done', 'open', 'open', 'open']);
    const twilio = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'twilio',
      name: 'Texts',
      address: '+15550008888',
      config: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'hidden-token', from: '+15550008888' },
    });
    const setupOf = async () => (await tenant.get(`/v3/channels/${twilio.body.data.id}/setup`)).body.data;
    expect((await setupOf())[0].status).toBe('open');
    await server.system.db.query("update channels set health = 'healthy' where id = $1", [
      twilio.body.data.id,
    ]);
    expect((await setupOf())[0].status).toBe('done');
  });

  it('shows that messages have come in and gone out', async () => {
    const tenant = await server.tenant();
    const { id } = await tenant.channel();
    await tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', text: 'hello' });
    await server.settle();
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'hi' });
    await server.settle();
    expect((await tenant.get(`/v3/channels/${id}/setup`)).body.data).toMatchObject([
      { status: 'done', message: 'The channel exists.', webhookUrl: null, verifyToken: null },
      { status: 'done', message: 'A message has come in.', seenAt: expect.any(String) },
      { status: 'done', message: 'A message has been sent.', seenAt: expect.any(String) },
    ]);
  });

  it('is read with channels:read; the verify token is for those who may change channels', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const channel = await tenant.post('/v3/channels', whatsappChannel);
    const path = `/v3/channels/${channel.body.data.id}/setup`;
    expect((await other.get(path)).status).toBe(404);
    const token = await tenant.tokenWith(['channels:read']);
    const [all, read] = [await tenant.get(path), await tenant.get(path, { token })];
    expect(all.text).toContain('chosen');
    expect(read.text).not.toContain('chosen');
    expect(read.body.data.map(statusOf)).toEqual(all.body.data.map(statusOf));
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
