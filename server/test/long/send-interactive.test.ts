import { beforeEach, describe, expect, it } from 'vitest';
import { useGraph } from '../kit/graph.ts';
import {
  deliver,
  instagramEntry,
  type MetaChannel,
  metaChannel,
  onlyChat,
  whatsappText,
} from '../kit/meta-channel.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const graph = await useGraph();
beforeEach(() => {
  graph.taken.length = 0;
});

const now = (): number => server.clock.now().getTime();

/** A tenant with one chat at Meta in which everything may be sent. */
async function chatAt(
  kind: 'whatsapp' | 'instagram',
): Promise<{ tenant: TestTenant; chatId: string; channel: MetaChannel }> {
  const tenant = await server.tenant();
  const channel = await metaChannel(tenant, graph, kind);
  const message = { message: { mid: `mid-${tenant.id}`, text: 'hello' } };
  await deliver(
    server,
    channel,
    kind === 'whatsapp'
      ? whatsappText(graph, '15550001111', `wamid-${tenant.id}`, Math.floor(now() / 1000))
      : instagramEntry(graph, '200000000000001', now(), message),
  );
  return { tenant, channel, chatId: (await onlyChat(tenant)).id };
}

async function sentAt(kind: 'whatsapp' | 'instagram', body: object) {
  const { tenant, chatId } = await chatAt(kind);
  const answer = await tenant.post(`/v3/chats/${chatId}/messages`, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await server.settle();
  const message = (await tenant.get(`/v3/messages/${answer.body.data.id}`)).body.data;
  expect(message).toMatchObject({ status: 'sent', error: null });
  return { message, taken: graph.taken.at(-1) };
}

const text = 'Look';
const link = { title: 'Dates', url: 'https://example.com/dates?a=1' };

describe('on WhatsApp', () => {
  it.each<[string, object, object]>([
    [
      'a button that opens a page, with header and footer',
      { text, interactive: { link, header: { text: 'Now' }, footer: 'Soon' } },
      {
        type: 'cta_url',
        header: { type: 'text', text: 'Now' },
        body: { text },
        footer: { text: 'Soon' },
        action: { name: 'cta_url', parameters: { display_text: 'Dates', url: link.url } },
      },
    ],
    [
      'a button that opens a page, below a picture',
      { text, interactive: { link }, media: { url: 'https://example.com/a.png' } },
      {
        type: 'cta_url',
        header: { type: 'image', image: { link: 'https://example.com/a.png' } },
        body: { text },
        action: { name: 'cta_url', parameters: { display_text: 'Dates', url: link.url } },
      },
    ],
    [
      'a flow with data',
      {
        text,
        interactive: {
          flow: {
            flowId: '77',
            button: 'Book',
            token: 't1',
            mode: 'draft',
            screen: 'START',
            data: { size: 2 },
          },
        },
      },
      {
        type: 'flow',
        body: { text },
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_token: 't1',
            flow_id: '77',
            flow_cta: 'Book',
            mode: 'draft',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'START', data: { size: 2 } },
          },
        },
      },
    ],
    [
      'one product, without a text',
      { interactive: { product: { catalogId: '9', productId: 'sku-1' } } },
      { type: 'product', action: { catalog_id: '9', product_retailer_id: 'sku-1' } },
    ],
    [
      'several products',
      {
        text,
        interactive: {
          header: { text: 'New' },
          productList: { catalogId: '9', sections: [{ title: 'Best', productIds: ['a', 'b'] }] },
        },
      },
      {
        type: 'product_list',
        header: { type: 'text', text: 'New' },
        body: { text },
        action: {
          catalog_id: '9',
          sections: [
            { title: 'Best', product_items: [{ product_retailer_id: 'a' }, { product_retailer_id: 'b' }] },
          ],
        },
      },
    ],
    [
      'the catalogue',
      { text, interactive: { catalog: { thumbnailProductId: 'sku-1' } } },
      {
        type: 'catalog_message',
        body: { text },
        action: { name: 'catalog_message', parameters: { thumbnail_product_retailer_id: 'sku-1' } },
      },
    ],
    [
      'a request for the location',
      { text, interactive: { locationRequest: {} } },
      { type: 'location_request_message', body: { text }, action: { name: 'send_location' } },
    ],
  ])('%s', async (_name, body, interactive) => {
    const { taken, message } = await sentAt('whatsapp', body);
    expect(message.type).toBe('interactive');
    expect(taken).toMatchObject({ type: 'interactive', interactive });
    expect(Object.keys(taken.interactive).sort()).toEqual(Object.keys(interactive).sort());
  });

  it('a flow without a token of its own returns the id of the message', async () => {
    const { taken, message } = await sentAt('whatsapp', {
      text,
      interactive: { flow: { name: 'booking', button: 'Book', action: 'data_exchange' } },
    });
    expect(taken.interactive.action.parameters).toEqual({
      flow_message_version: '3',
      flow_token: message.id,
      flow_name: 'booking',
      flow_cta: 'Book',
      flow_action: 'data_exchange',
    });
  });

  it('cards of contacts', async () => {
    const { taken, message } = await sentAt('whatsapp', {
      contacts: [
        {
          name: 'Ada Lovelace',
          lastName: 'Lovelace',
          organization: 'Engines',
          title: 'Analyst',
          birthday: '1815-12-10',
          phoneNumbers: ['+15550001111'],
          emails: ['ada@example.com'],
          urls: ['https://example.com'],
          addresses: [{ city: 'London', countryCode: 'gb' }],
        },
        { name: 'Bob' },
      ],
    });
    expect(message).toMatchObject({ type: 'contacts', text: null });
    expect(taken).toMatchObject({ type: 'contacts' });
    expect(taken.contacts).toEqual([
      {
        name: { formatted_name: 'Ada Lovelace', last_name: 'Lovelace' },
        org: { company: 'Engines', title: 'Analyst' },
        birthday: '1815-12-10',
        phones: [{ phone: '+15550001111' }],
        emails: [{ email: 'ada@example.com' }],
        urls: [{ url: 'https://example.com' }],
        addresses: [{ city: 'London', country_code: 'gb' }],
      },
      { name: { formatted_name: 'Bob', first_name: 'Bob' } },
    ]);
  });
});

