import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { upload } from '../kit/files.ts';
import { useGraph } from '../kit/graph.ts';
import { deliver, type MetaChannel, metaChannel, onlyChat, whatsappText } from '../kit/meta-channel.ts';
import { approvedTemplate, openChat, outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const graph = await useGraph();

let tenant: TestTenant;
let channel: MetaChannel;
let chatId: string;
beforeEach(async () => {
  graph.taken.length = 0;
  graph.templates.length = 0;
  graph.files.set('7', { bytes: Buffer.from('png'), mimeType: 'image/png', filename: 'a.png' });
  tenant = await server.tenant();
  channel = await metaChannel(tenant, graph, 'whatsapp');
  const seconds = Math.floor(server.clock.now().getTime() / 1000);
  await deliver(server, channel, whatsappText(graph, '15550001111', `wamid-${tenant.id}`, seconds));
  chatId = (await onlyChat(tenant)).id;
});

const base = () => ({ channelId: channel.id, name: 'special', language: 'en', body: 'Hello {{1}}' });
const create = (more: object) => tenant.post('/v3/message_templates', { ...base(), ...more });
/** A template that Meta has approved, as it was submitted there. */
async function submitted(more: object) {
  const { status, body } = await create(more);
  expect([status, body.error]).toEqual([200, undefined]);
  await server.settle();
  const stored = (await tenant.get(`/v3/message_templates/${body.data.id}`)).body.data;
  expect(stored).toMatchObject({ status: 'pending', problem: null, rejectionReason: null });
  await server.system.db.query(`update message_templates set status = 'approved' where id = $1`, [stored.id]);
  return { id: stored.id as string, components: graph.templates.at(-1).components, stored };
}
const send = async (template: object) => {
  const answer = await tenant.post(`/v3/chats/${chatId}/messages`, { template });
  await server.settle();
  return answer;
};
const sentComponents = async (template: object) => {
  const answer = await send(template);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  const message = (await tenant.get(`/v3/messages/${answer.body.data.id}`)).body.data;
  expect(message).toMatchObject({ status: 'sent', error: null });
  return graph.taken.at(-1).template.components;
};
const issuesOf = async (template: object) => {
  const { status, body } = await send(template);
  expect(status).toBe(400);
  return Object.keys(body.error.invalidParams);
};
const text = (value: string) => ({ type: 'text', text: value });
const place = { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main Street 1' };

describe('a template with a place in its header', () => {
  it('is created, and sent with the place', async () => {
    const { id, components } = await submitted({ header: { type: 'location' } });
    expect(components[0]).toEqual({ type: 'HEADER', format: 'LOCATION' });
    const variables = { 1: 'Ada' };
    expect(await sentComponents({ templateId: id, variables, header: { location: place } })).toEqual([
      { type: 'header', parameters: [{ type: 'location', location: place }] },
      { type: 'body', parameters: [text('Ada')] },
    ]);
    expect(await issuesOf({ templateId: id, variables })).toEqual(['template.header']);
    const file = { url: 'https://example.com/a.png' };
    expect(await issuesOf({ templateId: id, variables, header: file })).toEqual(['template.header']);
  });
});

describe('a template with a one-time password', () => {
  const otp = (more: object = {}) => ({
    body: undefined,
    category: 'authentication',
    authentication: { hasSecurityRecommendation: true, codeExpirationMinutes: 5 },
    buttons: [{ type: 'otp', otp: { type: 'copy_code' } }],
    ...more,
  });

  it('is created without texts, and sent with the code in body and button', async () => {
    const { id, components, stored } = await submitted(otp());
    expect(components).toEqual([
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ]);
    expect(stored).toMatchObject({ variables: ['1'], body: expect.stringContaining('{{1}}') });
    expect(await sentComponents({ templateId: id, variables: { 1: '123456' } })).toEqual([
      { type: 'body', parameters: [text('123456')] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('123456')] },
    ]);
    expect(await issuesOf({ templateId: id })).toEqual(['template.variables.1']);
  });

  it('can be filled in by the app', async () => {
    const apps = [{ packageName: 'com.example.app', signatureHash: 'K8a/AINcGX7' }];
    const button = { type: 'otp', text: 'Copy', otp: { type: 'one_tap', autofillText: 'Fill in', apps } };
    const { components } = await submitted(otp({ buttons: [button], authentication: undefined }));
    expect(components).toEqual([
      { type: 'BODY' },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'OTP',
            otp_type: 'ONE_TAP',
            text: 'Copy',
            autofill_text: 'Fill in',
            supported_apps: [{ package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' }],
          },
        ],
      },
    ]);
  });

  it.each<[string, object, string[]]>([
    ['another category', { category: 'utility' }, ['category']],
    ['a header', { header: { type: 'text', text: 'a' } }, ['header']],
    ['a footer', { footer: 'a', authentication: undefined }, ['footer']],
    ['a body without the code', { body: 'Hello' }, ['body']],
    [
      'no apps to fill it in',
      { buttons: [{ type: 'otp', otp: { type: 'one_tap' } }] },
      ['buttons.0.otp.apps'],
    ],
    [
      'a second button',
      {
        buttons: [
          { type: 'otp', otp: { type: 'copy_code' } },
          { type: 'quick_reply', text: 'a' },
        ],
      },
      ['buttons'],
    ],
    ['its texts without a button', { body: 'Hello {{1}}', buttons: [] }, ['authentication']],
    ['a button without saying how', { buttons: [{ type: 'otp' }] }, ['buttons.0.otp']],
  ])('is refused with %s', async (_name, more, paths) => {
    const { status, body } = await create(otp(more));
    expect([status, Object.keys(body.error?.invalidParams ?? {})]).toEqual([400, paths]);
  });
});

