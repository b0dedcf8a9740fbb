import { beforeEach, describe, expect, it } from 'vitest';
import { pathOfUrl, upload } from '../kit/files.ts';
import { customers, type Kind, messageOf, openChat, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const PLACE = { latitude: 52.52, longitude: 13.405, name: 'Shop', address: null };
const CARD = { name: 'Ada', organization: null, phoneNumbers: ['+15550001111'], emails: [] };
const STORY = { storyId: '17900000000000001', url: 'https://cdn.example.com/story.jpg' };

/** What customers can write: the kinds of channels, the body of the request, and the message. */
const contents: [string, Kind[], object, object][] = [
  ['a text', ['whatsapp', 'sms', 'instagram'], { text: 'Grüße 🎉' }, { type: 'text', text: 'Grüße 🎉' }],
  [
    'a mail',
    ['email'],
    { text: 'Grüße 🎉', content: { subject: 'Ordnung' } },
    { type: 'email', text: 'Grüße 🎉', content: { subject: 'Ordnung' } },
  ],
  ['a place', ['whatsapp'], { type: 'location', content: PLACE }, { type: 'location', content: PLACE }],
  [
    'a card',
    ['whatsapp'],
    { type: 'contacts', content: { contacts: [CARD] } },
    { type: 'contacts', content: { contacts: [CARD] } },
  ],
  [
    'a choice',
    ['whatsapp', 'instagram'],
    { type: 'interactive', text: 'Yes', content: { id: 'yes', title: 'Yes' } },
    { type: 'interactive', text: 'Yes', content: { id: 'yes', title: 'Yes' } },
  ],
  [
    'an answer to a story',
    ['instagram'],
    { type: 'story_reply', text: 'nice', content: STORY },
    { type: 'story_reply', text: 'nice', content: STORY },
  ],
  [
    'a mention in a story',
    ['instagram'],
    { type: 'story_mention', content: STORY },
    { type: 'story_mention', content: { url: STORY.url } },
  ],
  ['something new', ['whatsapp', 'instagram'], { type: 'unsupported' }, { type: 'unsupported' }],
];
const onEveryKind = contents.flatMap(([name, kinds, ask, shown]) =>
  kinds.map((kind) => [name, kind, ask, shown] as const),
);

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const files: [type: string, bytes: Buffer, filename: string, Kind[]][] = [
  ['image', PNG, 'a.png', ['whatsapp', 'sms', 'instagram', 'email']],
  [
    'video',
    Buffer.from('00000018667479706d703432', 'hex'),
    'a.mp4',
    ['whatsapp', 'sms', 'instagram', 'email'],
  ],
  ['audio', Buffer.from('#!AMR\n'), 'a.amr', ['whatsapp', 'sms', 'instagram', 'email']],
  ['document', Buffer.from('%PDF-1.7\n'), 'a.pdf', ['whatsapp', 'sms', 'email']],
  ['sticker', PNG, 'a.webp', ['whatsapp']],
];
const filesOnEveryKind = files.flatMap(([type, bytes, filename, kinds]) =>
  kinds.map((kind) => [type, kind, bytes, filename] as const),
);

async function written(kind: Kind, body: object) {
  const channel = await tenant.channel(kind);
  const answer = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: customers[kind], ...body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await server.settle();
  const { rows } = await server.system.db.query('select error from inbound where channel_id = $1', [
    channel.id,
  ]);
  expect(rows).toEqual([]);
  const { data } = (await tenant.post('/v3/messages/search', {})).body;
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({
    sender: 'inbound',
    author: { type: 'contact' },
    vendorId: answer.body.data.vendorId,
  });
  return data[0];
}

describe('a message of a customer in the sandbox', () => {
  it.each(onEveryKind)('%s on %s is returned as it was written', async (_, kind, ask, shown) => {
    expect(await written(kind, ask)).toMatchObject(shown);
  });

  it.each(
    filesOnEveryKind,
  )('a file (%s) on %s is there with its bytes', async (type, kind, bytes, filename) => {
    const fileId = (await upload(tenant, bytes, filename)).body.data.id;
    const message = await written(kind, { media: { fileId }, ...(kind === 'email' ? {} : { type }) });
    expect(message.type).toBe(kind === 'email' ? 'email' : type);
    expect(message.media).toMatchObject([{ fileId: expect.any(String), size: bytes.length }]);
    expect(message.media[0].fileId).not.toBe(fileId);
    expect((await server.call('GET', pathOfUrl(message.media[0].url))).bytes).toEqual(bytes);
  });

  it.each<Kind>([
    'whatsapp',
    'instagram',
  ])('a reaction on %s names the message, and can be removed', async (kind) => {
    const channel = await tenant.channel(kind);
    const ours = await send(tenant, await openChat(server, tenant, channel, customers[kind]), {
      text: 'hello',
    });
    await server.settle();
    const path = `/v3/sandbox/${channel.id}/inbound`;
    const reaction = { from: customers[kind], type: 'reaction', replyToMessageId: ours.id };
    for (const emoji of ['👍', null]) {
      expect((await tenant.post(path, { ...reaction, content: { emoji } })).status).toBe(200);
      server.clock.advance(1000);
      await server.settle();
    }
    const { data } = (
      await tenant.post('/v3/messages/search', { query: 'eq(type,"reaction")', sortBy: 'asc(timestamp)' })
    ).body;
    const content = (emoji: string | null) => ({ messageId: ours.id, emoji });
    expect(data).toMatchObject([
      { type: 'reaction', replyToMessageId: ours.id, content: content('👍') },
      { type: 'reaction', replyToMessageId: ours.id, content: content(null) },
    ]);
    expect((await messageOf(tenant, ours.id)).status).not.toBe('failed');
  });
});
