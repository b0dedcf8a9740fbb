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
import { customers, openChat, outboxOf } from '../kit/sending.ts';
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

describe('what cannot be sent is refused when it is asked', () => {
  const button = (id: string) => ({ id, title: id });
  it.each<[string, keyof typeof customers, object, string[]]>([
    [
      'cards on WhatsApp',
      'whatsapp',
      { interactive: { cards: [{ title: 'a', subtitle: 'b' }] } },
      ['interactive.cards'],
    ],
    [
      'a flow on Instagram',
      'instagram',
      { text, interactive: { flow: { flowId: '1', button: 'a' } } },
      ['interactive.flow'],
    ],
    ['buttons on SMS', 'sms', { text, interactive: { buttons: [button('a')] } }, ['type']],
    ['a page on email', 'email', { text, interactive: { link } }, ['type']],
    ['contacts on Instagram', 'instagram', { contacts: [{ name: 'a' }] }, ['type']],
    ['contacts and a text', 'whatsapp', { text, contacts: [{ name: 'a' }] }, ['text']],
    ['no contacts', 'whatsapp', { contacts: [] }, ['contacts']],
    ['a contact without a name', 'whatsapp', { contacts: [{ firstName: 'a' }] }, ['contacts.0.name']],
    ['nothing to use', 'whatsapp', { text, interactive: { footer: 'a' } }, ['interactive']],
    ['two things to use', 'whatsapp', { text, interactive: { link, locationRequest: {} } }, ['interactive']],
    ['a page without a text', 'whatsapp', { interactive: { link } }, ['text']],
    [
      'a page that is none',
      'whatsapp',
      { text, interactive: { link: { title: 'a', url: 'tel:112' } } },
      ['interactive.link.url'],
    ],
    [
      'a flow by two names',
      'whatsapp',
      { text, interactive: { flow: { flowId: '1', name: 'a', button: 'a' } } },
      ['interactive.flow'],
    ],
    [
      'a flow with data for no screen',
      'whatsapp',
      { text, interactive: { flow: { flowId: '1', button: 'a', data: { a: 1 } } } },
      ['interactive.flow.screen'],
    ],
    [
      'a flow whose endpoint decides, with a screen',
      'whatsapp',
      { text, interactive: { flow: { flowId: '1', button: 'a', action: 'data_exchange', screen: 'a' } } },
      ['interactive.flow.action'],
    ],
    [
      'products without a header',
      'whatsapp',
      { text, interactive: { productList: { catalogId: '1', sections: [{ productIds: ['a'] }] } } },
      ['interactive.header'],
    ],
    [
      'thirty-one products',
      'whatsapp',
      {
        text,
        interactive: {
          header: { text: 'a' },
          productList: {
            catalogId: '1',
            sections: [
              { title: 'a', productIds: Array(30).fill('a') },
              { title: 'b', productIds: ['b'] },
            ],
          },
        },
      },
      ['interactive.productList.sections'],
    ],
    [
      'a product with a header and a picture',
      'whatsapp',
      {
        interactive: { header: { text: 'a' }, product: { catalogId: '1', productId: 'a' } },
        media: { url: 'https://example.com/a.png' },
      },
      ['interactive.header', 'media'],
    ],
    [
      'a sound above a button',
      'whatsapp',
      { text, interactive: { link }, media: { url: 'https://example.com/a.mp3' } },
      ['media'],
    ],
    [
      'cards with a text',
      'instagram',
      { text, interactive: { cards: [{ title: 'a', subtitle: 'b' }] } },
      ['text'],
    ],
    [
      'a card with only a title',
      'instagram',
      { interactive: { cards: [{ title: 'a' }] } },
      ['interactive.cards.0'],
    ],
    [
      'a button of a card that does two things',
      'instagram',
      {
        interactive: {
          cards: [{ title: 'a', buttons: [{ title: 'a', id: 'a', url: 'https://a.example' }] }],
        },
      },
      ['interactive.cards.0.buttons.0'],
    ],
    [
      'a footer on Instagram',
      'instagram',
      { text, interactive: { link, footer: 'a' } },
      ['interactive.footer'],
    ],
    [
      'a key that nobody knows',
      'whatsapp',
      { text, interactive: { link, colour: 'red' } },
      ['interactive.colour'],
    ],
  ])('%s', async (_name, kind, body, paths) => {
    const tenant = await server.tenant();
    const chat = await openChat(server, tenant, await tenant.channel(kind), customers[kind]);
    const answer = await tenant.post(`/v3/chats/${chat.id}/messages`, body);
    expect([answer.status, Object.keys(answer.body.error?.invalidParams ?? {})]).toEqual([400, paths]);
  });
});