describe('a template with an offer that ends', () => {
  const offer = {
    category: 'marketing',
    offer: { text: 'Ends soon', hasExpiration: true },
    buttons: [
      { type: 'copy_code', code: 'SAVE25' },
      { type: 'url', text: 'Book', url: 'https://example.com/{{code}}' },
    ],
  };

  it('is created, and sent with its end and its code', async () => {
    const { id, components } = await submitted(offer);
    expect(components).toEqual([
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: true } },
      { type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['value1']] } },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'COPY_CODE', example: 'SAVE25' },
          {
            type: 'URL',
            text: 'Book',
            url: 'https://example.com/{{1}}',
            example: ['https://example.com/code'],
          },
        ],
      },
    ]);
    const variables = { 1: 'Ada', code: 'x1' };
    const offerExpiresAt = '2026-12-01T10:00:00Z';
    expect(await sentComponents({ templateId: id, variables, offerExpiresAt, couponCode: 'SAVE30' })).toEqual(
      [
        {
          type: 'limited_time_offer',
          parameters: [
            {
              type: 'limited_time_offer',
              limited_time_offer: { expiration_time_ms: Date.parse(offerExpiresAt) },
            },
          ],
        },
        { type: 'body', parameters: [text('Ada')] },
        {
          type: 'button',
          sub_type: 'copy_code',
          index: '0',
          parameters: [{ type: 'coupon_code', coupon_code: 'SAVE30' }],
        },
        { type: 'button', sub_type: 'url', index: '1', parameters: [text('x1')] },
      ],
    );
    expect(await issuesOf({ templateId: id, variables })).toEqual([
      'template.couponCode',
      'template.offerExpiresAt',
    ]);
    const past = { templateId: id, variables, couponCode: 'a', offerExpiresAt: '2020-01-01T00:00:00Z' };
    expect(await issuesOf(past)).toEqual(['template.offerExpiresAt']);
  });

  it('is refused with a footer or for another purpose', async () => {
    const { status, body } = await create({ ...offer, category: 'utility', footer: 'a' });
    expect([status, Object.keys(body.error.invalidParams)]).toEqual([400, ['category', 'footer']]);
  });

  it('is checked when a step or a campaign uses it', async () => {
    const { id } = await submitted(offer);
    const step = (parameters: object) => ({
      name: 'x',
      trigger: { type: 'api' },
      steps: [{ id: 'send', type: 'send_template', parameters: { templateId: id, ...parameters } }],
    });
    const refused = await tenant.post('/v3/automations', step({ variables: { 1: 'a', code: 'b' } }));
    expect(Object.keys(refused.body.error.invalidParams)).toEqual([
      'steps.0.parameters.couponCode',
      'steps.0.parameters.offerExpiresAt',
    ]);
    const more = { couponCode: 'X{{ variables.code }}', offerExpiresAt: '2026-12-01T10:00:00Z' };
    const variables = [{ name: 'code', type: 'string' }];
    const automationId = await automationOf(tenant, {
      ...step({ variables: { 1: 'a', code: 'b' }, ...more }),
      variables,
    });
    const { contactId } = (await tenant.get(`/v3/chats/${chatId}`)).body.data;
    const run = await tenant.post(`/v3/automations/${automationId}/trigger`, {
      contactId,
      variables: { code: '7' },
    });
    expect([run.status, run.body.error]).toEqual([200, undefined]);
    await server.settle();
    expect(graph.taken.at(-1).template.components).toContainEqual(
      expect.objectContaining({ parameters: [{ type: 'coupon_code', coupon_code: 'X7' }] }),
    );
    const campaign = { channelId: channel.id, name: 'x', automationId, messageTemplateId: id };
    const answer = await tenant.post('/v3/campaigns', campaign);
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([
      400,
      ['messageTemplateId'],
    ]);
  });
});

