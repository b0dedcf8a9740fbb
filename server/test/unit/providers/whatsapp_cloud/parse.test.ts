import { describe, expect, test } from 'vitest';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import type { InboundEvent } from '../../../../src/providers/inbound-event.ts';
import { signedRequest } from '../../../../src/providers/meta/signature.ts';
import type { ProviderRequest } from '../../../../src/providers/provider-request.ts';
import { whatsappCloud } from '../../../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';

const channel: AdapterChannel = {
  id: '019a82a0-0000-7000-8000-000000000020',
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'whatsapp',
  address: '+15550009999',
  config: { phoneNumberId: '111', businessAccountId: '222', appSecret: 'app-secret' },
};
const metadata = { display_phone_number: '15550009999', phone_number_id: '111' };
const ada = { profile: { name: 'Ada' }, wa_id: '15550001111', user_id: 'US.42' };

const requestOf = (payload: unknown): ProviderRequest =>
  signedRequest(payload, 'https://parley.example/', 'app-secret');
const payloadOf = (field: string, value: object): object => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '222', time: 1_751_247_548, changes: [{ field, value: { metadata, ...value } }] }],
});
const parse = (payload: unknown): InboundEvent[] =>
  whatsappCloud.parseInbound(requestOf(payload), channel) as InboundEvent[];
const messages = (...given: object[]): InboundEvent[] =>
  parse(payloadOf('messages', { contacts: [ada], messages: given }));
const written = (more: object): object => ({
  from: '15550001111',
  id: 'wamid.1',
  timestamp: '1697043223',
  ...more,
});

describe('the sender', () => {
  const text = { type: 'text', text: { body: 'Hi' } };
  const normalizeContact = (message: object, contacts: object[]): unknown => {
    const [event] = parse(
      payloadOf('messages', { contacts, messages: [{ id: 'a', timestamp: '1', ...text, ...message }] }),
    );
    return event && 'contact' in event ? event.contact : undefined;
  };

  test('with a number and an id has both handles, the number first', () => {
    expect(normalizeContact({ from: '15550001111' }, [ada])).toEqual({
      type: 'phone_number',
      value: '+15550001111',
      name: 'Ada',
      others: [{ type: 'whatsapp_id', value: 'US.42' }],
    });
  });

  test('without a number has its id', () => {
    const { wa_id: _, ...hidden } = ada;
    expect(normalizeContact({ from_user_id: 'US.42' }, [hidden])).toEqual({
      type: 'whatsapp_id',
      value: 'US.42',
      name: 'Ada',
    });
  });

  test('also gets a number from the list of contacts', () => {
    expect(normalizeContact({ from_user_id: 'US.42' }, [ada])).toMatchObject({
      type: 'phone_number',
      value: '+15550001111',
      others: [{ type: 'whatsapp_id', value: 'US.42' }],
    });
  });

  test('is matched with its contact in any order', () => {
    const bo = { profile: { name: 'Bo' }, wa_id: '15550002222' };
    const events = parse(
      payloadOf('messages', {
        contacts: [bo, ada],
        messages: [written(text), { ...written(text), id: 'wamid.2', from: '15550002222' }],
      }),
    );
    expect(events.map((event) => 'contact' in event && event.contact.name)).toEqual(['Ada', 'Bo']);
  });

  test('does not get the name of another contact', () => {
    expect(normalizeContact({ from: '15550003333' }, [ada])).toEqual({
      type: 'phone_number',
      value: '+15550003333',
      name: null,
    });
  });

  test('is required: a message without one is invalid', () => {
    expect(messages({ id: 'a', timestamp: '1', ...text })).toMatchObject([{ kind: 'invalid' }]);
  });
});

