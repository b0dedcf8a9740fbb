import { beforeEach, describe, expect, test } from 'vitest';
import type { AdapterChannel } from '../../../../src/providers/adapter-channel.ts';
import { hideSecrets } from '../../../../src/providers/hide-secrets.ts';
import type { NewVendorTemplate } from '../../../../src/providers/vendor-template.ts';
import { whatsappCloud } from '../../../../src/providers/whatsapp_cloud/whatsapp-cloud.ts';
import { useGraph, useGraphContext } from '../../../kit/graph.ts';

const graph = await useGraph();
const context = useGraphContext();
beforeEach(() => {
  graph.requests.length = 0;
  graph.templates.length = 0;
});

const channelWith = (config: object = {}, address = '+15550009999'): AdapterChannel => ({
  id: '019a82a0-0000-7000-8000-000000000020',
  tenantId: '019a82a0-0000-7000-8000-000000000002',
  kind: 'whatsapp',
  address,
  config: {
    phoneNumberId: graph.phoneNumberId,
    businessAccountId: graph.businessAccountId,
    accessToken: graph.token,
    baseUrl: graph.url,
    ...config,
  },
});

describe('media', () => {
  const fetch = (id: string) => whatsappCloud.fetchMedia?.({ id }, channelWith(), context);

  test('is fetched in two steps, both with the token', async () => {
    graph.files.set('55', { bytes: Buffer.from('png'), mimeType: 'image/jpeg', filename: '' });
    expect(await fetch('55')).toEqual({ bytes: Buffer.from('png'), mimeType: 'image/jpeg', filename: null });
    expect(graph.requests).toMatchObject([
      { path: '55', query: { phone_number_id: graph.phoneNumberId }, authorization: `Bearer ${graph.token}` },
      { path: '55/content', authorization: `Bearer ${graph.token}` },
    ]);
  });

  test('that Meta no longer has fails permanently, other errors temporarily', async () => {
    await expect(fetch('56')).rejects.toMatchObject({ code: 'media_gone', isTemporary: false });
    graph.files.set('57', { bytes: Buffer.from('png'), mimeType: 'image/png', filename: '' });
    graph.trouble({ status: 500 });
    await expect(fetch('57')).rejects.toMatchObject({ isTemporary: true });
    graph.trouble(null, { status: 404 });
    await expect(fetch('57')).rejects.toMatchObject({ code: 'media_gone', isTemporary: false });
    graph.trouble(null, 'reset');
    await expect(fetch('57')).rejects.toMatchObject({ isTemporary: true });
  });

  test('I1: is not fetched after an answer of more than 64 KiB, which would be parsed on the event loop', async () => {
    graph.files.set('58', { bytes: Buffer.from('png'), mimeType: 'x'.repeat(64 * 1024), filename: '' });
    await expect(fetch('58')).rejects.toMatchObject({ isTemporary: true });
    expect(graph.requests).toHaveLength(1);
  });

  test('that is too large is not fetched', async () => {
    const bytes = { length: 100 * 1024 * 1024 + 1 } as Buffer;
    graph.files.set('58', { bytes, mimeType: 'video/mp4', filename: '' });
    await expect(fetch('58')).rejects.toMatchObject({ code: 'media_too_large', isTemporary: false });
    expect(graph.requests).toHaveLength(1);
  });
});

