import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InboundEvent } from '../../../../src/providers/inbound-event.ts';
import { instagram } from '../../../../src/providers/instagram/instagram.ts';
import type { ProviderRequest } from '../../../../src/providers/provider-request.ts';
import { whatsappCloud } from '../../../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';

/** Recorded requests of vendors. They are not part of the project. */
const folder = process.env.PARLEY_FIXTURES;

type Cases = Record<string, Record<string, unknown>>;
const casesIn = (file: string): Cases => JSON.parse(readFileSync(join(folder ?? '', file), 'utf8'));
const requestOf = (payload: unknown): ProviderRequest => ({
  url: '',
  headers: {},
  body: Buffer.from(JSON.stringify(payload)),
});

const contact = {
  type: 'phone_number',
  value: '+972987654321',
  name: 'Test Name',
  others: [{ type: 'whatsapp_id', value: 'US.13491208655302741918' }],
};
const message = (more: object): object => ({ kind: 'message', contact, media: [], content: {}, ...more });
const text = (said: string, more: object = {}): object => message({ type: 'text', text: said, ...more });
const file = (more: object = {}): object => ({
  mimeType: expect.any(String),
  filename: null,
  size: null,
  ref: { id: expect.stringMatching(/^\d+$/) },
  ...more,
});
const choice = (more: object = {}): object =>
  message({ type: 'interactive', text: 'title', content: { id: 'callback_data', title: 'title' }, ...more });
const status = (reported: string, more: object = {}): object => ({
  kind: 'status',
  vendorId: 'wamid.xyzxyz',
  status: reported,
  ...more,
});
const reaction = (emoji: string | null): object =>
  message({ type: 'reaction', text: null, content: { emoji }, replyTo: ['wamid.yzxyzx='] });

/** The expected events, by file and case. */
const expected: Record<string, Record<string, object[]>> = {
  'whatsapp/callback_button.json': {
    button: [choice({ replyTo: ['wamid.xyzxyz'] })],
    quick_reply: [choice({ vendorId: 'wamid.xsidjw', replyTo: ['wamid.xyzxyz=='] })],
    quick_reply_without_context: [choice({ vendorId: 'wamid.xsidjx' })],
  },
  'whatsapp/callback_selection.json': {
    callback: [choice()],
    description: [choice({ content: { id: 'callback_data', title: 'title', description: 'description' } })],
  },
  'whatsapp/deleted_message.json': {
    revoke: [{ kind: 'mutation', change: 'delete', vendorId: '<ORIGINAL_WHATSAPP_MESSAGE_ID>' }],
  },
  'whatsapp/edited_message.json': {
    image: [
      {
        kind: 'mutation',
        change: 'edit',
        vendorId: 'wamid.HBgLMTQxMjU1NTA4MjkVAgASGBQzQUNCNjk5RDUwNUZGMUZEM0VBRAA=',
        text: 'Updated image caption',
      },
    ],
  },
  'whatsapp/message.json': {
    text: [text('Body Text', { vendorId: 'wamid.xyzxyz', occurredAt: new Date('2023-10-11T16:53:43Z') })],
    image: [message({ type: 'image', text: null, media: [file({ mimeType: 'image/jpeg' })] })],
    media_with_url: [
      message({
        type: 'image',
        media: [file({ ref: { id: '65463453', url: expect.stringMatching(/^https:/) } })],
      }),
    ],
    video: [message({ type: 'video', text: 'caption', media: [file()] })],
    document: [message({ type: 'document', text: 'caption', media: [file({ filename: 'filename.pdf' })] })],
    audio: [message({ type: 'audio', text: null, media: [file({ mimeType: 'audio/ogg; codecs=opus' })] })],
    voice: [message({ type: 'audio', media: [file()] })],
    static_sticker: [message({ type: 'sticker', media: [file({ mimeType: 'image/webp' })] })],
    animated_sticker: [message({ type: 'sticker', media: [file()] })],
    reaction: [reaction('😮')],
    unreaction_empty: [reaction(null)],
    unreaction_no_emoji: [reaction(null)],
    current_location: [
      message({
        type: 'location',
        content: { latitude: 12.25089, longitude: 43.90539, name: null, address: null },
      }),
    ],
    chosen_location: [
      message({
        type: 'location',
        content: {
          latitude: 37.4611978,
          longitude: -122.2164385,
          name: 'Facebook HQ',
          address: '1 Hacker Way, Menlo Park, CA 94025',
        },
      }),
    ],
    contacts: [
      message({
        type: 'contacts',
        content: {
          contacts: [
            { name: 'Chandler Bing', organization: null, phoneNumbers: ['+1 555-555-5555'], emails: [] },
            { name: 'Monica', organization: null, phoneNumbers: ['+1 666-666-6666'], emails: [] },
            { name: 'Rachel Green', organization: null, phoneNumbers: ['+1 777-777-7777'], emails: [] },
          ],
        },
      }),
    ],
    order: [
      message({
        type: 'unsupported',
        text: null,
        content: {
          vendorType: 'order',
          catalogId: '354160437058781',
          items: [
            { productId: 'HAMBURGER', quantity: 3, price: 30, currency: 'ILS' },
            { productId: 'FRENCH_FRIES', quantity: 2, price: 35, currency: 'ILS' },
            { productId: 'SODA', quantity: 2, price: 10, currency: 'ILS' },
          ],
        },
      }),
    ],
    unsupported: [message({ type: 'unsupported', content: { vendorType: 'unsupported' } })],
    unsupported_with_type: [message({ type: 'unsupported', content: { vendorType: 'pool' } })],
    reply: [text('replied text', { replyTo: ['wamid.xyzxyz=='] })],
    forwarded: [text('forwarded text')],
    forwarded_many_times: [text('text forwarded many times')],
    interactive_message_with_err: [message({ type: 'unsupported', content: { vendorType: 'interactive' } })],
    referral: [
      text('BODY', { content: { referral: expect.objectContaining({ id: 'ADID', clickId: 'CTWA_CLID' }) } }),
    ],
  },
  'whatsapp/message_status.json': {
    sent: [status('sent')],
    delivered: [status('delivered')],
    read: [status('read')],
    played: [status('read')],
    failed: [
      status('failed', {
        error: {
          code: '130472',
          message:
            "User's number is part of an experiment: Failed to send message because this user's phone number is part of an experiment",
        },
      }),
    ],
    with_tracker: [status('sent')],
    group: [],
  },
  'whatsapp/system.json': {
    phone_number_change: [
      {
        kind: 'identity',
        vendorId: 'wamid.xyzxyz==',
        from: { type: 'phone_number', value: '+972987654321' },
        to: { type: 'phone_number', value: '+972912345678' },
      },
    ],
    identity_change: [],
  },
  'whatsapp/template_status_update.json': {
    approved: [
      {
        kind: 'template_status',
        vendorId: '1689556908129832',
        name: 'order_confirmation',
        language: 'en_US',
        status: 'approved',
        reason: null,
        occurredAt: new Date('2025-06-30T01:39:08Z'),
      },
    ],
    rejected: [
      {
        kind: 'template_status',
        vendorId: '1689556908129835',
        status: 'rejected',
        reason: expect.stringMatching(
          /^INVALID_FORMAT: Your template has parameters placed next to each other/,
        ),
      },
    ],
  },
};