describe('ignored parts of a request', () => {
  test('are entries of other numbers and accounts', () => {
    const value = {
      metadata: { phone_number_id: '999' },
      contacts: [ada],
      messages: [written({ type: 'text', text: { body: 'x' } })],
    };
    const other = { entry: [{ id: '222', changes: [{ field: 'messages', value }] }] };
    expect(parse(other)).toEqual([]);
    const template = {
      event: 'APPROVED',
      message_template_id: 7,
      message_template_name: 'a',
      message_template_language: 'en',
    };
    expect(
      parse({
        entry: [
          { id: '333', time: 1, changes: [{ field: 'message_template_status_update', value: template }] },
        ],
      }),
    ).toEqual([]);
  });

  test.each([
    'account_update',
    'phone_number_quality_update',
    'something_new',
  ])('are changes of the field %s', (field) =>
    expect(parse(payloadOf(field, { messages: [{ nonsense: true }] }))).toEqual([]));

  test('are errors of the app, groups, welcomes and unknown statuses', () => {
    expect(parse(payloadOf('messages', { errors: [{ code: 130429, title: 'Rate limit hit' }] }))).toEqual([]);
    expect(messages(written({ type: 'text', text: { body: 'x' }, group_id: 'g' }))).toEqual([]);
    expect(messages(written({ type: 'request_welcome' }))).toEqual([]);
    const status = { id: 'wamid.9', timestamp: '1', status: 'warning' };
    expect(parse(payloadOf('messages', { statuses: [status] }))).toEqual([]);
  });

  test('are not unknown types: they are unsupported, also those named like object properties', () => {
    for (const type of ['hologram', 'constructor', '__proto__', 'toString'])
      expect(messages(written({ type }))).toMatchObject([
        { kind: 'message', type: 'unsupported', content: { vendorType: type } },
      ]);
  });

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"entry":{}}',
    '{"object":"whatsapp_business_account"}',
  ])('are not invalid bodies: %j throws', (body) => {
    const request = { url: '', headers: {}, body: Buffer.from(body) };
    expect(() => whatsappCloud.parseInbound(request, channel)).toThrow();
    expect(whatsappCloud.route?.(request)).toEqual([]);
  });
});

test('every element of every array is parsed, in order', () => {
  const text = (id: string) => written({ id, type: 'text', text: { body: id } });
  const status = (id: string) => ({ id, status: 'sent', timestamp: '1' });
  const change = (name: string) => ({
    field: 'messages',
    value: {
      metadata,
      contacts: [ada],
      messages: [text(`${name}1`), text(`${name}2`)],
      statuses: [status(`${name}3`), status(`${name}4`)],
    },
  });
  const events = parse({
    entry: [
      { id: '222', changes: [change('a'), change('b')] },
      { id: '222', changes: [change('c')] },
    ],
  });
  const vendorIds = events.map((event) => 'vendorId' in event && event.vendorId);
  expect(vendorIds).toEqual(
    ['a', 'b', 'c'].flatMap((name) => [1, 2, 3, 4].map((number) => `${name}${number}`)),
  );
});

