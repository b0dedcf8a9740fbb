import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { textsOf } from '../kit/consents.ts';
import { storeInbound } from '../kit/inbound.ts';
import { customers, openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const FROM = 'ada@example.com';
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel('email');
});

let count = 0;
/** A mail as it comes over the wire. */
async function mail(headers: string[], ...body: string[]): Promise<void> {
  count++;
  const lines = [`From: ${FROM}`, 'To: help@shop.test', `Message-ID: <${count}@example.com>`, ...headers];
  const bytes = Buffer.from([...lines, '', ...body].join('\r\n'));
  await storeInbound(server.system.db.forTenant(tenant.id), channel.id, [bytes]);
  await server.settle();
}
const theContact = async () => (await tenant.post('/v3/contacts/search', {})).body.data[0];
const lastMessage = async () =>
  (await tenant.post('/v3/messages/search', { query: 'eq(sender,"inbound")' })).body.data[0];
const runs = async () => (await tenant.post('/v3/automation_runs/search', {})).body.data;
const lastEvent = async (type: string): Promise<string> =>
  (await tenant.post('/v3/events/search', { query: `eq(type,"${type}")` })).body.data[0].id;
const welcome = (type: string, parameters: object = {}) =>
  automationOf(tenant, {
    trigger: { type, parameters: { channelId: channel.id, ...parameters } },
    steps: [{ id: 'hi', type: 'send_message', parameters: { text: 'Welcome!' } }],
  });

describe('STOP by mail', () => {
  const logo = ['--b', 'Content-Type: image/png; name=logo.png', 'Content-ID: <logo>', '', 'iVBORw0KGgo='];

  it('counts with the logo of a signature, and with any other file', async () => {
    const parts = ['--b', 'Content-Type: text/plain', '', 'Stop.', '', '-- ', 'Ada', ...logo, '--b--'];
    await mail(['Subject: Re: News', 'Content-Type: multipart/related; boundary=b'], ...parts);
    expect(await lastMessage()).toMatchObject({ text: 'Stop.', media: [{ filename: 'logo.png' }] });
    expect(await theContact()).toMatchObject({
      isSubscribed: false,
      subscriptions: [{ channelKind: 'email', status: 'unsubscribed', source: 'contact' }],
    });
    expect(await textsOf(tenant, channel)).toHaveLength(1);
  });

  it('counts as the subject of a reply in which nothing was written', async () => {
    await mail(
      ['Subject: STOP', 'In-Reply-To: <news@shop.test>'],
      'On Mon, May 6, 2024 at 10:12 AM Shop <help@shop.test> wrote:',
      '> Big sale today',
    );
    expect(await theContact()).toMatchObject({ isSubscribed: false });
  });

  it('is not a picture with that word below it, over WhatsApp', async () => {
    const whatsapp = await tenant.channel('whatsapp');
    const chat = await openChat(server, tenant, whatsapp, customers.whatsapp);
    const media = { url: 'https://example.com/sign.png', mimeType: 'image/png' };
    const body = { from: customers.whatsapp, type: 'image', text: 'stop', media };
    expect((await tenant.post(`/v3/sandbox/${whatsapp.id}/inbound`, body)).status).toBe(200);
    await server.settle();
    expect(await lastMessage()).toMatchObject({ chatId: chat.id, type: 'image', text: 'stop' });
    expect(await theContact()).toMatchObject({ isSubscribed: true });
  });

  it('as the first message starts no automation for new contacts', async () => {
    const id = await welcome('contact_created');
    await mail(['Subject: Hello'], 'STOP');
    expect(await runs()).toEqual([]);
    const eventId = await lastEvent('contact.created');
    const { body } = await tenant.post('/v3/automations/explain', { eventId });
    expect(JSON.stringify(body.data)).toContain(id);
    expect(JSON.stringify(body.data)).toContain('unsubscribed');
  });
});

describe('a reply in which nothing was written', () => {
  it('has no text, and no condition or keyword sees what it quotes', async () => {
    await welcome('message_received', { keywords: ['sale'] });
    await automationOf(tenant, {
      trigger: { type: 'message_received', parameters: { channelId: channel.id } },
      steps: [
        {
          id: 'read',
          type: 'branch',
          parameters: { cases: [{ when: 'contains(message.text,"sale")', next: 'hi' }], else: 'end' },
        },
        { id: 'hi', type: 'send_message', parameters: { text: 'Which sale?' }, next: 'end' },
        { id: 'end', type: 'end' },
      ],
    });
    const quotation = ['On Mon, May 6, 2024 at 10:12 AM Shop <help@shop.test> wrote:', '> Big sale today'];
    await mail(['Subject: Re: News', 'In-Reply-To: <news@shop.test>'], ...quotation);
    expect(await lastMessage()).toMatchObject({
      text: null,
      content: { subject: 'Re: News', quotedText: quotation.join('\n'), fullText: quotation.join('\n') },
    });
    expect(await runs()).toMatchObject([{ status: 'completed' }]);
    expect(await textsOf(tenant, channel)).toEqual([]);
  });

  it('is not a mail that replies to nothing: it stays whole', async () => {
    await mail(['Subject: For you'], '> Only a quotation');
    expect(await lastMessage()).toMatchObject({ text: '> Only a quotation' });
  });
});

describe('automatic mail', () => {
  const automatic = (text: string) => mail(['Subject: Away', 'Auto-Submitted: auto-replied'], text);
  /** What is said about an automation that did not start. */
  const explained = async (automationId: string, type: string): Promise<string> => {
    const { body } = await tenant.post('/v3/automations/explain', { eventId: await lastEvent(type) });
    const all: { automationId: string }[] = body.data.automations ?? body.data;
    return JSON.stringify(all.find((one) => one.automationId === automationId));
  };

  it('of a new sender is answered by nothing that a new chat or a new contact starts', async () => {
    const [opened, created] = [await welcome('chat_opened'), await welcome('contact_created')];
    await automatic('I am away');
    expect(await lastMessage()).toMatchObject({ text: 'I am away', isAutomatic: true });
    expect(await runs()).toEqual([]);
    expect(await textsOf(tenant, channel)).toEqual([]);
    expect(await explained(opened, 'chat.created')).toContain('automatic_mail');
    expect(await explained(created, 'contact.created')).toContain('automatic_mail');
  });

  it('that opens a closed chat again is answered by nothing', async () => {
    await mail(['Subject: Hello'], 'Hello');
    const opened = await welcome('chat_opened');
    const [chat] = (await tenant.post('/v3/chats/search', {})).body.data;
    await tenant.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    await automatic('I am away');
    expect((await tenant.get(`/v3/chats/${chat.id}`)).body.data.status).toBe('open');
    expect(await runs()).toEqual([]);
    expect(await textsOf(tenant, channel)).toEqual([]);
    expect(await explained(opened, 'chat.status_changed')).toContain('automatic_mail');
  });
});