describe('on Instagram', () => {
  it.each<[string, object, object]>([
    [
      'quick replies',
      {
        text,
        interactive: { buttons: Array.from({ length: 13 }, (_, id) => ({ id: `b${id}`, title: 'Yes' })) },
      },
      {
        text,
        quick_replies: Array.from({ length: 13 }, (_, id) => ({
          content_type: 'text',
          title: 'Yes',
          payload: `b${id}`,
        })),
      },
    ],
    [
      'a button that opens a page',
      { text, interactive: { link } },
      {
        attachment: {
          type: 'template',
          payload: {
            template_type: 'button',
            text,
            buttons: [{ type: 'web_url', title: 'Dates', url: link.url }],
          },
        },
      },
    ],
    [
      'cards',
      {
        interactive: {
          cards: [
            {
              title: 'Hat',
              subtitle: 'Red',
              imageUrl: 'https://example.com/hat.png',
              url: 'https://example.com/hat',
              buttons: [
                { title: 'More', url: 'https://example.com' },
                { title: 'Buy', id: 'buy-hat' },
              ],
            },
          ],
        },
      },
      {
        attachment: {
          type: 'template',
          payload: {
            template_type: 'generic',
            elements: [
              {
                title: 'Hat',
                subtitle: 'Red',
                image_url: 'https://example.com/hat.png',
                default_action: { type: 'web_url', url: 'https://example.com/hat' },
                buttons: [
                  { type: 'web_url', title: 'More', url: 'https://example.com' },
                  { type: 'postback', title: 'Buy', payload: 'buy-hat' },
                ],
              },
            ],
          },
        },
      },
    ],
  ])('%s', async (_name, body, message) => {
    const { taken } = await sentAt('instagram', body);
    expect(taken).toEqual({ recipient: { id: '200000000000001' }, message });
  });
});