describe('templates', () => {
  const template: NewVendorTemplate = {
    name: 'order',
    language: 'en_US',
    category: 'utility',
    header: { type: 'text', text: 'For {{who}}', url: null },
    body: 'Order {{order}} is on its way, {{who}}.',
    footer: 'Bye',
    buttons: [
      { type: 'quick_reply', text: 'Thanks', url: null, phoneNumber: null },
      { type: 'url', text: 'Track', url: 'https://a.example/{{order}}', phoneNumber: null },
      { type: 'phone_number', text: 'Call', url: null, phoneNumber: '+15550009999' },
    ],
    examples: { who: 'Ada', order: 'A-7' },
  };
  const create = (more: Partial<NewVendorTemplate> = {}, config: object = {}) =>
    whatsappCloud.templates?.create({ ...template, ...more }, channelWith(config), context);
  const list = async () => (await whatsappCloud.templates?.list(channelWith(), context))?.templates;

  test('are created with an example for each variable', async () => {
    expect(await create()).toEqual({ vendorId: expect.any(String), status: 'pending' });
    expect(graph.requests[0]?.json).toEqual({
      name: 'order',
      language: 'en_US',
      category: 'UTILITY',
      parameter_format: 'NAMED',
      components: [
        {
          type: 'HEADER',
          format: 'TEXT',
          text: 'For {{who}}',
          example: { header_text_named_params: [{ param_name: 'who', example: 'Ada' }] },
        },
        {
          type: 'BODY',
          text: 'Order {{order}} is on its way, {{who}}.',
          example: {
            body_text_named_params: [
              { param_name: 'order', example: 'A-7' },
              { param_name: 'who', example: 'Ada' },
            ],
          },
        },
        { type: 'FOOTER', text: 'Bye' },
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'Thanks' },
            {
              type: 'URL',
              text: 'Track',
              url: 'https://a.example/{{1}}',
              example: ['https://a.example/A-7'],
            },
            { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550009999' },
          ],
        },
      ],
    });
  });

  test('are changed by their id with content and category, and reviewed again', async () => {
    const { vendorId } = (await create()) as { vendorId: string };
    const { name, language, components } = graph.requests[0]?.json ?? {};
    const changed = { ...template, vendorId, category: 'marketing' as const, footer: 'See you' };
    const update = () => whatsappCloud.templates?.update?.(changed, channelWith(), context);
    expect(await update()).toEqual({ status: 'pending' });
    components[2] = { type: 'FOOTER', text: 'See you' };
    expect(graph.requests[1]).toMatchObject({ method: 'POST', path: vendorId });
    expect(graph.requests[1]?.json).toEqual({ category: 'MARKETING', components });
    expect(graph.templates).toMatchObject([{ id: vendorId, name, language, components }]);
    graph.trouble({ status: 400, code: 100, message: 'Invalid parameter', details: 'Edited too often.' });
    await expect(update()).rejects.toMatchObject({
      isTemporary: false,
      message: expect.stringContaining('Edited too often'),
    });
  });

  test('with numbered variables have their examples in order', async () => {
    await create({
      header: { type: 'text', text: 'For {{1}}', url: null },
      body: '{{2}} for {{1}}',
      footer: null,
      buttons: [],
      examples: { 1: 'Ada', 2: 'A-7' },
    });
    expect(graph.requests[0]?.json).toMatchObject({
      parameter_format: 'POSITIONAL',
      components: [{ example: { header_text: ['Ada'] } }, { example: { body_text: [['Ada', 'A-7']] } }],
    });
  });

  test('with a file in the header upload it for the app', async () => {
    graph.files.set('77', { bytes: Buffer.from('picture'), mimeType: 'image/png', filename: '' });
    const header = { type: 'image', text: null, url: graph.publicUrl('77') };
    await expect(create({ header })).rejects.toMatchObject({ code: 'app_id_missing' });
    await expect(create({ header: { ...header, url: null } })).rejects.toMatchObject({
      code: 'header_file_missing',
    });
    await create({ header }, { appId: graph.appId });
    expect(graph.requests.slice(-4)).toMatchObject([
      // Other servers do not get the token.
      { path: '77', authorization: '' },
      {
        path: `${graph.appId}/uploads`,
        query: { file_name: '77', file_length: '7', file_type: 'image/png' },
      },
      { path: 'upload:7', authorization: `OAuth ${graph.token}` },
      {
        json: {
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::picture'] } },
            {},
            {},
            {},
          ],
        },
      },
    ]);
  });

  test('are listed if each of a page has 40 kB', async () => {
    for (let id = 1; id <= 25; id += 1)
      graph.templates.push({
        id: String(id),
        name: `t${id}`,
        language: 'en',
        category: 'MARKETING',
        status: 'APPROVED',
        components: [{ type: 'BODY', text: 'Hi', example: 'x'.repeat(40_000) }],
      });
    expect(await list()).toHaveLength(25);
  });

  test('are listed over all pages, without unsupported ones', async () => {
    const body = { type: 'BODY', text: 'Hi' };
    const template = (more: object) => ({
      name: 'a',
      language: 'en',
      category: 'MARKETING',
      status: 'APPROVED',
      components: [body],
      ...more,
    });
    graph.templates.push(
      template({ id: '1' }),
      template({ id: '2', status: 'REJECTED', rejected_reason: 'INVALID_FORMAT', category: 'UTILITY' }),
      template({ id: '3', components: [{ type: 'CAROUSEL' }, body] }),
      template({ id: '4', components: [body, { type: 'BUTTONS', buttons: [{ type: 'SPM' }] }] }),
      template({ id: '5', status: 'PENDING_DELETION' }),
      template({
        id: '6',
        status: 'FLAGGED',
        components: [
          { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['https://ends.example'] } },
          body,
          { type: 'FOOTER', text: 'Bye' },
          { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Go', url: 'https://a.example/{{1}}' }] },
        ],
      }),
    );
    expect(await list()).toEqual([
      {
        vendorId: '1',
        name: 'a',
        language: 'en',
        category: 'marketing',
        status: 'approved',
        reason: null,
        header: null,
        body: 'Hi',
        footer: null,
        buttons: [],
        cards: null,
        offer: null,
        authentication: null,
      },
      expect.objectContaining({
        vendorId: '2',
        status: 'rejected',
        reason: 'INVALID_FORMAT',
        category: 'utility',
      }),
      expect.objectContaining({
        vendorId: '6',
        status: 'approved',
        header: { type: 'image', text: null, url: null },
        footer: 'Bye',
        buttons: [{ type: 'url', text: 'Go', url: 'https://a.example/{{1}}', phoneNumber: null }],
      }),
    ]);
    expect(graph.requests.map(({ query }) => query.after)).toEqual([undefined, '2', '4']);
  });

  test('are deleted by name and id, and a missing one is not an error', async () => {
    graph.templates.push({ id: '1', name: 'a', language: 'en' }, { id: '2', name: 'a', language: 'de' });
    const remove = (vendorId: string | null) =>
      whatsappCloud.templates?.remove({ vendorId, name: 'a' }, channelWith(), context);
    await remove('1');
    await remove('1');
    await remove(null);
    expect(graph.templates).toEqual([{ id: '2', name: 'a', language: 'de' }]);
    expect(graph.requests).toHaveLength(2);
    graph.trouble({ status: 403, code: 200, message: 'Permissions error' });
    await expect(remove('2')).rejects.toMatchObject({ code: '200', message: 'Permissions error' });
  });

  test('that Meta refuses have its reason', async () => {
    graph.trouble({ status: 400, code: 100, message: 'Invalid parameter', details: 'The name is taken.' });
    await expect(create()).rejects.toMatchObject({
      code: '100',
      message: 'Invalid parameter: The name is taken.',
      isTemporary: false,
    });
    graph.trouble('garbage');
    await expect(list()).rejects.toMatchObject({ isTemporary: true });
  });
});

