import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { approvedTemplate } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
const ids: Record<string, string> = {};
const made = async (path: string, body: object): Promise<string> =>
  (await tenant.post(path, body)).body.data.id;
beforeEach(async () => {
  tenant = await server.tenant();
  ids.channel = (await tenant.channel('sms')).id;
  ids.label = await made('/v3/labels', { name: 'VIP' });
  ids.attribute = await made('/v3/attributes', { name: 'City', externalId: 'city' });
  ids.user = await made('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' });
  ids.team = await made('/v3/teams', { name: 'Support' });
  ids.template = await approvedTemplate(server, tenant, { channelId: ids.channel });
});

const paths: Record<string, string> = {
  label: '/v3/labels',
  attribute: '/v3/attributes',
  user: '/v3/users',
  team: '/v3/teams',
  template: '/v3/message_templates',
  channel: '/v3/channels',
};
const step = (type: string, parameters: object) => ({ steps: [{ id: 'one', type, parameters }] });
const uses: [kind: string, definition: () => object][] = [
  ['label', () => step('add_label', { labelId: ids.label })],
  ['label', () => ({ trigger: { type: 'label_added', parameters: { labelId: ids.label } } })],
  [
    'label',
    () => ({
      trigger: {
        type: 'schedule',
        parameters: { rrule: 'FREQ=DAILY', audience: `contains(labelIds,"${ids.label}")` },
      },
    }),
  ],
  ['attribute', () => step('set_attribute', { externalId: 'city', value: 'Paris' })],
  ['attribute', () => step('send_message', { text: 'Hello from {{ attributes.city }}' })],
  ['attribute', () => step('branch', { cases: [{ when: 'eq(attributes.city,"Paris")', next: 'one' }] })],
  ['user', () => step('assign', { userId: ids.user })],
  ['team', () => step('assign', { teamId: ids.team })],
  ['template', () => step('send_template', { templateId: ids.template })],
  ['channel', () => ({ trigger: { type: 'message_received', parameters: { channelId: ids.channel } } })],
];

describe('what an active automation uses', () => {
  it.each(uses)('is not deleted by accident: a %s (%#)', async (kind, definition) => {
    const path = `${paths[kind]}/${ids[kind]}`;
    const automationId = await automationOf(tenant, { name: 'Welcome', ...definition() });
    const refused = await tenant.delete(path);
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain(`automation "Welcome" (${automationId})`);
    expect((await tenant.delete(`${path}?force=false`)).status).toBe(409);
    const forced = await tenant.delete(`${path}?force=true`);
    expect(forced.body.data.deletedIds).toEqual([ids[kind]]);
  });

  it.each(
    uses,
  )('can be deleted as soon as the automation is stopped, which then cannot start: a %s (%#)', async (kind, definition) => {
    const automationId = await automationOf(tenant, definition());
    await tenant.post(`/v3/automations/${automationId}/status`, { status: 'inactive' });
    expect((await tenant.delete(`${paths[kind]}/${ids[kind]}`)).status).toBe(200);
    // Texts and conditions see an attribute that does not exist as nothing.
    const isReferred = kind !== 'attribute' || JSON.stringify(definition()).includes('externalId');
    for (const [path, body] of [
      ['publish', {}],
      ['status', { status: 'active' }],
    ] as const) {
      const answer = await tenant.post(`/v3/automations/${automationId}/${path}`, body);
      expect([path, answer.status]).toEqual([path, isReferred && !isAudience(definition()) ? 409 : 200]);
    }
  });
  const isAudience = (definition: object): boolean => JSON.stringify(definition).includes('audience');

  it('is not something with a similar name', async () => {
    await made('/v3/attributes', { name: 'Cities', externalId: 'city2' });
    await automationOf(tenant, step('send_message', { text: '{{ attributes.city2 }}' }));
    expect((await tenant.delete(`/v3/attributes/${ids.attribute}`)).status).toBe(200);
  });
});

describe('what a campaign uses', () => {
  const campaign = async (more: object) => {
    const automationId = await automationOf(tenant, { name: 'Sender' });
    const body = { channelId: ids.channel, name: 'Sale', automationId, scheduledAt: '2027-01-02T09:00:00Z' };
    const id = await made('/v3/campaigns', { ...body, contacts: [{ phoneNumber: '+15550001111' }], ...more });
    return { id, automationId };
  };

  it('is refused while it is planned: its channel, its template, its automation, its audience', async () => {
    const audience = `contains(labelIds,"${ids.label}")`;
    const { id, automationId } = await campaign({ messageTemplateId: ids.template, audience });
    for (const path of [
      `/v3/channels/${ids.channel}`,
      `/v3/message_templates/${ids.template}`,
      `/v3/labels/${ids.label}`,
      `/v3/automations/${automationId}`,
    ]) {
      const { status, body } = await tenant.delete(path);
      expect([path, status, body.error?.message]).toEqual([
        path,
        409,
        expect.stringContaining(`campaign "Sale" (${id})`),
      ]);
    }
    const stopped = await tenant.post(`/v3/automations/${automationId}/status`, { status: 'inactive' });
    expect(stopped.status).toBe(409);
    await tenant.post(`/v3/campaigns/${id}/status`, { status: 'cancelled' });
    expect((await tenant.delete(`/v3/labels/${ids.label}`)).status).toBe(200);
    expect((await tenant.delete(`/v3/automations/${automationId}`)).status).toBe(200);
  });

  it('of another tenant does not matter', async () => {
    await campaign({});
    const other = await server.tenant();
    expect((await other.delete(`/v3/channels/${ids.channel}`)).body.data.notFoundIds).toEqual([ids.channel]);
  });
});
