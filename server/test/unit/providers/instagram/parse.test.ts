import { describe, expect, test } from 'vitest';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { InboundEvent } from '../../../../src/providers/inbound-event.ts';
import { instagram } from '../../../../src/providers/instagram/instagram.ts';
import type { ProviderRequest } from '../../../../src/providers/provider-request.ts';

const channel: AdapterChannel = {
  id: '019a82a0-0000-7000-8000-000000000021',
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'instagram',
  address: 'shop',
  config: { accountId: '1784', appSecret: 'app-secret' },
};
const requestOf = (payload: unknown): ProviderRequest => ({
  url: '',
  headers: {},
  body: Buffer.from(JSON.stringify(payload)),
});
const parsePayload = (payload: unknown): InboundEvent[] =>
  instagram.parseInbound(requestOf(payload), channel) as InboundEvent[];
const parse = (...elements: object[]): InboundEvent[] =>
  parsePayload({
    object: 'instagram',
    entry: [
      {
        id: '1784',
        time: 1_772_998_024_000,
        messaging: elements.map((element) => ({
          sender: { id: '2001' },
          recipient: { id: '1784' },
          timestamp: 1_772_998_024_123,
          ...element,
        })),
      },
    ],
  });
const message = (more: object): InboundEvent[] => parse({ message: { mid: 'm1', ...more } });
const attached = (type: string, payload: object = { url: 'https://cdn.example/a' }) => ({
  attachments: [{ type, payload }],
});
const file = { mimeType: null, filename: null, size: null, ref: { url: 'https://cdn.example/a' } };

describe('a message', () => {
  test('has its time in milliseconds and its contact by id', () => {
    expect(message({ text: 'Hi' })).toEqual([
      {
        kind: 'message',
        vendorId: 'm1',
        occurredAt: new Date('2026-03-08T19:27:04.123Z'),
        contact: { type: 'instagram_id', value: '2001', name: null },
        type: 'text',
        text: 'Hi',
        media: [],
        content: {},
      },
    ]);
  });

  test.each([
    ['image', 'image'],
    ['video', 'video'],
    ['audio', 'audio'],
    ['file', 'document'],
  ])('with a file of the kind %s is of the type %s', (vendorType, type) => {
    expect(message(attached(vendorType))).toMatchObject([{ type, text: null, media: [file], content: {} }]);
  });

  test.each([
    ['share', 'document'],
    ['ig_post', 'document'],
    ['ig_reel', 'video'],
    ['reel', 'video'],
  ])('that shares a %s names it', (vendorType, type) => {
    expect(message(attached(vendorType, { url: 'https://cdn.example/a', title: 'Look' }))).toMatchObject([
      { type, media: [file], content: { share: { type: vendorType, title: 'Look' } } },
    ]);
  });

  test('with several pictures has all of them', () => {
    const { attachments } = attached('image');
    const [event] = message({ attachments: [...attachments, ...attachments] });
    expect(event).toMatchObject({ type: 'image', media: [file, file] });
  });

  test('that mentions the business in a story', () => {
    expect(message(attached('story_mention', { id: 's1', url: 'https://cdn.example/s' }))).toMatchObject([
      { type: 'story_mention', media: [], content: { storyId: 's1', url: 'https://cdn.example/s' } },
    ]);
  });

  test('that replies to a story with a picture has both', () => {
    const story = { id: 's1', url: 'https://cdn.example/s' };
    expect(message({ ...attached('image'), reply_to: { story } })).toMatchObject([
      { type: 'story_reply', text: null, media: [file], content: { storyId: 's1', url: story.url } },
    ]);
  });

  test('that replies to another names it', () => {
    expect(message({ text: 'This', reply_to: { mid: 'm0' } })).toMatchObject([
      { type: 'text', replyTo: ['m0'] },
    ]);
  });

  test('that is a heart', () => {
    expect(message({ attachments: [{ type: 'like_heart' }] })).toMatchObject([
      { type: 'sticker', text: '❤️' },
    ]);
  });

  test('that is hidden by Instagram or unknown is unsupported', () => {
    expect(message({ is_unsupported: true })).toMatchObject([{ type: 'unsupported' }]);
    expect(message({})).toMatchObject([{ type: 'unsupported' }]);
    expect(message({ attachments: [{ type: 'hologram', payload: {} }] })).toMatchObject([
      { type: 'unsupported', content: { vendorType: 'hologram' } },
    ]);
    expect(message({ attachments: [{ type: '__proto__' }] })).toMatchObject([{ type: 'unsupported' }]);
  });

  test('that was deleted or edited changes the existing one', () => {
    expect(message({ is_deleted: true })).toMatchObject([
      { kind: 'mutation', change: 'delete', vendorId: 'm1' },
    ]);
    expect(parse({ message_edit: { mid: 'm1', text: 'Better', num_edit: 1 } })).toMatchObject([
      { kind: 'mutation', change: 'edit', vendorId: 'm1', text: 'Better' },
    ]);
  });
});

