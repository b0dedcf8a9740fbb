import { Readable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import { capabilities } from '../../../../src/providers/capabilities.ts';
import { hideSecrets } from '../../../../src/providers/hide-secrets.ts';
import type { OutgoingMessage, SendResult } from '../../../../src/providers/outgoing-message.ts';
import type { OutgoingTemplate } from '../../../../src/providers/vendor-template.ts';
import { whatsappCloud } from '../../../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';
import { useGraph, useGraphContext } from '../../../kit/graph.ts';

const graph = await useGraph();
const context = useGraphContext();
beforeEach(() => {
  graph.requests.length = 0;
  graph.taken.length = 0;
});

const channelWith = (config: object = {}): AdapterChannel => ({
  id: '019a82a0-0000-7000-8000-000000000020',
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'whatsapp',
  address: '+15550009999',
  config: {
    phoneNumberId: graph.phoneNumberId,
    businessAccountId: graph.businessAccountId,
    accessToken: graph.token,
    baseUrl: `${graph.url}/`,
    ...config,
  },
});
const messageOf = (more: Partial<OutgoingMessage>): OutgoingMessage => ({
  id: '019a82a0-0000-7000-8000-000000000030',
  to: { type: 'phone_number', value: '+15550001111' },
  type: 'text',
  text: null,
  media: [],
  content: {},
  template: null,
  replyToVendorId: null,
  references: [],
  isAutomatic: false,
  ...more,
});
const send = (more: Partial<OutgoingMessage>, config: object = {}): Promise<SendResult> =>
  whatsappCloud.send(messageOf(more), channelWith(config), context);
const sent = async (more: Partial<OutgoingMessage>) => {
  expect(await send(more)).toMatchObject({ ok: true });
  return graph.taken.at(-1);
};
const common = {
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: '15550001111',
  biz_opaque_callback_data: '019a82a0-0000-7000-8000-000000000030',
};
const theirs = {
  url: 'https://files.example/a%20b.png',
  mimeType: 'image/png',
  filename: 'a b.png',
  size: null,
};
const ours = {
  url: 'http://127.0.0.1/public/files/t/grüße "1".pdf',
  mimeType: 'application/pdf',
  filename: 'grüße "1".pdf',
  size: 5,
  read: () => Readable.from([Buffer.from('he'), Buffer.from('llo')]),
};
const template: OutgoingTemplate = {
  name: 'order',
  language: 'en_US',
  vendorId: '7',
  header: null,
  body: 'Thanks!',
  footer: 'Bye',
  buttons: [],
  variables: {},
};

describe('a sent message', () => {
  test('is a text, with our id for the statuses', async () => {
    expect(await send({ text: 'Hi' })).toEqual({
      ok: true,
      vendorId: expect.stringMatching(/^wamid\./),
      status: 'sent',
      contact: [{ type: 'phone_number', value: '+15550001111' }],
    });
    expect(graph.taken).toEqual([{ ...common, type: 'text', text: { body: 'Hi', preview_url: false } }]);
    expect(graph.requests).toMatchObject([
      {
        method: 'POST',
        version: 'v26.0',
        path: `${graph.phoneNumberId}/messages`,
        authorization: `Bearer ${graph.token}`,
      },
    ]);
  });

  test('has a preview of links, and uses the configured version', async () => {
    expect(await sent({ text: 'See https://a.example' })).toMatchObject({ text: { preview_url: true } });
    await send({ text: 'Hi' }, { graphVersion: 'v27.1' });
    expect(graph.requests.at(-1)).toMatchObject({ version: 'v27.1' });
  });

  test('is addressed by id without a number', async () => {
    const result = await send({ text: 'Hi', to: { type: 'whatsapp_id', value: 'US.42' } });
    expect(result).toMatchObject({ ok: true, contact: [{ type: 'whatsapp_id', value: 'US.42' }] });
    expect(graph.taken[0]).toMatchObject({ recipient: 'US.42' });
    expect(graph.taken[0]).not.toHaveProperty('to');
  });

  test('names the message it replies to', async () => {
    expect(await sent({ text: 'Yes', replyToVendorId: 'wamid.0' })).toMatchObject({
      context: { message_id: 'wamid.0' },
    });
  });

  test('has our file uploaded and sent by its id, with name and caption', async () => {
    const message = await sent({ type: 'document', media: [ours], text: 'The offer' });
    const { id } = message.document;
    expect(message.document).toEqual({ id, filename: ours.filename, caption: 'The offer' });
    expect(graph.files.get(id)).toEqual({
      bytes: Buffer.from('hello'),
      mimeType: 'application/pdf',
      filename: ours.filename,
    });
  });

  test('references other files by their URL', async () => {
    const { url: link } = theirs;
    expect((await sent({ type: 'image', media: [theirs], text: 'Look' })).image).toEqual({
      link,
      caption: 'Look',
    });
    expect((await sent({ type: 'video', media: [theirs] })).video).toEqual({ link });
    expect((await sent({ type: 'audio', media: [theirs] })).audio).toEqual({ link });
    expect((await sent({ type: 'sticker', media: [theirs] })).sticker).toEqual({ link });
    expect(graph.requests).toHaveLength(4);
  });

  test('is a location', async () => {
    const content = { latitude: 1.5, longitude: -2, name: 'Here', address: null };
    expect((await sent({ type: 'location', content })).location).toEqual({
      latitude: 1.5,
      longitude: -2,
      name: 'Here',
    });
  });

  test('is a reaction or its removal', async () => {
    const react = (emoji: string | null) =>
      sent({ type: 'reaction', content: { emoji }, replyToVendorId: 'wamid.0' });
    expect(await react('👍')).toEqual({
      ...common,
      type: 'reaction',
      reaction: { message_id: 'wamid.0', emoji: '👍' },
    });
    expect((await react(null)).reaction).toEqual({ message_id: 'wamid.0', emoji: '' });
  });

  test('has choices as buttons or as a list', async () => {
    const buttons = [
      { id: 'y', title: 'Yes' },
      { id: 'n', title: 'No' },
    ];
    expect((await sent({ type: 'interactive', text: 'Well?', content: { buttons } })).interactive).toEqual({
      type: 'button',
      body: { text: 'Well?' },
      action: {
        buttons: [
          { type: 'reply', reply: { id: 'y', title: 'Yes' } },
          { type: 'reply', reply: { id: 'n', title: 'No' } },
        ],
      },
    });
    const list = {
      button: 'Choose',
      sections: [{ title: 'Sizes', rows: [{ id: 's', title: 'S', description: 'Small' }] }],
    };
    expect((await sent({ type: 'interactive', text: 'Which?', content: { list } })).interactive).toEqual({
      type: 'list',
      body: { text: 'Which?' },
      action: list,
    });
  });

  test('with choices has a header and a footer, or a picture above it', async () => {
    const buttons = [{ id: 'a', title: 'A' }];
    const content = { header: { text: 'Monday' }, footer: 'Dr. Hopper', buttons };
    const { interactive } = await sent({ type: 'interactive', text: 'Well?', content });
    expect(interactive).toMatchObject({
      header: { type: 'text', text: 'Monday' },
      body: { text: 'Well?' },
      footer: { text: 'Dr. Hopper' },
    });
    const picture = { ...theirs, mimeType: 'image/png' };
    const shown = await sent({ type: 'interactive', text: 'Well?', content: { buttons }, media: [picture] });
    expect(shown.interactive.header).toEqual({ type: 'image', image: { link: theirs.url } });
  });

  test('has every type that WhatsApp channels support', async () => {
    const filled: Partial<OutgoingMessage> = {
      text: 'x',
      media: [theirs],
      template,
      replyToVendorId: 'wamid.0',
      content: {
        latitude: 1,
        longitude: 1,
        emoji: '👍',
        buttons: [{ id: 'a', title: 'A' }],
        contacts: [{ name: 'Ada', organization: null, phoneNumbers: [], emails: [] }],
      },
    };
    for (const type of capabilities.whatsapp.types)
      expect(
        await send({ ...filled, type, template: type === 'template' ? template : null }),
        type,
      ).toMatchObject({ ok: true });
  });
});

describe('a template', () => {
  const components = async (more: Partial<OutgoingTemplate>, media: OutgoingMessage['media'] = []) =>
    (await sent({ type: 'template', template: { ...template, ...more }, media })).template.components;

  test('without variables has only its name', async () => {
    const message = await sent({ type: 'template', template });
    expect(message.template).toEqual({ name: 'order', language: { code: 'en_US' } });
  });

  test('with numbered variables has their values in order', async () => {
    const variables = { 1: 'Ada', 2: 'A-7' };
    expect(await components({ body: '{{2}} is yours, {{1}} – yes, {{2}}', variables })).toEqual([
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ada' },
          { type: 'text', text: 'A-7' },
        ],
      },
    ]);
  });

  test('with named variables has their names, and a URL has a position', async () => {
    const given = await components({
      header: { type: 'text', text: 'For {{who}}', url: null },
      body: 'Order {{order}}',
      buttons: [
        { type: 'quick_reply', text: 'Thanks', url: null, phoneNumber: null },
        { type: 'url', text: 'Track', url: 'https://a.example/{{order}}', phoneNumber: null },
        { type: 'url', text: 'Shop', url: 'https://a.example', phoneNumber: null },
      ],
      variables: { who: 'Ada', order: 'A-7' },
    });
    expect(given).toEqual([
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'who', text: 'Ada' }] },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'order', text: 'A-7' }] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'A-7' }] },
    ]);
  });

  test('with a file in its header uses its own, or that of the message', async () => {
    const header = { type: 'document', text: null, url: 'https://files.example/terms.pdf' };
    const own = { link: 'https://files.example/terms.pdf', filename: 'terms.pdf' };
    expect(await components({ header })).toEqual([
      { type: 'header', parameters: [{ type: 'document', document: own }] },
    ]);
    const [{ parameters }] = await components({ header }, [ours]);
    expect(graph.files.get(parameters[0].document.id)?.bytes.toString()).toBe('hello');
  });

  test('without a value or its file is not sent', async () => {
    const lacking = { ...template, body: 'Hi {{name}}' };
    expect(await send({ type: 'template', template: lacking })).toEqual({
      ok: false,
      error: { code: 'variable_missing', message: 'The template has no value for {{name}}.' },
      retry: 'never',
    });
    const header = { type: 'image', text: null, url: null };
    expect(await send({ type: 'template', template: { ...template, header } })).toMatchObject({
      error: { code: 'media_missing' },
    });
    expect(await send({ type: 'template' })).toMatchObject({
      error: { code: 'template_missing' },
      retry: 'never',
    });
    expect(graph.requests).toEqual([]);
  });
});

