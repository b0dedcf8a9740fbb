import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../../../src/base/ids.ts';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { InboundMessage, SimulatedEvent } from '../../../../src/providers/inbound-event.ts';
import type { SandboxShape } from '../../../../src/providers/sandbox/shape.ts';
import { instagramShape } from '../../../../src/providers/sandbox/shapes/instagram.ts';
import { whatsappShape } from '../../../../src/providers/sandbox/shapes/whatsapp.ts';
import { templateStatuses } from '../../../../src/providers/vendor-template.ts';
import { spoil } from '../../../kit/spoil.ts';

const channelOf = (kind: 'whatsapp' | 'instagram'): AdapterChannel => ({
  id: newId(),
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind,
  address: kind === 'whatsapp' ? '+15550009999' : 'shop',
  config: {},
});

const occurredAt = fc.date({ min: new Date('2001-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });
/** Any non-empty text, with characters of all alphabets. */
const text = fc.string({ minLength: 1, unit: 'grapheme' });
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary);
const id = fc.stringMatching(/^[A-Za-z0-9_.=-]{1,40}$/);
const digits = fc.stringMatching(/^[1-9][0-9]{5,14}$/);
const url = id.map((name) => `https://cdn.example/${name}`);
const replyTo = fc.oneof(
  fc.constant({}),
  id.map((quoted) => ({ replyTo: [quoted] })),
);
const noFiles = fc.constant<InboundMessage['media']>([]);
const nothing = fc.record({ text: fc.constant(null), media: noFiles });

const number = digits.map((value) => ({ type: 'phone_number' as const, value: `+${value}` }));
const userId = digits.map((value) => ({ type: 'whatsapp_id' as const, value: `US.${value}` }));

const whatsappContact = fc.oneof(
  fc.record({ handle: number, name: maybe(text) }).map(({ handle, name }) => ({ ...handle, name })),
  fc.record({ handle: userId, name: maybe(text) }).map(({ handle, name }) => ({ ...handle, name })),
  fc
    .record({ handle: number, other: userId, name: maybe(text) })
    .map(({ handle, other, name }) => ({ ...handle, name, others: [other] })),
);

const whatsappFile = fc.record({
  mimeType: maybe(fc.constantFrom('image/png', 'audio/ogg; codecs=opus')),
  filename: maybe(text),
  size: fc.constant(null),
  ref: fc.oneof(fc.record({ id }), fc.record({ id, url })),
});
const coordinate = fc.double({ min: -90, max: 90, noNaN: true }).map((value) => value + 0);

type Said = Omit<InboundMessage, 'kind' | 'vendorId' | 'occurredAt' | 'contact'>;

const whatsappSaid: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text, media: noFiles, content: fc.constant({}) }),
  fc.record({
    type: fc.constantFrom('image', 'video', 'audio', 'document', 'sticker'),
    text: maybe(text),
    media: fc.array(whatsappFile, { maxLength: 1 }),
    content: fc.constant({}),
  }),
  fc.tuple(id, text, maybe(text)).map(([choice, title, description]) => ({
    type: 'interactive' as const,
    text: title,
    media: [],
    content: { id: choice, title, ...(description === null ? {} : { description }) },
  })),
  fc.tuple(text, fc.array(fc.record({ id, title: text }), { maxLength: 3 })).map(([said, buttons]) => ({
    type: 'interactive' as const,
    text: said,
    media: [],
    content: { buttons },
  })),
  fc
    .tuple(text, text, fc.array(fc.record({ id, title: text, description: text })))
    .map(([said, button, rows]) => ({
      type: 'interactive' as const,
      text: said,
      media: [],
      content: { list: { button, sections: [{ title: 'a', rows }] } },
    })),
  fc
    .record({ latitude: coordinate, longitude: coordinate, name: maybe(text), address: maybe(text) })
    .map((content) => ({ type: 'location' as const, text: null, media: [], content })),
  fc
    .array(
      fc.record({
        name: text,
        organization: maybe(text),
        phoneNumbers: fc.array(text),
        emails: fc.array(text),
      }),
    )
    .map((contacts) => ({ type: 'contacts' as const, text: null, media: [], content: { contacts } })),
  text.map((vendorType) => ({
    type: 'unsupported' as const,
    text: null,
    media: [],
    content: { vendorType },
  })),
);
const referral = fc
  .record({
    url: maybe(url),
    id: maybe(id),
    type: maybe(text),
    headline: maybe(text),
    body: maybe(text),
    clickId: maybe(id),
  })
  .map((referral) => ({ referral }));

