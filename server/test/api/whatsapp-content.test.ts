import { beforeEach, describe, expect, it } from 'vitest';
import { listener } from '../kit/events.ts';
import { useGraph } from '../kit/graph.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { messagesOf, useNumber, type WhatsAppNumber } from '../kit/whatsapp.ts';

const server = await useServer();
const graph = await useGraph();
const FROM = '15550001111';
let tenant: TestTenant;
let shop: WhatsAppNumber;
beforeEach(async () => {
  tenant = await server.tenant();
  shop = await useNumber(server, tenant, graph);
});

it('a message keeps the username of its sender and the product that it is about', async () => {
  await shop.value({
    contacts: [{ profile: { name: 'Ada', username: '@ada' }, user_id: 'US.1' }],
    messages: [
      {
        from_user_id: 'US.1',
        id: 'wamid.1',
        timestamp: '1794704523',
        type: 'text',
        text: { body: 'Is it blue?' },
        context: {
          from: '15550009999',
          id: 'wamid.0',
          referred_product: { catalog_id: '354160437058781', product_retailer_id: 'SHOE-38' },
        },
      },
    ],
  });
  expect(await messagesOf(tenant)).toMatchObject([
    {
      content: {
        username: '@ada',
        referredProduct: { catalogId: '354160437058781', productId: 'SHOE-38' },
      },
    },
  ]);
});

it('a file that is gone at WhatsApp says so in its message, once, and is not tried again', async () => {
  const published = listener(server, tenant);
  await shop.text({ number: FROM }, '', { type: 'image', image: { id: '404', mime_type: 'image/png' } });
  const [message] = await messagesOf(tenant);
  expect(message.media).toEqual([
    {
      fileId: null,
      url: null,
      mimeType: 'image/png',
      filename: null,
      size: null,
      error: { code: 'media_gone', message: expect.stringContaining('no longer exists at WhatsApp') },
    },
  ]);
  const updates = (await published()).filter(({ type }) => type === 'message.updated');
  expect(updates).toMatchObject([{ data: { media: [{ error: { code: 'media_gone' } }] } }]);
  server.clock.advance(24 * 3600_000);
  await server.settle();
  expect((await published()).filter(({ type }) => type === 'message.updated')).toEqual([]);
});

describe('what Meta says about the number', () => {
  const channelOf = async () => (await tenant.get(`/v3/channels/${shop.channelId}`)).body.data;
  const report = async (field: string, value: object) => {
    expect(await shop.post([{ field, value }])).toBe(200);
    await server.settle();
    return channelOf();
  };
  const number = { display_phone_number: '15550009999' };

  it('is a warning that ends with the same cause, and one about another number is not the channel’s', async () => {
    const other = { display_phone_number: '15550008888', event: 'FLAGGED', current_limit: 'TIER_10K' };
    expect(await report('phone_number_quality_update', other)).toMatchObject({ health: 'unchecked' });
    expect(await report('phone_number_quality_update', { ...number, event: 'FLAGGED' })).toMatchObject({
      health: 'degraded',
      problem: expect.stringContaining('quality of the number is low'),
    });
    const approved = { ...number, decision: 'APPROVED', requested_verified_name: 'Shop' };
    expect(await report('phone_number_name_update', approved)).toMatchObject({ health: 'degraded' });
    expect(await report('phone_number_quality_update', { ...number, event: 'UNFLAGGED' })).toMatchObject({
      health: 'healthy',
      problem: null,
    });
  });

  it('is a rejected name, or an alert about the account', async () => {
    const rejected = {
      ...number,
      decision: 'REJECTED',
      requested_verified_name: 'Shop',
      rejection_reason: 'NAME_NOT_CONSISTENT',
    };
    expect(await report('phone_number_name_update', rejected)).toMatchObject({
      health: 'degraded',
      problem: 'Meta has rejected the name Shop: name not consistent',
    });
    const alert = {
      entity_type: 'BUSINESS',
      entity_id: '1',
      alert_info: {
        alert_severity: 'CRITICAL',
        alert_status: 'ACTIVE',
        alert_type: 'INCREASED_CAPABILITIES_ELIGIBILITY_DEFERRED',
        alert_description: 'Limits cannot be increased at this time.',
      },
    };
    const other = { ...alert, entity_type: 'PHONE_NUMBER', entity_id: '4711' };
    expect(await report('account_alerts', other)).toMatchObject({
      problem: expect.stringContaining('rejected the name'),
    });
    expect(await report('account_alerts', alert)).toMatchObject({
      health: 'degraded',
      problem: 'Limits cannot be increased at this time.',
    });
  });

  it('does not hide that the channel fails', async () => {
    await report('account_update', { event: 'ACCOUNT_DELETED' });
    expect(await report('phone_number_quality_update', { ...number, event: 'FLAGGED' })).toMatchObject({
      health: 'failing',
      problem: 'The WhatsApp account was deleted at Meta',
    });
  });
});