describe('an invalid message is refused without a call', () => {
  const button = (id: string, title = id) => ({ id, title });
  const rows = (count: number) => Array.from({ length: count }, (_, index) => button(`r${index}`));
  test.each([
    ['no choices at all', {}, 'content:'],
    ['both kinds of choices', { buttons: [button('a')], list: {} }, 'content:'],
    ['no button', { buttons: [] }, 'content.buttons:'],
    ['four buttons', { buttons: [button('a'), button('b'), button('c'), button('d')] }, 'content.buttons:'],
    ['two buttons with one id', { buttons: [button('a', 'A'), button('a', 'B')] }, 'content.buttons:'],
    ['a long title', { buttons: [button('a', 'x'.repeat(21))] }, 'content.buttons.0.title:'],
    ['a button without an id', { buttons: [{ title: 'A' }] }, 'content.buttons.0.id:'],
    ['a list without sections', { list: { button: 'Go' } }, 'content.list.sections:'],
    [
      'eleven rows',
      {
        list: {
          button: 'Go',
          sections: [
            { title: 'a', rows: rows(6) },
            { title: 'b', rows: rows(5) },
          ],
        },
      },
      'content.list.sections:',
    ],
    [
      'two sections of which one has no title',
      { list: { button: 'Go', sections: [{ title: 'a', rows: [button('a')] }, { rows: [button('b')] }] } },
      'content.list.sections.1.title:',
    ],
  ])('%s', async (_name, content, path) => {
    const result = await send({ type: 'interactive', text: 'Well?', content });
    expect(result).toMatchObject({ ok: false, error: { code: 'interactive_invalid' }, retry: 'never' });
    expect(!result.ok && result.error.message).toMatch(new RegExp(`^${path}`));
    expect(graph.requests).toEqual([]);
  });

  test('a picture without a file, a reaction without a message', async () => {
    expect(await send({ type: 'image' })).toMatchObject({ error: { code: 'media_missing' }, retry: 'never' });
    expect(await send({ type: 'reaction', content: { emoji: 'x' } })).toMatchObject({
      error: { code: 'message_unknown' },
    });
    expect(graph.requests).toEqual([]);
  });
});