const whatsappMessage: fc.Arbitrary<SimulatedEvent> = fc.oneof(
  fc
    .tuple(
      fc.record({
        kind: fc.constantFrom('message', 'echo'),
        vendorId: id,
        occurredAt,
        contact: whatsappContact,
      }),
      whatsappSaid,
      replyTo,
      fc.oneof(fc.constant({}), referral),
    )
    .map(([head, said, answers, from]) => ({
      ...head,
      ...said,
      ...answers,
      content: { ...said.content, ...from },
    })),
  fc
    .tuple(
      fc.record({
        kind: fc.constantFrom('message', 'echo'),
        vendorId: id,
        occurredAt,
        contact: whatsappContact,
      }),
      nothing,
      maybe(text),
      id,
    )
    .map(([head, rest, emoji, about]) => ({
      ...head,
      ...rest,
      type: 'reaction' as const,
      content: { emoji },
      replyTo: [about],
    })),
);

const mutation: fc.Arbitrary<SimulatedEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('mutation' as const),
    vendorId: id,
    occurredAt,
    change: fc.constant('edit' as const),
    text: maybe(text),
  }),
  fc.record({
    kind: fc.constant('mutation' as const),
    vendorId: id,
    occurredAt,
    change: fc.constant('delete' as const),
  }),
);

const whatsappEvent: fc.Arbitrary<SimulatedEvent> = fc.oneof(
  whatsappMessage,
  mutation,
  fc
    .record({
      kind: fc.constant('status' as const),
      vendorId: id,
      occurredAt,
      status: fc.constantFrom('sent', 'delivered', 'read'),
      messageId: fc.option(fc.uuid(), { nil: undefined }),
    })
    .map(({ messageId, ...rest }) => ({ ...rest, ...(messageId === undefined ? {} : { messageId }) })),
  fc.record({
    kind: fc.constant('status' as const),
    vendorId: id,
    occurredAt,
    status: fc.constant('failed' as const),
    error: fc.record({ code: digits, message: fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,80}[a-z]\.$/) }),
  }),
  fc
    .tuple(id, occurredAt, fc.oneof(fc.tuple(number, number), fc.tuple(userId, userId)))
    .filter(([, , [from, to]]) => from.value !== to.value)
    .map(([vendorId, at, [from, to]]) => ({ kind: 'identity' as const, vendorId, occurredAt: at, from, to })),
  fc.record({
    kind: fc.constant('template_status' as const),
    vendorId: fc.stringMatching(/^[1-9][0-9]{5,18}$/),
    occurredAt,
    name: fc.stringMatching(/^[a-z0-9_]{1,30}$/),
    language: fc.constantFrom('en', 'en_US'),
    status: fc.constantFrom(...templateStatuses),
    reason: maybe(fc.stringMatching(/^[A-Z]{2}_[A-Z_]{1,20}$/)),
  }),
);

const instagramContact = fc.record({
  type: fc.constant('instagram_id' as const),
  value: fc.stringMatching(/^[A-Za-z0-9_.]{1,64}$/),
  name: maybe(text),
});
const instagramFile = url.map((at) => ({ mimeType: null, filename: null, size: null, ref: { url: at } }));
const story = fc.record({ storyId: maybe(digits), url: maybe(url) });

const instagramSaid: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text, media: noFiles, content: fc.constant({}) }),
  fc.record({
    type: fc.constantFrom('image', 'video', 'audio', 'document'),
    text: maybe(text),
    media: fc.array(instagramFile, { minLength: 1, maxLength: 3 }),
    content: fc.constant({}),
  }),
  fc.tuple(id, text).map(([choice, title]) => ({
    type: 'interactive' as const,
    text: title,
    media: [],
    content: { id: choice, title },
  })),
  fc.record({
    type: fc.constant('story_mention' as const),
    text: maybe(text),
    media: noFiles,
    content: story,
  }),
  fc.record({
    type: fc.constant('sticker' as const),
    text,
    media: noFiles,
    content: fc.constant({}),
  }),
  nothing.map((rest) => ({
    ...rest,
    type: 'unsupported' as const,
    content: { vendorType: 'unsupported' },
  })),
);

const instagramHead = fc.record({
  kind: fc.constantFrom('message', 'echo'),
  vendorId: id,
  occurredAt,
  contact: instagramContact,
});
const instagramEvent: fc.Arbitrary<SimulatedEvent> = fc.oneof(
  fc
    .tuple(instagramHead, instagramSaid, replyTo)
    .map(([head, said, answers]) => ({ ...head, ...said, ...answers })),
  fc
    .tuple(
      instagramHead,
      maybe(text),
      story.filter(({ storyId, url: at }) => storyId !== null || at !== null),
    )
    .map(([head, said, content]) => ({
      ...head,
      type: 'story_reply' as const,
      text: said,
      media: [],
      content,
    })),
  fc.tuple(instagramHead, maybe(text), id).map(([head, emoji, about]) => ({
    ...head,
    type: 'reaction' as const,
    text: null,
    media: [],
    content: { emoji },
    replyTo: [about],
  })),
  mutation,
  fc.record({
    kind: fc.constant('status' as const),
    vendorId: id,
    occurredAt,
    status: fc.constant('read' as const),
  }),
  fc.record({
    kind: fc.constant('read_receipt' as const),
    contact: instagramContact,
    occurredAt,
    until: occurredAt,
  }),
);

