import { beforeEach, describe, expect, it } from 'vitest';
import { adapterContext } from '../../src/adapter-context.ts';
import { fileStore } from '../../src/files/store.ts';
import type { AdapterChannel } from '../../src/providers/adapter-channel.ts';
import type { SandboxStore } from '../../src/providers/adapter-context.ts';
import type { InboundEvent, InboundMessage } from '../../src/providers/inbound-event.ts';
import type { ProviderRequest } from '../../src/providers/provider-request.ts';
import { refOf } from '../../src/providers/sandbox/media.ts';
import { sandbox } from '../../src/providers/sandbox/sandbox.ts';
import { upload } from '../kit/files.ts';
import {
  approvedTemplate,
  chatWith,
  customers,
  type Kind,
  messageOf,
  openChat,
  outboxOf,
  send,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const { clock } = server;
const START = clock.now();

let tenant: TestTenant;
beforeEach(async () => {
  clock.set(START);
  tenant = await server.tenant();
});

async function adapterChannel(id: string, kind: Kind): Promise<AdapterChannel> {
  const { rows } = await db.query('select tenant_id, address, config_encrypted from channels where id = $1', [
    id,
  ]);
  const [{ tenant_id: tenantId, address, config_encrypted }] = rows as [
    { tenant_id: string; address: string; config_encrypted: Buffer },
  ];
  const config = JSON.parse(server.keys.decrypt(config_encrypted, 'channels.config'));
  return { id, tenantId, kind, address, config };
}

/** The requests of the sandbox about this channel, with their times. Every request is signed. */
async function requestsOf(
  channel: { id: string },
  kind: Kind,
): Promise<{ inMs: number; event: InboundEvent }[]> {
  const known = await adapterChannel(channel.id, kind);
  const { rows } = await db.query(
    `select url, headers, body, created_at as "receivedAt", extract(epoch from greatest(due_at, created_at)) * 1000 as due from inbound
      where channel_id = $1 order by due_at, id`,
    [channel.id],
  );
  const reports: { inMs: number; event: InboundEvent }[] = [];
  for (const row of rows as unknown as (ProviderRequest & { due: number })[]) {
    expect(sandbox.verifySignature(row, known)).toBe(true);
    // Twilio gets our id in the callback URL.
    expect(row.url.replace(/\?messageId=[0-9a-f-]{36}$/, '')).toBe(
      `https://parley.test/providers/sandbox/${channel.id}`,
    );
    for (const event of await sandbox.parseInbound(row, known))
      reports.push({ inMs: Math.round(Number(row.due) - clock.now().getTime()), event });
  }
  return reports;
}
const statusesOf = async (channel: { id: string }, kind: Kind): Promise<[number, string][]> =>
  (await requestsOf(channel, kind)).map(({ inMs, event }) => [
    inMs,
    event.kind === 'status' ? event.status : event.kind,
  ]);
const faults = (channel: { id: string }, body: object) =>
  tenant.post(`/v3/sandbox/${channel.id}/faults`, body);

describe('the sandbox’s reports about a message', () => {
  it.each<[Kind, [number, string][]]>([
    [
      'whatsapp',
      [
        [200, 'delivered'],
        [400, 'read'],
      ],
    ],
    ['instagram', [[200, 'read']]],
    ['sms', [[200, 'delivered']]],
    ['email', []],
  ])('on %s are those of its vendors, at their times', async (kind, expected) => {
    const channel = await tenant.channel(kind);
    const chat = await openChat(server, tenant, channel, customers[kind]);
    const message = await send(tenant, chat, { text: 'hello' });
    await server.settle();
    expect(await statusesOf(channel, kind)).toEqual(expected);
    const [accepted] = await outboxOf(tenant, channel);
    for (const { event } of await requestsOf(channel, kind))
      expect(event).toMatchObject({
        vendorId: accepted.vendorId,
        // Instagram has only its own id.
        ...(kind === 'instagram' ? {} : { messageId: message.id }),
      });
  });

  it('follow the delay of the channel', async () => {
    const channel = await tenant.channel('whatsapp');
    await tenant.put(`/v3/channels/${channel.id}`, { config: { statusDelayMs: 5000 } });
    await send(tenant, await openChat(server, tenant, channel), { text: 'hello' });
    await server.settle();
    expect(await statusesOf(channel, 'whatsapp')).toEqual([
      [5000, 'delivered'],
      [10_000, 'read'],
    ]);
  });

  it('of a mail to bounce@… are a bounce', async () => {
    const channel = await tenant.channel('email');
    const chat = await openChat(server, tenant, channel, 'bounce@example.com');
    await send(tenant, chat, { text: 'hello' });
    await server.settle();
    const [report] = await requestsOf(channel, 'email');
    expect(report).toMatchObject({ inMs: 200, event: { status: 'failed', error: { code: '5.1.1' } } });
  });
});

describe('special recipients', () => {
  const sentTo = async (kind: Kind, to: string, body: object = { text: 'hello' }) => {
    const channel = await tenant.channel(kind);
    const message = await send(tenant, await openChat(server, tenant, channel, to), body);
    await server.settle();
    return { channel, message, now: () => messageOf(tenant, message.id) };
  };

  it.each<[Kind, string, string]>([
    ['whatsapp', '+15550000001', '131026'],
    ['instagram', '178414000000001', '131026'],
    ['email', 'nobody0001@example.com', '131026'],
    ['whatsapp', '+15550000002', '131047'],
    ['sms', '+15550000001', '30003'],
    ['sms', '+15550000002', '63016'],
    ['sms', '+15550000003', '21610'],
    ['whatsapp', '+15550000003', '131050'],
  ])('on %s %s: the message fails with %s', async (kind, to, code) => {
    const { channel, now } = await sentTo(kind, to);
    expect(await now()).toMatchObject({ status: 'failed', error: { code } });
    expect(await outboxOf(tenant, channel)).toEqual([]);
  });

  it('that only accept templates receive them', async () => {
    const channel = await tenant.channel('whatsapp');
    const templateId = await approvedTemplate(server, tenant, { channelId: channel.id });
    const chat = await openChat(server, tenant, channel, '+15550000002');
    const message = await send(tenant, chat, { template: { templateId } });
    await server.settle();
    expect((await messageOf(tenant, message.id)).status).toBe('sent');
  });

  it('that are throttled twice receive the message the third time', async () => {
    const { channel, now } = await sentTo('sms', '+15550000004');
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect((await now()).status).toBe('queued');
      expect(await outboxOf(tenant, channel)).toEqual([]);
      clock.advance(5000);
      await server.settle();
    }
    expect((await now()).status).toBe('sent');
    expect(await outboxOf(tenant, channel)).toHaveLength(1);
  });
});

