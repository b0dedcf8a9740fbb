import { beforeEach, describe, expect, test } from 'vitest';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import { capabilities } from '../../../../src/providers/capabilities.ts';
import { instagram } from '../../../../src/providers/instagram/instagram.ts';
import type { OutgoingMessage, SendResult } from '../../../../src/providers/outgoing-message.ts';
import { useGraph, useGraphContext } from '../../../kit/graph.ts';

const graph = await useGraph();
const context = useGraphContext();
beforeEach(() => {
  graph.requests.length = 0;
  graph.taken.length = 0;
});

const channelWith = (config: object = {}): AdapterChannel => ({
  id: '019a82a0-0000-7000-8000-000000000021',
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'instagram',
  address: 'shop',
  config: { accountId: graph.accountId, accessToken: graph.token, baseUrl: graph.url, ...config },
});
const send = (more: Partial<OutgoingMessage>, config: object = {}): Promise<SendResult> =>
  instagram.send(
    {
      id: '019a82a0-0000-7000-8000-000000000030',
      to: { type: 'instagram_id', value: '2001' },
      type: 'text',
      text: null,
      media: [],
      content: {},
      template: null,
      replyToVendorId: null,
      references: [],
      isAutomatic: false,
      ...more,
    },
    channelWith(config),
    context,
  );
const picture = {
  url: 'https://parley.example/public/files/t/a.png',
  mimeType: 'image/png',
  filename: 'a.png',
  size: 5,
};
const template = {
  name: 'hello',
  language: 'en',
  vendorId: null,
  header: { type: 'text', text: 'Dear {{name}}', url: null },
  body: 'Order {{1}} is ready, {{name}}.',
  footer: 'Bye',
  buttons: [],
  variables: { name: 'Ada', 1: 'A-7' },
};

describe('a sent message', () => {
  test('is a text', async () => {
    expect(await send({ text: 'Hi' })).toEqual({
      ok: true,
      vendorId: expect.stringMatching(/^mid\./),
      status: 'sent',
      contact: [{ type: 'instagram_id', value: '2001' }],
    });
    expect(graph.taken).toEqual([{ recipient: { id: '2001' }, message: { text: 'Hi' } }]);
    expect(graph.requests).toMatchObject([
      { version: 'v26.0', path: `${graph.accountId}/messages`, authorization: `Bearer ${graph.token}` },
    ]);
  });

  test.each([
    'image',
    'video',
    'audio',
  ] as const)('has a file of the type %s by its public URL', async (type) => {
    expect(await send({ type, media: [picture] })).toMatchObject({ ok: true });
    expect(graph.taken[0].message).toEqual({ attachment: { type, payload: { url: picture.url } } });
  });

  test('has a template as text', async () => {
    await send({ type: 'template', template });
    expect(graph.taken[0].message).toEqual({ text: 'Dear Ada\n\nOrder A-7 is ready, Ada.\n\nBye' });
  });

  test('has every type that Instagram channels support', async () => {
    for (const type of capabilities.instagram.types) {
      const isMedia = ['image', 'video', 'audio'].includes(type);
      const content = { buttons: [{ id: 'a', title: 'A' }] };
      const media = isMedia ? [picture] : [];
      const message = { type, template, media, content, text: isMedia ? null : 'Hi' };
      expect(await send(message), type).toMatchObject({ ok: true });
    }
  });

  test('has the tag of a human agent only if the channel allows it and it is not automatic', async () => {
    await send({ text: 'Hi' }, { humanAgent: true });
    await send({ text: 'Hi', isAutomatic: true }, { humanAgent: true });
    await send({ text: 'Hi' }, { humanAgent: false });
    const tagged = { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' };
    expect(graph.taken.map(({ messaging_type, tag }) => ({ messaging_type, tag }))).toEqual([tagged, {}, {}]);
  });
});

describe('a refused message', () => {
  test('has a text of more than 1000 bytes, with any number of characters', async () => {
    expect(await send({ text: 'ü'.repeat(500) })).toMatchObject({ ok: true });
    expect(await send({ text: 'ü'.repeat(501) })).toEqual({
      ok: false,
      error: { code: 'text_too_long', message: 'On Instagram a text has at most 1000 bytes, this has 1002.' },
      retry: 'never',
    });
    const long = { ...template, body: 'x'.repeat(1000) };
    expect(await send({ type: 'template', template: long })).toMatchObject({
      error: { code: 'text_too_long' },
    });
  });

  test('has a picture with a text, no file, or an unsupported type', async () => {
    expect(await send({ type: 'image', media: [picture], text: 'Hi' })).toMatchObject({
      error: { code: 'caption_unsupported' },
    });
    expect(await send({ type: 'image' })).toMatchObject({ error: { code: 'media_missing' } });
    expect(await send({ type: 'location' })).toMatchObject({ error: { code: 'type_unsupported' } });
    expect(graph.requests).toEqual([]);
  });

  test('is after the reply window, by the subcode', async () => {
    const message = 'This message is sent outside of allowed window.';
    graph.trouble(
      { status: 400, code: 10, subcode: 2534022, message },
      { status: 400, code: 10, message: 'No permission' },
    );
    expect(await send({ text: 'Hi' })).toEqual({
      ok: false,
      error: { code: '10', message },
      retry: 'needs_template',
    });
    expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'reauth' });
  });

  test('is too fast, has an invalid token, or a lost answer', async () => {
    graph.trouble({ status: 400, code: 613, message: 'Calls to this api have exceeded the rate limit' });
    expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'backoff' });
    expect(await send({ text: 'Hi' }, { accessToken: 'EAAother' })).toMatchObject({ retry: 'reauth' });
    for (const trouble of ['silence', 'reset', 'garbage'] as const) {
      graph.trouble(trouble);
      expect(await send({ text: 'Hi' })).toMatchObject({ retry: 'unknown' });
    }
  });
});

describe('files and checks', () => {
  test('a file is fetched from its URL without the token', async () => {
    graph.files.set('9', { bytes: Buffer.from('x'), mimeType: 'image/png', filename: '' });
    const fetch = (id: string) =>
      instagram.fetchMedia?.({ url: graph.publicUrl(id) }, channelWith(), context);
    expect(await fetch('9')).toEqual({ bytes: Buffer.from('x'), mimeType: 'image/png', filename: null });
    expect(graph.requests).toMatchObject([{ authorization: '' }]);
    await expect(fetch('10')).rejects.toMatchObject({ code: 'http_401', isTemporary: false });
    graph.trouble({ status: 302 });
    await expect(fetch('9')).rejects.toMatchObject({ code: 'http_302', isTemporary: false });
  });

  test('a check reports the account of the token, and whether an app is subscribed', async () => {
    const check = (config: object = {}) => instagram.check(channelWith(config), context);
    expect(await check()).toEqual([]);
    expect(await check({ accountId: '1' })).toEqual([
      {
        path: 'config.accountId',
        message: `The access token belongs to the account ${graph.accountId} (shop).`,
      },
    ]);
    expect(await check({ accessToken: 'EAAother' })).toMatchObject([{ path: 'config.accessToken' }]);
    graph.subscribed.delete('me');
    expect(await check()).toMatchObject([{ message: expect.stringContaining('No app is subscribed') }]);
    graph.subscribed.add('me');
    graph.trouble('reset');
    expect(await check()).toEqual([{ message: expect.stringContaining('Meta could not be called') }]);
  });
});
