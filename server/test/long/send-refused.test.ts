import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { upload } from '../kit/files.ts';
import {
  approvedTemplate,
  customers,
  type Kind,
  openChat,
  outboxOf,
  send,
  type TestChat,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer({ maxFileBytes: 8 * 1024 * 1024 });
const { db } = server.system;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const DAY = 24 * 3600_000;

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const chatOn = async (kind: Kind): Promise<TestChat> =>
  openChat(server, tenant, await tenant.channel(kind), customers[kind]);
const attempt = (chat: { id: string }, body: object) => tenant.post(`/v3/chats/${chat.id}/messages`, body);

/** The issues of a message, by parameter. */
async function issuesOf(chat: { id: string }, body: object): Promise<Record<string, string>> {
  const answer = await attempt(chat, body);
  expect([answer.status, answer.body.error?.messageKey]).toEqual([400, 'invalid_body_params']);
  const params = answer.body.error.invalidParams as Record<string, { key: string; message: string }>;
  return Object.fromEntries(
    Object.entries(params).map(([path, { key, message }]) => [path, `${key}: ${message}`]),
  );
}
async function conflictOf(chat: { id: string }, body: object): Promise<string> {
  const answer = await attempt(chat, body);
  expect([answer.status, answer.body.error?.messageKey]).toEqual([409, 'conflict']);
  return answer.body.error.message;
}
const nothingQueued = async (): Promise<void> => {
  const { rows } = await db.query(`select 1 from messages where tenant_id = $1 and sender = 'outbound'`, [
    tenant.id,
  ]);
  expect(rows).toEqual([]);
};

const link = (name: string) => ({ url: `https://files.example.com/${name}` });
const text = (length: number): string => 'ä'.repeat(length);

describe('a message that the channel does not support', () => {
  it.each<[string, Kind, object, Record<string, RegExp>]>([
    ['nothing at all', 'sms', {}, { text: /^invalid_type: Required$/ }],
    ['a place on SMS', 'sms', { location: { latitude: 1, longitude: 1 } }, { type: /"location".*sms/ }],
    [
      'buttons on SMS',
      'sms',
      { text: 'a', interactive: { buttons: [{ id: 'a', title: 'a' }] } },
      { type: /./ },
    ],
    ['a document on Instagram', 'instagram', { media: link('a.pdf') }, { type: /"document".*instagram/ }],
    ['a mail on WhatsApp', 'whatsapp', { email: { subject: 'a' }, text: 'a' }, { type: /"email"/ }],
    [
      'a text that is too long on WhatsApp',
      'whatsapp',
      { text: text(4097) },
      { text: /^too_big: .*4096 characters.*4097/ },
    ],
    ['a text that is too long on SMS', 'sms', { text: text(1601) }, { text: /^too_big: .*1600/ }],
    [
      'a text of too many bytes on Instagram',
      'instagram',
      { text: text(501) },
      { text: /^too_big: .*1000 bytes.*1002/ },
    ],
    [
      'a caption that is too long',
      'whatsapp',
      { media: link('a.png'), text: text(1025) },
      { text: /^too_big: .*1024/ },
    ],
    [
      'a caption where there are none',
      'instagram',
      { media: link('a.png'), text: 'a' },
      { text: /^custom: .*no captions/ },
    ],
    [
      'two files on WhatsApp',
      'whatsapp',
      { media: [link('a.png'), link('b.png')] },
      { media: /^too_big: At most 1/ },
    ],
    [
      'eleven files on SMS',
      'sms',
      { media: Array(11).fill(link('a.png')) },
      { media: /^too_big: At most 10/ },
    ],
    [
      'a picture of a type that WhatsApp does not show',
      'whatsapp',
      { media: link('a.gif') },
      { media: /^custom: .*image\/jpeg.*image\/gif/ },
    ],
    [
      'a film as a picture',
      'whatsapp',
      { type: 'image', media: link('a.mp4') },
      { media: /^custom: .*video\/mp4/ },
    ],
    [
      'a picture without a picture',
      'whatsapp',
      { type: 'image', text: 'a' },
      { media: /^invalid_type: Required/ },
    ],
    [
      'a text with a place',
      'whatsapp',
      { type: 'text', text: 'a', location: { latitude: 1, longitude: 1 } },
      { location: /^custom: Not allowed for/ },
    ],
    [
      'a sticker with a caption',
      'whatsapp',
      { type: 'sticker', media: link('a.webp'), text: 'a' },
      { text: /^custom: Not allowed for/ },
    ],
    [
      'buttons and a list',
      'whatsapp',
      {
        text: 'a',
        interactive: {
          buttons: [{ id: 'a', title: 'a' }],
          list: { button: 'a', sections: [{ rows: [{ id: 'a', title: 'a' }] }] },
        },
      },
      { interactive: /Exactly one/ },
    ],
    [
      'four buttons',
      'whatsapp',
      { text: 'a', interactive: { buttons: Array(4).fill({ id: 'a', title: 'a' }) } },
      { 'interactive.buttons': /^too_big/ },
    ],
    [
      'a mail that says nothing',
      'email',
      { email: { subject: 'a' } },
      { text: /^custom: .text. or .email\.html. is required/ },
    ],
    [
      'a copy to nobody',
      'email',
      { email: { subject: 'a', cc: ['a@b.com', 'nobody'] }, text: 'a' },
      { 'email.cc.1': /^invalid_string/ },
    ],
    [
      'a type that only comes in',
      'whatsapp',
      { type: 'story_reply', text: 'a' },
      { type: /^invalid_enum_value/ },
    ],
    ['a file by nothing', 'sms', { media: {} }, { media: /Either/ }],
    [
      'a file by two things',
      'sms',
      { media: [{ ...link('a.png'), fileId: UNKNOWN }] },
      { 'media.0': /Either/ },
    ],
    [
      'a file that is not there',
      'sms',
      { media: { fileId: UNKNOWN } },
      { 'media.fileId': /^custom: There is no file/ },
    ],
    [
      'a file at an address that is none',
      'sms',
      { media: { url: 'ftp://example.com/a.png' } },
      { 'media.url': /^invalid_string/ },
    ],
    [
      'a file within the network',
      'sms',
      { media: [{ url: 'http://169.254.169.254/latest/a.png' }] },
      { 'media.0.url': /PARLEY_OUTBOUND_ALLOW_HOSTS/ },
    ],
    [
      'an answer to nothing',
      'sms',
      { text: 'a', replyToMessageId: UNKNOWN },
      { replyToMessageId: /in this chat/ },
    ],
    [
      'a reaction to nothing',
      'whatsapp',
      { reaction: { messageId: UNKNOWN, emoji: 'a' } },
      { 'reaction.messageId': /in this chat/ },
    ],
    [
      'a template that is not there',
      'whatsapp',
      { template: { templateId: UNKNOWN } },
      { 'template.templateId': /There is no template/ },
    ],
    [
      'a time that is past',
      'sms',
      { text: 'a', scheduledAt: '2026-11-15T01:02:03.000Z' },
      { scheduledAt: /in the future/ },
    ],
    [
      'a time in two years',
      'sms',
      { text: 'a', scheduledAt: '2028-11-15T01:02:03.000Z' },
      { scheduledAt: /at most a year/ },
    ],
    [
      'several faults at once',
      'whatsapp',
      {
        text: text(5000),
        replyToMessageId: UNKNOWN,
        scheduledAt: '2020-01-01T00:00:00Z',
        media: [{ fileId: UNKNOWN }, {}],
      },
      {
        'media.0.fileId': /./,
        'media.1': /./,
        media: /At most 1/,
        scheduledAt: /./,
        replyToMessageId: /./,
        text: /./,
      },
    ],
  ])('%s is refused with an issue at its parameter', async (_, kind, body, expected) => {
    const chat = await chatOn(kind);
    const issues = await issuesOf(chat, body);
    expect(Object.keys(issues).sort()).toEqual(Object.keys(expected).sort());
    for (const [path, pattern] of Object.entries(expected)) expect(issues[path]).toMatch(pattern);
    await nothingQueued();
  });

  it('a file that is too large is refused', async () => {
    const chat = await chatOn('whatsapp');
    const png = Buffer.concat([
      Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex'),
      Buffer.alloc(5 * 1024 * 1024),
    ]);
    const fileId = (await upload(tenant, png, 'large.png')).body.data.id;
    expect((await issuesOf(chat, { media: { fileId } })).media).toMatch(/^too_big: .*5242880.*5242913/);
  });

  it('a file, template, message or chat of another tenant is refused like an unknown one', async () => {
    const other = await server.tenant();
    const theirs = await openChat(server, other, await other.channel('sms'));
    const fileId = (await upload(other, 'hello', 'a.txt')).body.data.id;
    const template = await other.post('/v3/message_templates', {
      channelId: theirs.channelId,
      name: 'a',
      language: 'en',
      body: 'a',
    });
    const message = (await other.post(`/v3/chats/${theirs.id}/messages/search`, {})).body.data[0];
    const chat = await chatOn('sms');
    expect(await issuesOf(chat, { media: { fileId } })).toHaveProperty(['media.fileId']);
    const templateId = template.body.data.id;
    expect(await issuesOf(chat, { template: { templateId } })).toHaveProperty(['template.templateId']);
    expect(await issuesOf(chat, { text: 'a', replyToMessageId: message.id })).toHaveProperty(
      'replyToMessageId',
    );
    const unknown = (await attempt({ id: UNKNOWN }, { text: 'a' })).body.error;
    const foreign = (await attempt(theirs, { text: 'a' })).body.error;
    expect({ ...foreign, requestId: '' }).toEqual({ ...unknown, requestId: '' });
    expect(unknown.messageKey).toBe('chat_not_found');
  });
});

describe('a template', () => {
  const made = async (channelId: string, more: object = {}): Promise<string> =>
    (
      await tenant.post('/v3/message_templates', {
        channelId,
        name: `a${newId().replaceAll('-', '')}`,
        language: 'en',
        body: 'Hello {{name}}, {{1}}',
        header: { type: 'text', text: 'For {{name}}' },
        ...more,
      })
    ).body.data.id;

  it('needs a text for each of its variables and no others', async () => {
    const chat = await chatOn('whatsapp');
    const templateId = await made(chat.channelId);
    const issues = await issuesOf(chat, { template: { templateId, variables: { 1: 5, other: 'a' } } });
    expect(Object.keys(issues).sort()).toEqual([
      'template.variables.1',
      'template.variables.name',
      'template.variables.other',
    ]);
    expect(issues['template.variables.name']).toBe('invalid_type: Required');
  });

  it('of another channel does not exist', async () => {
    const chat = await chatOn('whatsapp');
    const templateId = await made((await tenant.channel('whatsapp')).id);
    expect(await issuesOf(chat, { template: { templateId } })).toHaveProperty(['template.templateId']);
  });

  it.each(['pending', 'rejected', 'paused', 'disabled'])('that is %s cannot be sent', async (status) => {
    const chat = await chatOn('whatsapp');
    const templateId = await made(chat.channelId, { body: 'Hello', header: null });
    await db.query(`update message_templates set status = $2, rejection_reason = 'too loud' where id = $1`, [
      templateId,
      status,
    ]);
    expect(await conflictOf(chat, { template: { templateId } })).toMatch(
      new RegExp(`${status} \\(too loud\\)`),
    );
  });

  it('can be sent after the reply window', async () => {
    const chat = await chatOn('whatsapp');
    const templateId = await approvedTemplate(server, tenant, { channelId: chat.channelId });
    server.clock.advance(2 * DAY);
    await send(tenant, chat, { template: { templateId } });
    await server.settle();
    expect(await outboxOf(tenant, { id: chat.channelId })).toHaveLength(1);
  });
});

describe('a conflict with the current state', () => {
  it.each<[Kind, object, number]>([
    ['whatsapp', {}, DAY],
    ['instagram', {}, DAY],
  ])('on %s: a free-form message after the reply window', async (kind, _config, ms) => {
    const chat = await chatOn(kind);
    server.clock.advance(ms - 1);
    await send(tenant, chat, { text: 'just in time' });
    server.clock.advance(1);
    expect(await conflictOf(chat, { text: 'too late' })).toMatch(/only a template can be sent/);
    expect(await conflictOf(chat, { media: link('a.png') })).toMatch(/only a template can be sent/);
  });

  it('on WhatsApp: a free-form message before the contact has written', async () => {
    const channel = await tenant.channel('whatsapp');
    const contact = await tenant.post('/v3/contacts', { phoneNumber: '+12025550123' });
    const chat = await tenant.post('/v3/chats', { contactId: contact.body.data.id, channelId: channel.id });
    expect(await conflictOf(chat.body.data, { text: 'hello' })).toMatch(/only a template/);
  });

  it('an SMS to a number that has opted out, but not other channels', async () => {
    const [sms, whatsapp] = [await chatOn('sms'), await chatOn('whatsapp')];
    await db.query(
      `update contacts set is_subscribed = false,
              subscriptions = '{"sms": {"status": "unsubscribed", "source": "contact", "at": "2026-11-15T00:00:00.000Z"}}'
        where tenant_id = $1`,
      [tenant.id],
    );
    expect(await conflictOf(sms, { text: 'hello' })).toMatch(/opted out/);
    await send(tenant, whatsapp, { text: 'hello' });
  });

  it('a channel whose provider this installation does not have', async () => {
    const chat = await chatOn('sms');
    await db.query(`update channels set provider = 'gone' where id = $1`, [chat.channelId]);
    expect(await conflictOf(chat, { text: 'hello' })).toMatch(/does not have the provider/);
  });

  it('is reported only for valid messages', async () => {
    const chat = await chatOn('whatsapp');
    server.clock.advance(2 * DAY);
    expect(await issuesOf(chat, { text: text(5000) })).toHaveProperty('text');
  });
});