describe('other events', () => {
  test('a postback is a choice with its title', () => {
    expect(parse({ postback: { mid: 'm2', title: 'Yes', payload: 'YES' } })).toMatchObject([
      {
        kind: 'message',
        vendorId: 'm2',
        type: 'interactive',
        text: 'Yes',
        content: { id: 'YES', title: 'Yes' },
      },
    ]);
    expect(parse({ postback: { title: 'Yes', payload: 'YES' } })).toMatchObject([
      { vendorId: '2001:postback:1772998024123' },
    ]);
  });

  test('a reaction has the same id when it is repeated, and another when it is removed', () => {
    const react = { reaction: { mid: 'm1', action: 'react', reaction: 'love', emoji: '❤️' } };
    const unreact = { reaction: { mid: 'm1', action: 'unreact' }, timestamp: 1_772_998_030_000 };
    const [first, again, back] = parse(react, react, unreact);
    expect(first).toMatchObject({ type: 'reaction', content: { emoji: '❤️' }, replyTo: ['m1'] });
    expect(again).toEqual(first);
    expect(back).toMatchObject({ type: 'reaction', content: { emoji: null }, replyTo: ['m1'] });
    expect(back).not.toMatchObject({ vendorId: (first as { vendorId: string }).vendorId });
  });

  test('a read receipt is for one message, or for all up to a moment', () => {
    expect(parse({ read: { mid: 'm1' } }, { read: { watermark: 1_772_998_000_000 } })).toMatchObject([
      { kind: 'status', vendorId: 'm1', status: 'read' },
      { kind: 'read_receipt', contact: { value: '2001' }, until: new Date(1_772_998_000_000) },
    ]);
  });

  test('a message of the business is an echo, also without the flag', () => {
    const sides = { sender: { id: '1784' }, recipient: { id: '2001' } };
    expect(
      parse(
        { ...sides, message: { mid: 'm3', text: 'Hi', is_echo: true } },
        { ...sides, message: { mid: 'm4', text: 'Hi' } },
      ),
    ).toMatchObject([
      { kind: 'echo', vendorId: 'm3', contact: { value: '2001' } },
      { kind: 'echo', vendorId: 'm4', contact: { value: '2001' } },
    ]);
  });

  test('other accounts, other fields, and unknown events are ignored', () => {
    expect(parsePayload({ entry: [{ id: '999', messaging: [{ message: {} }] }] })).toEqual([]);
    expect(parsePayload({ entry: [{ id: '1784', changes: [{ field: 'mentions', value: {} }] }] })).toEqual(
      [],
    );
    expect(parse({ optin: {} }, { referral: {} }, { sender: { id: '1784' }, message: { mid: 'm' } })).toEqual(
      [],
    );
  });

  test('a request names its accounts', () => {
    const request = requestOf({ entry: [{ id: '1784' }, { id: '1785' }, { id: '1784' }, {}] });
    expect(instagram.route?.(request)).toEqual(['1784', '1785']);
    expect(instagram.vendorKey?.(channel.config)).toBe('1784');
  });
});
