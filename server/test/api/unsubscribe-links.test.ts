import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { contactOf, historyOf, textsOf } from '../kit/consents.ts';
import { customers, openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

describe('the link of a marketing mail', () => {
  const linkIn = (text: string): string => /\/unsubscribe\/[\w-]+/.exec(text)?.[0] as string;
  const mailed = async () => {
    const channel = await tenant.channel('email');
    const chat = await openChat(server, tenant, channel, customers.email);
    const id = await automationOf(tenant, {
      name: 'News',
      purpose: 'marketing',
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: [
        { id: 'news', type: 'send_message', parameters: { text: 'News. Enough? {{ unsubscribeUrl }}' } },
      ],
    });
    await tenant.post(`/v3/automations/${id}/trigger`, { contactId: chat.contactId });
    await server.settle();
    return { chat, link: linkIn((await textsOf(tenant, channel))[0] as string) };
  };

  it('asks when it is opened, unsubscribes from mails when it is posted to, once', async () => {
    const { chat, link } = await mailed();
    const asked = await server.call('GET', link, {});
    expect([asked.status, asked.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(true);
    for (const _ of [1, 2]) {
      const answer = await server.call('POST', link, {
        raw: Buffer.from('List-Unsubscribe=One-Click'),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      expect(answer.status).toBe(200);
    }
    expect(await contactOf(tenant, chat.contactId)).toMatchObject({
      isSubscribed: false,
      subscriptions: [{ channelKind: 'email', status: 'unsubscribed', source: 'link' }],
    });
    expect(await historyOf(tenant, chat.contactId)).toHaveLength(1);
  });

  it('that was changed is not found, whatever is sent', async () => {
    const { chat, link } = await mailed();
    for (const bad of [`${link}x`, link.slice(0, -4), '/unsubscribe/x', `/unsubscribe/${'A'.repeat(10_000)}`])
      for (const method of ['GET', 'POST'] as const) {
        const answer = await server.call(method, bad, {});
        expect(answer.status).toBe(404);
      }
    expect((await contactOf(tenant, chat.contactId)).isSubscribed).toBe(true);
  });

  it('of a contact that is deleted by now still answers', async () => {
    const { chat, link } = await mailed();
    await tenant.delete(`/v3/contacts/${chat.contactId}`);
    expect((await server.call('POST', link, {})).status).toBe(200);
  });
});
