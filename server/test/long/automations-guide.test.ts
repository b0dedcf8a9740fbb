import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useHttpServer } from '../kit/listeners.ts';
import { outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { advance, settled, testTenant } from '../kit/test-clock.ts';

const server = await useServer({ timers: true });
/** The shop's own server, and the requests it got. */
const requests: string[] = [];
const shopServer = await useHttpServer((request, response) => {
  requests.push(`${request.method} ${request.url}`);
  request.resume();
  response.end('{}');
});
const page = readFileSync(new URL('../../../docs/use/automations-guide.md', import.meta.url), 'utf8');
const [welcome = '', reminder = '', cart = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
  ([, json]) => json as string,
);
/** The body of the template in the paragraph with this text. */
const bodyIn = (before: string): string => new RegExp(`${before} \`([^\`]*)\``).exec(page)?.[1] ?? '';
const REMINDER_BODY = bodyIn('with the body');
const CART_BODY = bodyIn('here with the body');
const ADA = '+15550001111';

/** Creates everything that the guide refers to by a name in capitals. */
async function shopOf(tenant: TestTenant) {
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await tenant.post(path, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body.data.id;
  };
  const channel = await tenant.channel();
  const userId = await made('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
  const template = (name: string, body: string) =>
    made('/v3/message_templates', { channelId: channel.id, name, language: 'en', body });
  const ids: Record<string, string> = {
    CHANNEL_ID: channel.id,
    TEAM_ID: await made('/v3/teams', { name: 'Shop', userIds: [userId] }),
    APPOINTMENTS_URL: shopServer.url,
  };
  for (const label of ['ORDER', 'SALE', 'CART'])
    ids[`${label}_LABEL_ID`] = await made('/v3/labels', { name: label });
  const [appointment, discount] = [
    await template('appointment', REMINDER_BODY),
    await template('cart', CART_BODY),
  ];
  await advance(tenant, { by: 'PT1M' });

  return {
    channel,
    ids,
    /** Publishes a definition of the page with the ids filled in. */
    async publish(json: string, templateId = appointment): Promise<string> {
      const raw = Object.entries({ ...ids, TEMPLATE_ID: templateId })
        .sort(([a], [b]) => b.length - a.length)
        .reduce((text, [name, id]) => text.replaceAll(name, id), json);
      const answer = await tenant.call('POST', '/v3/automations', { raw });
      expect([answer.status, answer.body.error]).toEqual([200, undefined]);
      const { id } = answer.body.data;
      expect((await tenant.post(`/v3/automations/${id}/publish`)).status).toBe(200);
      return id;
    },
    discount,
    async write(text: string, from = ADA): Promise<void> {
      const inbound = { from, name: 'Ada Lovelace', text };
      expect((await tenant.post(`/v3/sandbox/${channel.id}/inbound`, inbound)).status).toBe(200);
      await settled(tenant);
    },
    said: async (): Promise<string[]> =>
      (await outboxOf(tenant, channel)).map((sent: { text: string | null }) => sent.text),
    contact: async () => (await tenant.post('/v3/contacts/search', {})).body.data[0],
    chat: async () => (await tenant.post('/v3/chats/search', {})).body.data[0],
    runs: async () => (await tenant.post('/v3/automation_runs/search', {})).body.data,
  };
}
const labelsOf = (contact: { labels: { id: string }[] }): string[] => contact.labels.map(({ id }) => id);

describe('docs/use/automations-guide.md: a welcome', () => {
  it('greets by name, asks, and assigns the chat to the team', async () => {
    const tenant = await testTenant(server);
    const shop = await shopOf(tenant);
    await shop.publish(welcome);
    await shop.write('Hi');
    expect(await shop.said()).toEqual([expect.stringContaining('Hello Ada')]);
    expect(await shop.runs()).toMatchObject([{ status: 'waiting', step: 'answer' }]);
    await advance(tenant, { by: 'PT2H' });
    await shop.write('My ORDER, please');
    expect((await shop.said())[1]).toContain('number of your order');
    expect(labelsOf(await shop.contact())).toEqual([shop.ids.ORDER_LABEL_ID]);
    expect((await shop.chat()).assignedTeamId).toBe(shop.ids.TEAM_ID);
    expect(await shop.runs()).toMatchObject([{ status: 'completed' }]);
  });

  it.each([
    ['I want to buy something', 'Lovely', 'SALE'],
    ['what?', 'did not get that', null],
  ])('reacts to the reply "%s"', async (answer, said, label) => {
    const tenant = await testTenant(server);
    const shop = await shopOf(tenant);
    await shop.publish(welcome);
    await shop.write('Hi');
    await shop.write(answer);
    expect((await shop.said())[1]).toContain(said);
    expect(labelsOf(await shop.contact())).toEqual(label === null ? [] : [shop.ids[`${label}_LABEL_ID`]]);
  });

  it('closes the chat if no reply comes', async () => {
    const tenant = await testTenant(server);
    const shop = await shopOf(tenant);
    await shop.publish(welcome);
    await shop.write('Hi');
    await advance(tenant, { by: 'P30D' });
    expect(await shop.said()).toHaveLength(1);
    expect((await shop.chat()).status).toBe('closed');
    expect(await shop.runs()).toMatchObject([{ status: 'completed' }]);
  });
});

describe('docs/use/automations-guide.md: a reminder', () => {
  async function appointment() {
    const tenant = await testTenant(server);
    const shop = await shopOf(tenant);
    const automationId = await shop.publish(reminder);
    const now = new Date(await settled(tenant));
    const remindAt = new Date(now.getTime() + 20 * 86_400_000).toISOString();
    const contact = await tenant.post('/v3/contacts', { firstName: 'Ada', phoneNumber: ADA });
    const trigger = () =>
      tenant.post(
        `/v3/automations/${automationId}/trigger`,
        {
          contactId: contact.body.data.id,
          variables: { appointmentId: '4711', remindAt, when: '15 January, 9:00' },
        },
        { headers: { 'idempotency-key': 'appointment-4711' } },
      );
    const answers = [await trigger(), await trigger()];
    const ids = new Set(answers.map(({ headers }) => headers['x-automation-run-id']));
    expect(ids.size).toBe(1);
    requests.length = 0;
    return { tenant, shop, runId: [...ids][0] as string, remindAt };
  }

  it.each([
    ['Yes, thanks', 'confirm', 'see you then'],
    ['no', 'cancel', 'It is cancelled'],
  ])('sends one reminder at its time and reports the reply "%s" to the shop', async (answer, path, said) => {
    const { tenant, shop, remindAt } = await appointment();
    await advance(tenant, { by: 'P19D' });
    expect(await shop.said()).toEqual([]);
    await advance(tenant, { by: 'P1D' });
    const [sent] = await outboxOf(tenant, shop.channel);
    expect(sent).toMatchObject({ to: ADA, type: 'template', at: remindAt });
    await shop.write(answer);
    expect(requests).toEqual([`POST /4711/${path}`]);
    expect(await shop.said()).toHaveLength(2);
    expect((await shop.said())[1]).toContain(said);
  });

  it('sends nothing for a cancelled run', async () => {
    const { tenant, shop, runId } = await appointment();
    expect((await tenant.post(`/v3/automation_runs/${runId}/cancel`)).status).toBe(200);
    await advance(tenant, { by: 'P30D' });
    expect(await shop.said()).toEqual([]);
  });
});

describe('docs/use/automations-guide.md: an abandoned cart', () => {
  async function leftBehind() {
    const tenant = await testTenant(server);
    const shop = await shopOf(tenant);
    await shop.publish(cart, shop.discount);
    await shop.write('Do you have this in blue?');
    const contact = await shop.contact();
    const label = `/v3/contacts/${contact.id}/labels`;
    const added = await tenant.post(label, { labels: [{ id: shop.ids.CART_LABEL_ID }] });
    expect(added.status).toBe(200);
    return { tenant, shop, contact, buy: () => tenant.delete(`${label}/${shop.ids.CART_LABEL_ID}`) };
  }
  const times = async (tenant: TestTenant, channel: { id: string }): Promise<Date[]> =>
    (await outboxOf(tenant, channel)).map(({ at }: { at: string }) => new Date(at));

  it('sends three messages in three days and then no more', async () => {
    const { tenant, shop } = await leftBehind();
    await advance(tenant, { by: 'P30D' });
    const sent = await outboxOf(tenant, shop.channel);
    expect(sent.map(({ type }: { type: string }) => type)).toEqual(['text', 'template', 'template']);
    const [first, second, third] = (await times(tenant, shop.channel)) as [Date, Date, Date];
    const day = 86_400_000;
    expect([second.getTime() - first.getTime(), third.getTime() - second.getTime()]).toEqual([day, day]);
    expect(await shop.runs()).toMatchObject([{ status: 'completed' }]);
  });

  it('stops after the purchase', async () => {
    const { tenant, shop, buy } = await leftBehind();
    await advance(tenant, { by: 'PT2H' });
    expect((await buy()).status).toBe(200);
    await advance(tenant, { by: 'P30D' });
    expect(await shop.said()).toHaveLength(1);
  });

  it('stops after the reply STOP', async () => {
    const { tenant, shop } = await leftBehind();
    await advance(tenant, { by: 'PT2H' });
    await shop.write('Stop!');
    await advance(tenant, { by: 'P30D' });
    expect(await shop.said()).toEqual([expect.any(String), expect.stringContaining('START')]);
    expect(await shop.contact()).toMatchObject({ isSubscribed: false });
    expect(await shop.runs()).toMatchObject([{ status: 'cancelled', error: { code: 'unsubscribed' } }]);
  });

  it('sends nothing to an unsubscribed contact, and the run has the reason', async () => {
    const { tenant, shop, contact } = await leftBehind();
    await tenant.put(`/v3/contacts/${contact.id}`, { isSubscribed: false });
    await advance(tenant, { by: 'P30D' });
    expect(await shop.said()).toEqual([]);
    expect(await shop.runs()).toMatchObject([{ status: 'cancelled', error: { code: 'unsubscribed' } }]);
  });

  it('assigns a question to the team', async () => {
    const { tenant, shop } = await leftBehind();
    await advance(tenant, { by: 'PT2H' });
    await shop.write('Is there a larger one?');
    expect((await shop.chat()).assignedTeamId).toBe(shop.ids.TEAM_ID);
  });
});