describe('simulated failures', () => {
  it('are the last given ones, and none after an empty body', async () => {
    const channel = await tenant.channel('sms');
    const off = { duplicate: false, reorder: false, failEvery: 0, delayMs: 0, echoBeforeResponse: false };
    expect((await faults(channel, { duplicate: true, failEvery: 3 })).body.data).toEqual({
      ...off,
      duplicate: true,
      failEvery: 3,
    });
    expect((await faults(channel, { reorder: true })).body.data).toEqual({ ...off, reorder: true });
    expect((await faults(channel, {})).body.data).toEqual(off);
    const { config } = await adapterChannel(channel.id, 'sms');
    const change = (given: object) => tenant.put(`/v3/channels/${channel.id}`, { config: given });
    expect((await change({ faults: { duplicate: true } })).body.error.invalidParams).toHaveProperty(
      ['config.faults', 'key'],
      'unrecognized_keys',
    );
    await change({ statusDelayMs: 1 });
    expect((await adapterChannel(channel.id, 'sms')).config).toEqual({ ...config, statusDelayMs: 1 });
  });

  it.each([
    ['duplicate', 1],
    ['failEvery', -1],
    ['failEvery', 1.5],
    ['delayMs', 60_001],
    ['echoBeforeResponse', 'yes'],
  ])('do not accept %s of %j', async (name, value) => {
    const channel = await tenant.channel('sms');
    const answer = await faults(channel, { [name]: value });
    expect(Object.keys(answer.body.error.invalidParams)).toEqual([name]);
  });

  it('can be set for sandbox channels of the tenant only', async () => {
    const channel = await (await server.tenant()).channel();
    expect((await faults(channel, {})).body.error.messageKey).toBe('channel_not_found');
    const outbox = await tenant.get(`/v3/sandbox/${channel.id}/outbox`);
    expect(outbox.body.error.messageKey).toBe('channel_not_found');
  });

  it('duplicate: every request is sent twice', async () => {
    const channel = await tenant.channel('sms');
    const chat = await openChat(server, tenant, channel);
    await faults(channel, { duplicate: true });
    await send(tenant, chat, { text: 'hello' });
    await server.settle();
    expect(await statusesOf(channel, 'sms')).toEqual([
      [200, 'delivered'],
      [200, 'delivered'],
    ]);
    expect(await outboxOf(tenant, channel)).toHaveLength(1);
  });

  it('reorder: the last status comes first', async () => {
    const channel = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, channel);
    await faults(channel, { reorder: true });
    await send(tenant, chat, { text: 'hello' });
    await server.settle();
    expect(await statusesOf(channel, 'whatsapp')).toEqual([
      [200, 'read'],
      [400, 'delivered'],
    ]);
  });

  it('failEvery: every n-th attempt is refused, and everything is sent in the end', async () => {
    const channel = await tenant.channel('sms');
    await faults(channel, { failEvery: 3 });
    const messages = [];
    for (let number = 0; number < 9; number += 1)
      messages.push(
        await send(tenant, await chatWith(tenant, channel.id, `+1202555012${number}`), { text: 'hello' }),
      );
    await server.settle();
    expect(await outboxOf(tenant, channel)).toHaveLength(6);
    clock.advance(60_000);
    await server.settle();
    clock.advance(60_000);
    await server.settle();
    expect(await outboxOf(tenant, channel)).toHaveLength(9);
  });

  it('echoBeforeResponse: reports do not wait for the answer', async () => {
    for (const kind of ['whatsapp', 'sms'] as const) {
      const channel = await tenant.channel(kind);
      const chat = await openChat(server, tenant, channel);
      await faults(channel, { echoBeforeResponse: true });
      const known = await adapterChannel(channel.id, kind);
      const later: { at: Date; request: ProviderRequest }[] = [];
      const message = await send(tenant, chat, { text: 'hello' });
      await sandbox.send(
        {
          ...message,
          to: { type: 'phone_number', value: customers[kind] },
          template: null,
          replyToVendorId: null,
          references: [],
          isAutomatic: false,
        },
        known,
        {
          now: clock.now,
          callbackUrl: () => '',
          sandbox: {
            accept: async (...[, , requests]: Parameters<SandboxStore['accept']>) =>
              void later.push(...requests),
          },
        } as never,
      );
      const [first] = later;
      expect(first?.at).toEqual(clock.now());
      const [event] = await sandbox.parseInbound(first?.request as ProviderRequest, known);
      expect(event?.kind).toBe(kind === 'sms' ? 'status' : 'echo');
    }
  });
});