interface WhatsAppPayload {
  entry: { id: string; changes: { value: { metadata?: { phone_number_id: string } } }[] }[];
}

/** The channel that a request is for. */
const configOf = (payload: unknown) => {
  const [entry] = (payload as WhatsAppPayload).entry;
  return {
    businessAccountId: entry?.id,
    phoneNumberId: entry?.changes[0]?.value.metadata?.phone_number_id,
  };
};
const channelWith = (config: Record<string, unknown>) => ({
  id: '',
  tenantId: '',
  kind: 'whatsapp' as const,
  address: '',
  config,
});

describe.skipIf(!folder)('recorded requests of WhatsApp (PARLEY_FIXTURES)', () => {
  for (const [name, cases] of Object.entries(expected)) {
    test(`${name}: nothing in it is unknown here`, () => {
      expect(Object.keys(casesIn(name)).sort()).toEqual(Object.keys(cases).sort());
    });

    test.each(Object.entries(cases))(`${name}: %s`, (key, events) => {
      const payload = casesIn(name)[key];
      const request = requestOf(payload);
      const config = configOf(payload);
      const parsed = whatsappCloud.parseInbound(request, channelWith(config)) as InboundEvent[];
      expect(parsed).toHaveLength(events.length);
      expect(parsed).toMatchObject(events);
      expect(whatsappCloud.route?.(request)).toEqual([config.phoneNumberId ?? config.businessAccountId]);
      expect(
        whatsappCloud.parseInbound(request, channelWith({ phoneNumberId: '1', businessAccountId: '1' })),
      ).toEqual([]);
    });
  }

  test('callback data of another program is not used as our id', () => {
    const payload = casesIn('whatsapp/message_status.json').with_tracker;
    const [event] = whatsappCloud.parseInbound(
      requestOf(payload),
      channelWith(configOf(payload)),
    ) as InboundEvent[];
    expect(event).not.toHaveProperty('messageId');
  });
});

describe.skipIf(!folder)('recorded requests of Instagram (PARLEY_FIXTURES)', () => {
  const customer = { type: 'instagram_id', value: '200000000000001', name: null };
  const said = (more: object): object => ({ kind: 'message', contact: customer, media: [], ...more });
  const events: Record<string, object> = {
    firstMessage: said({
      vendorId: 'mid_ig_text_001',
      type: 'text',
      text: 'Do you ship to Córdoba?',
      occurredAt: new Date(1_772_998_024_000),
    }),
    storyReply: said({
      type: 'story_reply',
      text: 'Is this available?',
      content: { storyId: '17900000000000001', url: 'https://cdn.example.com/story.jpg' },
    }),
    reactionAdded: said({
      type: 'reaction',
      text: null,
      content: { emoji: '❤️' },
      replyTo: ['mid_ig_text_001'],
    }),
    quickReply: said({
      type: 'interactive',
      text: 'Yes',
      content: { id: 'chat:{"a":"confirm","v":"yes"}', title: 'Yes' },
    }),
    echoMessage: said({ kind: 'echo', vendorId: 'mid_ig_echo_001', type: 'text', text: 'Bot response' }),
  };

  test('every case has expected events', () => {
    const requests = Object.entries(casesIn('instagram/replay.json')).filter(
      ([, value]) => typeof value === 'object',
    );
    expect(requests.map(([key]) => key).sort()).toEqual(Object.keys(events).sort());
  });

  test.each(Object.entries(events))('%s', (key, event) => {
    const { accountId, [key]: payload } = casesIn('instagram/replay.json');
    const request = requestOf(payload);
    const channel = { ...channelWith({ accountId }), kind: 'instagram' as const };
    expect(instagram.parseInbound(request, channel)).toMatchObject([event]);
    expect(instagram.route?.(request)).toEqual([accountId]);
    expect(instagram.parseInbound(request, { ...channel, config: { accountId: '1' } })).toEqual([]);
  });
});