describe('the sandbox', () => {
  it('takes all of it and shows it in its outbox', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel('whatsapp');
    await tenant.put(`/v3/sandbox/${channel.id}/faults`, { echoBeforeResponse: true });
    const chat = await openChat(server, tenant, channel);
    const interactive = { flow: { flowId: '1', button: 'Book' } };
    const contacts = [{ name: 'Ada', phoneNumbers: ['+15550001111'] }];
    for (const body of [{ text, interactive }, { contacts }, { text, interactive: { locationRequest: {} } }])
      expect((await tenant.post(`/v3/chats/${chat.id}/messages`, body)).status).toBe(200);
    for (let turn = 0; turn < 4; turn += 1) {
      await server.settle();
      server.clock.advance(300);
    }
    expect(await outboxOf(tenant, channel)).toMatchObject([
      { type: 'interactive', text, content: interactive },
      {
        type: 'contacts',
        content: { contacts: [{ name: 'Ada', phoneNumbers: ['+15550001111'], emails: [] }] },
      },
      { type: 'interactive', content: { locationRequest: {} } },
    ]);
    const { body } = await tenant.post(`/v3/chats/${chat.id}/messages/search`, {
      query: 'eq(sender,"outbound")',
    });
    expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['read', 'read', 'read']);
  });
});

describe('a step of an automation', () => {
  const run = async (parameters: object) => {
    const tenant = await server.tenant();
    const channel = await tenant.channel('whatsapp');
    const made = await tenant.post('/v3/automations', {
      name: 'Test',
      trigger: { type: 'message_received', parameters: { channelId: channel.id } },
      variables: [],
      steps: [{ id: 'send', type: 'send_message', parameters }],
    });
    if (made.status !== 200) return { refused: Object.keys(made.body.error.invalidParams) };
    const id = made.body.data.id;
    expect((await tenant.post(`/v3/automations/${id}/publish`)).status).toBe(200);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: customers.whatsapp,
      name: 'Ada',
      text: 'hi',
    });
    await server.settle();
    const runs = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    return { outbox: await outboxOf(tenant, channel), run: runs[0] };
  };

  it('renders every text of it', async () => {
    const { outbox } = await run({
      text: 'Hello {{ contact.firstName }}',
      interactive: {
        flow: {
          flowId: '1',
          button: 'Book',
          screen: 'START',
          data: { who: '{{ contact.firstName }}', n: [1, 'for {{ contact.firstName }}'] },
        },
      },
    });
    expect(outbox).toMatchObject([
      { text: 'Hello Ada', content: { flow: { data: { who: 'Ada', n: [1, 'for Ada'] } } } },
    ]);
    const cards = await run({
      contacts: [{ name: '{{ contact.firstName }}', emails: ['{{ contact.firstName }}@example.com'] }],
    });
    expect(cards.outbox).toMatchObject([
      { content: { contacts: [{ name: 'Ada', emails: ['Ada@example.com'] }] } },
    ]);
  });

  it('fails if a rendered text does not fit', async () => {
    const { outbox, run: failed } = await run({
      text,
      interactive: { link: { title: 'A title that is too long for {{ contact.firstName }}', url: link.url } },
    });
    expect(outbox).toEqual([]);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_body_params' } });
  });

  it('is refused with invalid Liquid or unknown keys anywhere in it', async () => {
    const flow = { flowId: '1', button: 'a', screen: 'a' };
    expect(
      await run({ text, interactive: { flow: { ...flow, data: { a: { b: '{{ nobody.name }}' } } } } }),
    ).toEqual({
      refused: ['steps.0.parameters.interactive.flow.data.a.b'],
    });
    expect(await run({ text, interactive: { link: { ...link, colour: 'red' } } })).toEqual({
      refused: ['steps.0.parameters.interactive.link.colour'],
    });
    expect(await run({ text, interactive: { link, flow } })).toEqual({
      refused: ['steps.0.parameters.interactive'],
    });
  });
});