const hostile = fc.constantFrom(undefined, null, '', -1, 1e308, true, [], {}, { toString: 1 }, 'constructor');
// biome-ignore lint/suspicious/noExplicitAny: parts of a request, of any shape
const entryIn = ({ body }: { body: Buffer }): any => JSON.parse(body.toString()).entry[0];

describe.each<[string, SandboxShape, AdapterChannel, fc.Arbitrary<SimulatedEvent>]>([
  ['WhatsApp', whatsappShape, channelOf('whatsapp'), whatsappEvent],
  ['Instagram', instagramShape, channelOf('instagram'), instagramEvent],
])('an event of the sandbox in the shape of %s', (_name, shape, channel, event) => {
  test('is parsed as the same event', async () => {
    await fc.assert(
      fc.asyncProperty(event, async (happened) => {
        const request = await shape.write(happened, channel, 'https://parley.example/x', 'secret');
        expect(await shape.parse(request, channel)).toEqual([happened]);
      }),
      { numRuns: 1000 },
    );
  });

  test('is parsed beside another one that makes no sense', async () => {
    await fc.assert(
      fc.asyncProperty(event, event, fc.nat(), hostile, async (happened, other, where, value) => {
        const [entry, bad] = await Promise.all(
          [happened, other].map(async (one) => entryIn(await shape.write(one, channel, '', 'secret'))),
        );
        const both = Object.entries(entry).map(([key, given]) =>
          Array.isArray(given) ? [key, [...spoil(bad[key] ?? [], where, value), ...given]] : [key, given],
        );
        const body = Buffer.from(JSON.stringify({ entry: [Object.fromEntries(both)] }));
        expect(await shape.parse({ url: '', headers: {}, body }, channel)).toContainEqual(happened);
      }),
    );
  });

  test('is valid only with its secret and unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(event, async (happened) => {
        const request = await shape.write(happened, channel, 'https://parley.example/x', 'secret');
        expect(request.url).toBe('https://parley.example/x');
        expect(shape.verifySignature(request, channel, 'secret')).toBe(true);
        expect(shape.verifySignature(request, channel, 'other')).toBe(false);
        const body = Buffer.from(request.body);
        body[body.length - 1] = (body.at(-1) ?? 0) ^ 1;
        expect(shape.verifySignature({ ...request, body }, channel, 'secret')).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  test('is ignored by another channel', async () => {
    const [happened] = fc.sample(event, 1);
    const request = await shape.write(happened as SimulatedEvent, channel, '', 'secret');
    expect(await shape.parse(request, { ...channel, id: newId() })).toEqual([]);
  });
});

test.each([
  ['WhatsApp', whatsappShape, 'unsupported'],
  ['Instagram', instagramShape, 'text'],
])('a template of the business is echoed on %s with its id', async (_name, shape, type) => {
  const channel = channelOf('whatsapp');
  const event: SimulatedEvent = {
    kind: 'echo',
    vendorId: 'a',
    occurredAt: new Date('2026-11-15T01:02:03.456Z'),
    contact: { type: 'phone_number', value: '+15550001111', name: null },
    type: 'template',
    text: 'Hi',
    media: [],
    content: { templateId: 'x' },
  };
  const parsed = await shape.parse(await shape.write(event, channel, '', 's'), channel);
  expect(parsed).toMatchObject([{ kind: 'echo', vendorId: 'a', type }]);
});

test('an event that the vendor cannot report is refused', () => {
  const contact = { type: 'phone_number' as const, value: '+15550001111', name: null };
  const at = new Date('2026-11-15T01:02:03.456Z');
  const write = (shape: SandboxShape, event: SimulatedEvent) => () =>
    shape.write(event, channelOf('whatsapp'), '', 's');
  const message = {
    kind: 'message' as const,
    vendorId: 'a',
    occurredAt: at,
    contact,
    text: null,
    media: [],
    content: {},
  };
  expect(write(whatsappShape, { ...message, type: 'email' })).toThrow('email');
  expect(write(instagramShape, { ...message, type: 'location' })).toThrow('location');
  expect(write(whatsappShape, { kind: 'read_receipt', contact, occurredAt: at, until: at })).toThrow(
    'separately',
  );
  expect(
    write(instagramShape, { kind: 'status', vendorId: 'a', occurredAt: at, status: 'delivered' }),
  ).toThrow('read');
  const identity = { kind: 'identity' as const, vendorId: 'a', occurredAt: at, from: contact };
  expect(write(whatsappShape, { ...identity, to: { type: 'whatsapp_id', value: 'US.1' } })).toThrow(
    'not both',
  );
});