describe('a carousel', () => {
  const card = (name: string) => ({
    header: { type: 'image', url: graph.publicUrl('7') },
    body: `${name} for {{1}}`,
    buttons: [
      { type: 'quick_reply', text: 'More' },
      { type: 'url', text: 'Shop', url: 'https://example.com/{{sku}}' },
    ],
  });
  const carousel = () => ({ category: 'marketing', cards: [card('Aloe'), card('Agave')] });

  it('is created, and sent with the variables and files of each card', async () => {
    const { id, components } = await submitted(carousel());
    expect(components[1]).toMatchObject({
      type: 'CAROUSEL',
      cards: [
        {
          components: [
            { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::png'] } },
            { type: 'BODY', text: 'Aloe for {{1}}' },
            {
              type: 'BUTTONS',
              buttons: [{ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://example.com/{{1}}' }],
            },
          ],
        },
        { components: [{}, { text: 'Agave for {{1}}' }, {}] },
      ],
    });
    const file = (await upload(tenant, PNG, 'own.png')).body.data;
    const cards = [
      { variables: { 1: '3 €', sku: 'a1' }, header: { fileId: file.id } },
      { variables: { 1: '4 €', sku: 'a2' } },
    ];
    const sent = await sentComponents({ templateId: id, variables: { 1: 'Ada' }, cards });
    const part = (price: string, sku: string, image: object) => [
      { type: 'header', parameters: [{ type: 'image', image }] },
      { type: 'body', parameters: [text(price)] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [text(sku)] },
    ];
    expect(sent).toEqual([
      { type: 'body', parameters: [text('Ada')] },
      {
        type: 'carousel',
        cards: [
          { card_index: 0, components: part('3 €', 'a1', { id: expect.any(String) }) },
          { card_index: 1, components: part('4 €', 'a2', { link: graph.publicUrl('7') }) },
        ],
      },
    ]);
    const variables = { 1: 'Ada' };
    expect(await issuesOf({ templateId: id, variables })).toEqual(['template.cards']);
    expect(await issuesOf({ templateId: id, variables, cards: [cards[0], {}] })).toEqual([
      'template.cards.1.variables.1',
      'template.cards.1.variables.sku',
    ]);
    const tooMany = [...cards, { variables: {} }];
    expect(await issuesOf({ templateId: id, variables, cards: tooMany })).toEqual(['template.cards']);
    const unknown = { fileId: '019a82a0-0000-7000-8000-00000000ffff' };
    expect(
      await issuesOf({ templateId: id, variables, cards: [{ ...cards[0], header: unknown }, cards[1]] }),
    ).toEqual(['template.cards.0.header.fileId']);
  });

  it('is refused with a footer, with different cards, or with one card', async () => {
    const without = { ...card('b'), body: undefined };
    const answer = await create({ ...carousel(), footer: 'a', cards: [card('a'), without] });
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(['footer', 'cards.1']);
    expect(
      Object.keys((await create({ ...carousel(), cards: [card('a')] })).body.error.invalidParams),
    ).toEqual(['cards']);
  });

  it('can be read and sent back', async () => {
    const { stored } = await submitted(carousel());
    const answer = await tenant.put(`/v3/message_templates/${stored.id}`, stored);
    expect([answer.status, answer.body.data.cards]).toEqual([200, stored.cards]);
  });
});

describe('on other channels', () => {
  it('special parts are refused', async () => {
    const sms = await tenant.channel('sms');
    const { status, body } = await create({
      channelId: sms.id,
      header: { type: 'location' },
      buttons: [{ type: 'copy_code', code: 'a' }],
      offer: { text: 'a' },
    });
    expect([status, Object.keys(body.error.invalidParams)]).toEqual([
      400,
      ['header.type', 'buttons.0.type', 'offer'],
    ]);
  });

  it('the sandbox of WhatsApp takes them', async () => {
    const sandbox = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, sandbox, '+15550002345');
    const templateId = await approvedTemplate(server, tenant, {
      channelId: sandbox.id,
      body: 'Use {{1}}',
      buttons: [{ type: 'copy_code', code: 'A' }],
    });
    const template = { templateId, variables: { 1: 'it' }, couponCode: 'SAVE' };
    expect((await tenant.post(`/v3/chats/${chat.id}/messages`, { template })).status).toBe(200);
    await server.settle();
    expect(await outboxOf(tenant, sandbox)).toMatchObject([
      { type: 'template', content: { couponCode: 'SAVE' } },
    ]);
  });
});