describe('changes', () => {
  test('an edited text, and an edited echo', () => {
    const edit = (body: string) => ({
      type: 'edit',
      edit: { original_message_id: 'wamid.0', message: { type: 'text', text: { body } } },
    });
    const expected = { kind: 'mutation', change: 'edit', vendorId: 'wamid.0', text: 'Better' };
    expect(messages(written(edit('Better')))).toMatchObject([expected]);
    const echo = {
      from: '15550009999',
      to: '15550001111',
      id: 'wamid.5',
      timestamp: '1697043223',
      ...edit('Better'),
    };
    expect(parse(payloadOf('smb_message_echoes', { message_echoes: [echo] }))).toMatchObject([expected]);
  });

  test('a message of the business in its own app is an echo', () => {
    const echo = {
      from: '15550009999',
      to: '15550001111',
      id: 'wamid.5',
      timestamp: '1697043223',
      type: 'text',
      text: { body: 'On my way' },
    };
    expect(parse(payloadOf('smb_message_echoes', { message_echoes: [echo] }))).toEqual([
      {
        kind: 'echo',
        vendorId: 'wamid.5',
        occurredAt: new Date('2023-10-11T16:53:43.000Z'),
        contact: { type: 'phone_number', value: '+15550001111', name: null },
        type: 'text',
        text: 'On my way',
        media: [],
        content: {},
      },
    ]);
  });

  test('a new number with a new id is two changes with different ids', () => {
    const system = {
      type: 'user_changed_number',
      wa_id: '15550002222',
      user_id: 'US.new',
      previous_user_id: 'US.old',
    };
    expect(messages(written({ type: 'system', system }))).toMatchObject([
      {
        kind: 'identity',
        vendorId: 'wamid.1',
        from: { type: 'whatsapp_id', value: 'US.old' },
        to: { type: 'whatsapp_id', value: 'US.new' },
      },
      {
        kind: 'identity',
        vendorId: 'wamid.1#1',
        from: { type: 'phone_number', value: '+15550001111' },
        to: { type: 'phone_number', value: '+15550002222' },
      },
    ]);
  });

  test('a new id of a contact without a number', () => {
    const system = { type: 'user_changed_user_id', user_id: 'US.new', previous_user_id: 'US.old' };
    expect(messages({ id: 'wamid.1', timestamp: '1697043223', type: 'system', system })).toMatchObject([
      { kind: 'identity', vendorId: 'wamid.1', from: { value: 'US.old' }, to: { value: 'US.new' } },
    ]);
  });

  test('the id of a template is not rounded, and flagged ones are not changed', () => {
    const update = (more: object) =>
      parse({
        entry: [
          {
            id: '222',
            time: 1_751_247_548,
            changes: [
              {
                field: 'message_template_status_update',
                value: {
                  message_template_name: 'a',
                  message_template_language: 'en',
                  message_template_id: 'ID',
                  ...more,
                },
              },
            ],
          },
        ],
      });
    expect(update({ event: 'FLAGGED' })).toEqual([]);
    expect(
      update({ event: 'PAUSED', other_info: { title: 'x', description: 'Too many blocks.' } }),
    ).toMatchObject([{ status: 'paused', reason: 'Too many blocks.' }]);
    const body = JSON.stringify({
      entry: [
        {
          id: '222',
          time: 1,
          changes: [
            {
              field: 'message_template_status_update',
              value: {
                event: 'APPROVED',
                message_template_id: 'ID',
                message_template_name: 'a',
                message_template_language: 'en',
              },
            },
          ],
        },
      ],
    }).replace('"ID"', '900719925474099312');
    const request = { url: '', headers: {}, body: Buffer.from(body) };
    expect(whatsappCloud.parseInbound(request, channel)).toMatchObject([{ vendorId: '900719925474099312' }]);
  });
});

describe('content', () => {
  test('the response of a WhatsApp form', () => {
    const nfm_reply = { name: 'flow', body: 'Sent', response_json: '{"size":"M"}' };
    expect(
      messages(written({ type: 'interactive', interactive: { type: 'nfm_reply', nfm_reply } })),
    ).toMatchObject([
      { type: 'interactive', text: 'Sent', content: { id: 'flow', title: 'Sent', response: { size: 'M' } } },
    ]);
  });

  test('a failed status has Meta’s reason', () => {
    const errors = [
      {
        code: 131047,
        title: 'Re-engagement message',
        error_data: { details: 'More than 24 hours have passed.' },
      },
    ];
    const status = { id: 'wamid.9', timestamp: '1', status: 'failed', errors };
    expect(parse(payloadOf('messages', { statuses: [status] }))).toMatchObject([
      {
        status: 'failed',
        error: { code: '131047', message: 'Re-engagement message: More than 24 hours have passed.' },
      },
    ]);
  });

  test('a status has our own id, but no other callback data', () => {
    const status = (data: string) => ({
      id: 'wamid.9',
      timestamp: '1',
      status: 'sent',
      biz_opaque_callback_data: data,
    });
    const [ours, theirs] = parse(
      payloadOf('messages', { statuses: [status(channel.id), status('order 7')] }),
    );
    expect(ours).toMatchObject({ messageId: channel.id });
    expect(theirs).not.toHaveProperty('messageId');
  });
});

