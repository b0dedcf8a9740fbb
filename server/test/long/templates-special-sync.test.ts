import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useGraph } from '../kit/graph.ts';
import { deliver, type MetaChannel, metaChannel, onlyChat, whatsappText } from '../kit/meta-channel.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const graph = await useGraph();

let tenant: TestTenant;
let channel: MetaChannel;
let chatId: string;
beforeEach(async () => {
  graph.taken.length = 0;
  graph.templates.length = 0;
  tenant = await server.tenant();
  channel = await metaChannel(tenant, graph, 'whatsapp');
  const seconds = Math.floor(server.clock.now().getTime() / 1000);
  await deliver(server, channel, whatsappText(graph, '15550001111', `wamid-${tenant.id}`, seconds));
  chatId = (await onlyChat(tenant)).id;
});

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

describe('a sync', () => {
  it('names what it leaves out, and why', async () => {
    const body = { type: 'BODY', text: 'Hello' };
    const at = (name: string, components: object[]) =>
      graph.templates.push({
        id: `9${graph.templates.length}`,
        name,
        language: 'en',
        category: 'MARKETING',
        status: 'APPROVED',
        components,
      });
    at('fine', [body]);
    at('products', [body, { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'a' }] }]);
    at('product_header', [{ type: 'HEADER', format: 'PRODUCT' }, body]);
    at('odd', [body, { type: 'CALL_PERMISSION_REQUEST' }]);
    const answer = await tenant.post('/v3/message_templates/sync', { channelId: channel.id });
    expect(answer.body.data).toEqual({
      created: 1,
      updated: 0,
      removed: 0,
      total: 1,
      leftOutTotal: 3,
      leftOut: [
        { name: 'products', language: 'en', reason: 'It has a button of the type MPM.' },
        { name: 'product_header', language: 'en', reason: 'It has a header of the type PRODUCT.' },
        { name: 'odd', language: 'en', reason: 'It has a part of the type CALL_PERMISSION_REQUEST.' },
      ],
    });
  });

  it('understands the code button as Meta returns it', async () => {
    graph.templates.push({
      id: '91',
      name: 'code',
      language: 'en',
      category: 'AUTHENTICATION',
      status: 'APPROVED',
      components: [
        { type: 'BODY', text: '*{{1}}* is your verification code.', add_security_recommendation: true },
        { type: 'FOOTER', text: 'This code expires in 5 minutes.', code_expiration_minutes: 5 },
        {
          type: 'BUTTONS',
          buttons: [
            {
              type: 'URL',
              text: 'Copy code',
              url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code_expiration_minutes=5&code=otp{{1}}',
            },
          ],
        },
      ],
    });
    await tenant.post('/v3/message_templates/sync', { channelId: channel.id });
    const found = (await tenant.post('/v3/message_templates/search', {})).body.data[0];
    expect(found).toMatchObject({
      buttons: [{ type: 'otp', otp: { type: 'copy_code' }, url: null }],
      authentication: { hasSecurityRecommendation: true, codeExpirationMinutes: 5 },
      variables: ['1'],
    });
    const again = await tenant.post('/v3/message_templates/sync', { channelId: channel.id });
    expect(again.body.data).toMatchObject({ created: 0, updated: 0, total: 1 });
    expect(await sentComponents({ templateId: found.id, variables: { 1: '42' } })).toHaveLength(2);
  });

  const folder = process.env.PARLEY_FIXTURES;
  it.skipIf(!folder)('takes every recorded template that can be used', async () => {
    const files = ['authentication', 'buttons', 'carousel', 'limited_time_offer'];
    for (const file of files) {
      const recorded = JSON.parse(
        readFileSync(join(String(folder), `whatsapp/templates/${file}.json`), 'utf8'),
      );
      for (const template of Object.values(recorded) as object[])
        graph.templates.push({ ...template, id: `8${graph.templates.length}`, status: 'APPROVED' });
    }
    const { data } = (await tenant.post('/v3/message_templates/sync', { channelId: channel.id })).body;
    expect(data.leftOut.map(({ name }: { name: string }) => name).sort()).toEqual([
      'abandoned_cart',
      'abandoned_cart_offer',
      'carousel_template_product_cards_v1',
    ]);
    expect(data.created).toBe(graph.templates.length - 3);
    const again = await tenant.post('/v3/message_templates/sync', { channelId: channel.id });
    expect(again.body.data).toMatchObject({ created: 0, updated: 0, removed: 0 });
  });
});