describe('the outbox', () => {
  it('returns the requested number, the oldest first', async () => {
    const channel = await tenant.channel('sms');
    const chat = await openChat(server, tenant, channel);
    for (const text of ['first', 'second', 'third']) {
      await send(tenant, chat, { text });
      await server.settle();
      clock.advance(1000);
    }
    const { body } = await tenant.get(`/v3/sandbox/${channel.id}/outbox?limit=2`);
    expect(body.data.map(({ text }: { text: string }) => text)).toEqual(['first', 'second']);
    expect(body.data[0].at).toBe(START.toISOString());
    for (const limit of ['0', '10001', '-1', 'all', ''])
      expect((await tenant.get(`/v3/sandbox/${channel.id}/outbox?limit=${limit}`)).status).toBe(400);
  });
});

describe('writing as a customer', () => {
  const write = (channel: { id: string }, kind: Kind, body: object) =>
    tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: customers[kind], ...body });

  it.each<[string, Kind, object, object]>([
    ['a text', 'whatsapp', { text: 'hello' }, { type: 'text', text: 'hello', media: [] }],
    [
      'a mail',
      'email',
      { text: 'hello', content: { subject: 'Order' } },
      { type: 'email', content: { subject: 'Order' } },
    ],
    [
      'a place',
      'whatsapp',
      { type: 'location', content: { latitude: 1, longitude: 2 } },
      { type: 'location', content: { latitude: 1, longitude: 2 } },
    ],
    [
      'a choice',
      'whatsapp',
      { type: 'interactive', content: { id: 'yes', title: 'Yes' } },
      { type: 'interactive', content: { id: 'yes', title: 'Yes' } },
    ],
    ['a card', 'whatsapp', { type: 'contacts', content: { contacts: [] } }, { type: 'contacts' }],
    [
      'a story reply',
      'instagram',
      { type: 'story_reply', text: 'nice', content: { storyId: '1', url: null } },
      { type: 'story_reply', text: 'nice' },
    ],
    ['something new', 'whatsapp', { type: 'unsupported' }, { type: 'unsupported' }],
    [
      'a picture elsewhere',
      'sms',
      { media: { url: 'https://example.com/a.png' }, text: 'look' },
      {
        type: 'image',
        text: 'look',
        // Twilio sends no file name.
        media: [expect.objectContaining({ mimeType: 'image/png', filename: null })],
      },
    ],
  ])('%s on %s', async (_, kind, body, expected) => {
    const channel = await tenant.channel(kind);
    const { body: answer } = await write(channel, kind, body);
    const [report] = await requestsOf(channel, kind);
    expect(report?.event).toMatchObject({ kind: 'message', vendorId: answer.data.vendorId, ...expected });
  });

  it('an uploaded file: fetched from the vendor, or contained in a mail', async () => {
    const fileId = (await upload(tenant, 'hello', 'a.txt')).body.data.id;
    for (const kind of ['whatsapp', 'email'] as const) {
      const channel = await tenant.channel(kind);
      await write(channel, kind, { media: [{ fileId }] });
      const [report] = await requestsOf(channel, kind);
      const { media } = report?.event as InboundMessage;
      // WhatsApp sends the size of a file only when it is fetched.
      const size = kind === 'email' ? 5 : null;
      expect(media).toMatchObject([{ mimeType: 'text/plain', filename: 'a.txt', size }]);
      if (kind === 'email') expect(media[0]?.bytes?.toString()).toBe('hello');
      else expect(media[0]?.ref).toBeDefined();
    }
  });

  it('replies and reactions name their message', async () => {
    const channel = await tenant.channel('whatsapp');
    const message = await send(tenant, await openChat(server, tenant, channel), { text: 'hello' });
    await server.settle();
    const { vendorId } = await messageOf(tenant, message.id);
    await db.query('delete from inbound where channel_id = $1', [channel.id]);
    const content = { emoji: '👍' };
    await write(channel, 'whatsapp', { type: 'reaction', content, replyToMessageId: message.id });
    const [report] = await requestsOf(channel, 'whatsapp');
    expect(report?.event).toMatchObject({ type: 'reaction', content, replyTo: [vendorId] });
  });

  it.each<[string, Kind, object, string]>([
    ['nothing', 'whatsapp', {}, 'text'],
    ['a sticker on SMS', 'sms', { type: 'sticker' }, 'type'],
    ['a template', 'whatsapp', { type: 'template' }, 'type'],
    ['somebody who cannot be', 'email', { from: 'nobody', text: 'a' }, 'from'],
    [
      'a file that is not there',
      'sms',
      { media: { fileId: '019a82a0-0000-7000-8000-00000000ffff' } },
      'media.fileId',
    ],
    ['a file by nothing', 'sms', { media: [{}] }, 'media.0'],
    ['a mail with a file elsewhere', 'email', { media: { url: 'https://example.com/a.png' } }, 'media.url'],
    [
      'an answer to nothing',
      'sms',
      { text: 'a', replyToMessageId: '019a82a0-0000-7000-8000-00000000ffff' },
      'replyToMessageId',
    ],
  ])('%s on %s is refused', async (_, kind, body, path) => {
    const channel = await tenant.channel(kind);
    const answer = await write(channel, kind, body);
    expect(Object.keys(answer.body.error.invalidParams)).toEqual([path]);
  });
});

describe('a file of a message', () => {
  it('is the uploaded one of the same tenant only', async () => {
    const nobody = async () => Promise.reject(new Error('nobody is called'));
    const context = adapterContext({
      db,
      clock,
      keys: server.keys,
      outbound: { request: nobody, connect: nobody, resolve: nobody },
      baseUrl: () => '',
      files: fileStore(server.filesFolder),
    });
    const fileId = (await upload(tenant, 'hello', 'a.txt')).body.data.id;
    const mine = await adapterChannel((await tenant.channel('sms')).id, 'sms');
    const theirs = await adapterChannel((await (await server.tenant()).channel('sms')).id, 'sms');
    const fetched = await sandbox.fetchMedia?.(refOf({ fileId }), mine, context);
    expect(fetched).toEqual({ bytes: Buffer.from('hello'), mimeType: 'text/plain', filename: 'a.txt' });
    await expect(sandbox.fetchMedia?.(refOf({ fileId }), theirs, context)).rejects.toThrow('no such file');
  });
});