describe('a check', () => {
  const check = (config: object = {}, address?: string) =>
    hideSecrets(whatsappCloud).check(channelWith(config, address), context);

  test('finds no problem of a working channel, with any format of its number', async () => {
    expect(await check()).toEqual([]);
    expect(await check({}, '1 555 000 9999')).toEqual([]);
  });

  test('names the wrong setting', async () => {
    expect(await check({ accessToken: 'EAAother' })).toEqual([
      {
        path: 'config.accessToken',
        message: 'Meta does not accept the access token: Malformed access token …',
      },
    ]);
    expect(await check({ phoneNumberId: '1' })).toEqual([
      {
        path: 'config.phoneNumberId',
        message: expect.stringContaining('Meta has no phone number with this id'),
      },
    ]);
    expect(await check({ businessAccountId: '1' })).toEqual([
      { path: 'config.businessAccountId', message: expect.stringContaining('does not exist') },
    ]);
    expect(await check({}, '+15550001234')).toEqual([
      { path: 'address', message: 'At Meta the number with this id is +1 555-000-9999.' },
    ]);
    graph.trouble({ status: 403, code: 10, message: 'Application does not have permission for this action' });
    expect(await check()).toEqual([
      { path: 'config.accessToken', message: expect.stringContaining('The access token lacks a permission') },
    ]);
  });

  test('reports that no app is subscribed', async () => {
    graph.subscribed.delete(graph.businessAccountId);
    expect(await check()).toEqual([
      { path: 'config.businessAccountId', message: expect.stringContaining('No app is subscribed') },
    ]);
    graph.subscribed.add(graph.businessAccountId);
  });

  test.each([
    'silence',
    'reset',
    'garbage',
    { status: 500 },
  ] as const)('reports that Meta could not be called after %j', async (trouble) => {
    graph.trouble(trouble);
    expect(await check()).toEqual([{ message: expect.stringContaining('Meta could not be called: ') }]);
  });

  test('reports a forbidden address', async () => {
    expect(await check({ baseUrl: 'http://10.0.0.1' })).toEqual([
      { message: expect.stringContaining('PARLEY_OUTBOUND_ALLOW_HOSTS') },
    ]);
  });
});
