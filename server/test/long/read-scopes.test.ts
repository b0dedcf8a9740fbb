import { describe, expect, it } from 'vitest';
import { automationOf, personOf, smallest } from '../kit/automations.ts';
import { useReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const url = 'https://example.com/hook';
const LACKS = (scope: string) => ({
  key: 'custom',
  message: `The caller lacks the scope "${scope}", which this needs`,
});

describe('a webhook', () => {
  it('X13: can only be for events that its author may read', async () => {
    const tenant = await server.tenant();
    const save = async (scopes: string[], ...events: object[]) =>
      tenant.post('/v3/api_webhooks', { url, events }, { token: await tenant.tokenWith(scopes) });
    const everything = await save(['webhooks:write'], {});
    expect([everything.status, everything.body.error.invalidParams]).toEqual([
      400,
      { 'events.0.type': LACKS('messages:read') },
    ]);
    const some = await save(
      ['webhooks:write', 'chats:read'],
      { type: 'chat.*' },
      { type: 'contact.created' },
      { type: 'message.*' },
    );
    expect(some.body.error.invalidParams).toEqual({
      'events.1.type': LACKS('contacts:read'),
      'events.2.type': LACKS('messages:read'),
    });
    expect((await save(['webhooks:write', 'chats:read'], { type: 'chat.*' })).status).toBe(200);
    expect((await save(['webhooks:write', 'events:read'], {})).status).toBe(200);
  });

  it('X13: of somebody else cannot be turned to another URL, or activated, without that', async () => {
    const tenant = await server.tenant();
    const made = await tenant.post('/v3/api_webhooks', { url, events: [{ type: 'message.*' }] });
    const path = `/v3/api_webhooks/${made.body.data.id}`;
    const weak = { token: await tenant.tokenWith(['webhooks:write', 'webhooks:read']) };
    for (const change of [{ url: 'https://attacker.example/' }, { status: 'active' }, { events: [{}] }]) {
      const answer = await tenant.put(path, change, weak);
      expect([change, answer.status]).toEqual([change, 400]);
      expect(answer.body.error.invalidParams).toEqual({ 'events.0.type': LACKS('messages:read') });
    }
    expect((await tenant.get(path)).body.data.url).toBe(url);
    expect((await tenant.put(path, { status: 'inactive' }, weak)).status).toBe(200);
    const strong = { token: await tenant.tokenWith(['webhooks:write', 'messages:read']) };
    expect((await tenant.put(path, { url, status: 'active' }, strong)).status).toBe(200);
  });

  it('X13: of version 2 needs the same', async () => {
    const v2 = await useServer({ apiSettings: { PARLEY_V2_SUNSET: 'never' } });
    const tenant = await v2.tenant();
    const body = { tenantId: tenant.id, type: 'WHATSAPP_MESSAGE_RECEIVED', url };
    const weak = { token: await tenant.tokenWith(['webhooks:write']) };
    const refused = await tenant.post('/v2/api_webhooks', body, weak);
    expect([refused.status, refused.body.error.invalidParams]).toEqual([
      400,
      { type: LACKS('messages:read') },
    ]);
    const made = await tenant.post('/v2/api_webhooks', body);
    const changed = await tenant.put(
      `/v2/api_webhooks/${made.body.data.id}`,
      { url: 'https://b.example' },
      weak,
    );
    expect([changed.status, changed.body.error.invalidParams]).toEqual([
      400,
      { type: LACKS('messages:read') },
    ]);
  });

  it('X13: shows the body of its deliveries to those who may read the event', async () => {
    const receiver = await useReceiver();
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const made = await tenant.post('/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'message.received' }],
    });
    const hook = made.body.data.id;
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'a private text' });
    await server.settle();
    const [{ id }] = (await tenant.post(`/v3/api_webhooks/${hook}/deliveries/search`, {})).body.data;
    const read = async (...scopes: string[]) =>
      (await tenant.get(`/v3/webhook_deliveries/${id}`, { token: await tenant.tokenWith(scopes) })).body.data;
    expect((await read('webhooks:read')).requestBody).toBeNull();
    expect((await read('webhooks:read', 'messages:read')).requestBody).toContain('a private text');
    expect((await read('webhooks:read', 'events:read')).requestBody).toContain('a private text');
  });
});

