import { describe, expect, it } from 'vitest';
import { customers, openChat } from '../kit/sending.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

const text = 'Look';
const link = { title: 'Dates', url: 'https://example.com/dates?a=1' };

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