describe('routing and signatures', () => {
  const request = requestOf({
    entry: [
      {
        id: '222',
        changes: [
          { field: 'messages', value: { metadata } },
          { field: 'messages', value: { metadata: { phone_number_id: '112' } } },
        ],
      },
      {
        id: '333',
        changes: [
          { field: 'message_template_status_update', value: {} },
          { field: 'messages', value: { metadata } },
        ],
      },
    ],
  });

  test('a request names its numbers, or its account if it has no number', () => {
    expect(whatsappCloud.route?.(request)).toEqual(['111', '112', '333']);
    expect(whatsappCloud.vendorKey?.(channel.config)).toBe('111');
    expect(whatsappCloud.accountKey?.(channel.config)).toBe('222');
  });

  test('W1: only exact bytes signed with the app’s secret are valid', () => {
    const isTrusted = (given: ProviderRequest, config = channel.config) =>
      whatsappCloud.verifySignature(given, { ...channel, config });
    expect(isTrusted(request)).toBe(true);
    expect(isTrusted(request, { ...channel.config, appSecret: 'another' })).toBe(false);
    expect(isTrusted({ ...request, headers: {} })).toBe(false);
    expect(isTrusted({ ...request, headers: { 'x-hub-signature-256': 'sha256=' } })).toBe(false);
    expect(isTrusted({ ...request, body: Buffer.concat([request.body, Buffer.from(' ')]) })).toBe(false);
  });

  test('W1: a channel without a secret accepts nothing', () => {
    for (const appSecret of [undefined, '', null]) {
      const signed = signedRequest({}, '', String(appSecret ?? ''));
      expect(whatsappCloud.verifySignature(signed, { ...channel, config: { appSecret } })).toBe(false);
    }
  });

  test('a signed request contains only ASCII, as Meta writes it', () => {
    const { body } = requestOf({ text: 'Grüße 🎉' });
    expect([...body].every((byte) => byte < 0x80)).toBe(true);
    expect(JSON.parse(body.toString())).toEqual({ text: 'Grüße 🎉' });
  });

  test('the first call is a handshake when it subscribes with a token and a challenge', () => {
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 't', 'hub.challenge': '42' };
    expect(whatsappCloud.handshake?.(query)).toEqual({ token: 't', challenge: '42' });
    expect(whatsappCloud.handshake?.({ ...query, 'hub.mode': 'unsubscribe' })).toBeUndefined();
    expect(whatsappCloud.handshake?.({ 'hub.mode': 'subscribe' })).toBeUndefined();
    expect(whatsappCloud.handshake?.({})).toBeUndefined();
  });
});

describe('a preference about marketing', () => {
  const preferred = (more: object) =>
    parse(
      payloadOf('user_preferences', {
        contacts: [ada],
        user_preferences: [
          {
            wa_id: '15550001111',
            category: 'marketing_messages',
            timestamp: 1_731_705_721,
            detail: 'x',
            ...more,
          },
        ],
      }),
    );

  test.each([
    ['stop', 'stop'],
    ['resume', 'start'],
  ])('%s is a decision of the number', (value, subscription) => {
    expect(preferred({ value })).toEqual([
      {
        kind: 'consent',
        handles: [{ type: 'phone_number', value: '+15550001111' }],
        subscription,
        source: 'vendor',
        proof: { detail: 'x' },
        occurredAt: new Date(1_731_705_721_000),
      },
    ]);
  });

  test('that is unknown, or about something else, is ignored', () => {
    expect(preferred({ value: 'constructor' })).toEqual([]);
    expect(preferred({ value: 'stop', category: 'utility_messages' })).toEqual([]);
    expect(preferred({ value: 'stop', wa_id: undefined })).toEqual([]);
  });
});