describe('an automation', () => {
  const text = (value: string) => ({
    steps: [{ id: 'say', type: 'send_message', parameters: { text: value } }],
  });
  const branch = (when: string) => ({
    steps: [
      { id: 'ask', type: 'branch', parameters: { cases: [{ when, next: 'end' }] } },
      { id: 'end', type: 'end' },
    ],
  });

  it.each<[string, object, string, string]>([
    [
      'a text with the contact',
      text('Hello {{ contact.firstName }}'),
      'contacts:read',
      'steps.0.parameters.text',
    ],
    ['a name in brackets', text('{{ ["contact"].firstName }}'), 'contacts:read', 'steps.0.parameters.text'],
    [
      'a name that is put together',
      text('{% assign k = "con" | append: "tact" %}{{ [k].firstName }}'),
      'contacts:read',
      'steps.0.parameters.text',
    ],
    [
      'a name in a tag',
      text('{% assign k = "contact" %}{% if [k] %}a{% endif %}'),
      'contacts:read',
      'steps.0.parameters.text',
    ],
    [
      'a name after a dash',
      text('{% assign k = "contact" %}{{-[k].id}}'),
      'contacts:read',
      'steps.0.parameters.text',
    ],
    ['an attribute', text('{{ attributes.plan }}'), 'contacts:read', 'steps.0.parameters.text'],
    [
      'the message',
      text('{% if message.text == "a" %}b{% endif %}'),
      'messages:read',
      'steps.0.parameters.text',
    ],
    ['the chat', text('{{ chat.status | upcase }}'), 'chats:read', 'steps.0.parameters.text'],
    [
      'a quote that looks like an end',
      text('{{ "}}" | append: chat.id }}'),
      'chats:read',
      'steps.0.parameters.text',
    ],
    [
      'a condition',
      branch('eq(contact.email,"a@example.com")'),
      'contacts:read',
      'steps.0.parameters.cases.0.when',
    ],
    [
      'a condition on a text',
      branch('contains(message.text,"a")'),
      'messages:read',
      'steps.0.parameters.cases.0.when',
    ],
    ['a trigger by messages', { trigger: { type: 'message_received' } }, 'messages:read', 'trigger.type'],
    ['a trigger by chats', { trigger: { type: 'chat_opened' } }, 'chats:read', 'trigger.type'],
    ['a trigger by contacts', { trigger: { type: 'contact_created' } }, 'contacts:read', 'trigger.type'],
    [
      'an audience',
      {
        trigger: {
          type: 'schedule',
          parameters: { rrule: 'FREQ=DAILY', audience: 'eq(firstName,"Ada")' },
        },
      },
      'contacts:read',
      'trigger.parameters.audience',
    ],
  ])('X13: with %s needs what its author may read', async (_, more, scope, at) => {
    const tenant = await server.tenant();
    const all = ['contacts:read', 'chats:read', 'messages:read'];
    const weak = {
      token: await tenant.tokenWith(['automations:write', ...all.filter((one) => one !== scope)]),
    };
    const refused = await tenant.post('/v3/automations', { ...smallest, ...more }, weak);
    expect([refused.status, refused.body.error?.invalidParams]).toEqual([400, { [at]: LACKS(scope) }]);
    // The author of a change needs the same.
    const id = await automationOf(tenant, {}, { published: false });
    expect((await tenant.put(`/v3/automations/${id}`, more, weak)).status).toBe(400);
    const strong = { token: await tenant.tokenWith(['automations:write', ...all]) };
    const saved = await tenant.post('/v3/automations', { ...smallest, ...more }, strong);
    if (saved.status !== 200) expect(Object.keys(saved.body.error.invalidParams)).not.toContain(at);
  });

  it('X13: without such data needs only its own scope', async () => {
    const tenant = await server.tenant();
    const weak = { token: await tenant.tokenWith(['automations:write']) };
    for (const value of ['Hello', 'Contact us [here]', 'Hello {{ variables.name }}, contact us'])
      expect([
        value,
        (await tenant.post('/v3/automations', { ...smallest, ...text(value) }, weak)).status,
      ]).toEqual([value, 200]);
  });

  it('X13: cannot be used to read contacts through its trace', async () => {
    const tenant = await server.tenant();
    await personOf(server, tenant);
    const weak = {
      token: await tenant.tokenWith(['automations:write', 'automations:trigger', 'automations:read']),
    };
    const steps = [
      {
        id: 'call',
        type: 'http_request',
        parameters: { method: 'POST', url, body: '{{ contact | json }}' },
      },
    ];
    const answer = await tenant.post('/v3/automations', { ...smallest, steps }, weak);
    expect(answer.status).toBe(400);
  });
});

describe('a campaign', () => {
  it('X13: with an audience needs contacts:read, because its results show who matches', async () => {
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const automationId = await automationOf(tenant, { trigger: { type: 'campaign' } });
    const body = { channelId, automationId, name: 'All', audience: 'ne(firstName,"Ada")' };
    const weak = { token: await tenant.tokenWith(['campaigns:write', 'campaigns:read']) };
    const refused = await tenant.post('/v3/campaigns', body, weak);
    expect([refused.status, refused.body.error.invalidParams]).toEqual([
      400,
      { audience: LACKS('contacts:read') },
    ]);
    const strong = { token: await tenant.tokenWith(['campaigns:write', 'contacts:read']) };
    expect((await tenant.post('/v3/campaigns', body, strong)).status).toBe(200);
  });
});