describe('Meta’s answer', () => {
  test.each<[number, string]>([
    [131047, 'needs_template'],
    ...[131026, 131048, 131049, 131050, 368, 132000, 132001, 132015, 132016, 100, 131053].map(
      (code) => [code, 'never'] as [number, string],
    ),
    ...[130429, 80007, 4, 131056, 131016].map((code) => [code, 'backoff'] as [number, string]),
    ...[190, 10, 200].map((code) => [code, 'reauth'] as [number, string]),
  ])('code %i means %s, with any status', async (code, retry) => {
    for (const status of [400, 500]) {
      if (status === 500 && (code === 100 || code === 131053)) continue;
      graph.trouble({ status, code, message: 'What', details: 'Why.' });
      expect(await send({ text: 'Hi' })).toEqual({
        ok: false,
        error: { code: String(code), message: 'What: Why.' },
        retry,
      });
    }
    expect(graph.taken).toEqual([]);
  });

  test.each([
    [429, 'backoff'],
    [500, 'backoff'],
    [503, 'backoff'],
    [404, 'never'],
    // A gateway in front of Meta timed out.
    [502, 'unknown'],
    [504, 'unknown'],
  ])('HTTP %i without an error means %s', async (status, retry) => {
    graph.trouble({ status });
    expect(await send({ text: 'Hi' })).toMatchObject({ ok: false, error: { code: `http_${status}` }, retry });
  });

  test('an unlisted code is classified by its status', async () => {
    graph.trouble(
      { status: 500, code: 99_999 },
      { status: 400, code: 99_999 },
      { status: 429, code: 99_999, retryAfter: 7 },
    );
    expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'backoff' });
    expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'never' });
    expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'backoff', retryAfterMs: 7000 });
  });

  test.each([
    'silence',
    'reset',
    'garbage',
  ] as const)('after %s it is unknown whether it was sent', async (trouble) => {
    graph.trouble(trouble);
    const result = await send({ text: 'Hi' });
    expect(result).toMatchObject({ ok: false, retry: 'unknown' });
    expect(!result.ok && result.error.message).toMatch(/\w.+\.$/);
  });

  test.each([
    'silence',
    'reset',
    'garbage',
    { status: 504 },
  ] as const)('%j at the upload means that nothing was sent: it may be repeated', async (trouble) => {
    graph.trouble(trouble);
    expect(await send({ type: 'document', media: [ours] })).toMatchObject({ ok: false, retry: 'backoff' });
    expect(graph.taken).toEqual([]);
    expect(graph.requests).toHaveLength(1);
  });

  test('a refused connection means that nothing was sent: it may be repeated', async () => {
    expect(await send({ text: 'Hi' }, { baseUrl: 'http://127.0.0.1:1' })).toMatchObject({
      retry: 'backoff',
      error: { code: 'request_connect' },
    });
  });

  test('S1: a forbidden base URL is never retried', async () => {
    expect(await send({ text: 'Hi' }, { baseUrl: 'http://169.254.169.254' })).toMatchObject({
      retry: 'never',
      error: { code: 'request_refused', message: expect.stringContaining('PARLEY_OUTBOUND_ALLOW_HOSTS') },
    });
  });

  test('L1: a token in Meta’s error is removed', async () => {
    const { send: sendHidden } = hideSecrets(whatsappCloud);
    const result = await sendHidden(
      messageOf({ text: 'Hi' }),
      channelWith({ accessToken: 'EAAsecret' }),
      context,
    );
    expect(result).toMatchObject({
      retry: 'reauth',
      error: { code: '190', message: 'Malformed access token …' },
    });
  });
});

describe('an uploaded file', () => {
  test.each([
    ['an old Word document', 'application/x-cfb', 'letter.doc', 'application/msword'],
    ['an old table', 'application/x-cfb', 'list.XLS', 'application/vnd.ms-excel'],
    ['old slides', 'application/x-cfb', 'talk.ppt', 'application/vnd.ms-powerpoint'],
    ['a table in Windows-1252', 'application/octet-stream', 'list.csv', 'text/plain'],
    ['a table in UTF-8', 'text/csv', 'list.csv', 'text/plain'],
    ['a document as it is', 'application/pdf', 'letter.doc', 'application/pdf'],
    ['something that Meta does not know', 'application/zip', 'all.zip', 'application/zip'],
  ])('has the type that Meta takes: %s', async (_name, mimeType, filename, expected) => {
    const { document } = await sent({ type: 'document', media: [{ ...ours, mimeType, filename }] });
    expect(document.filename).toBe(filename);
    expect(graph.files.get(document.id)).toMatchObject({ mimeType: expected, filename });
  });
});
