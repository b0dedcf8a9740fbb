import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { upload } from '../kit/files.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { approvedTemplate, outboxOf } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const crm = await useHttpServer((_, response) => response.end('{}'));
const HOUR = 3_600_000;
const ADA = '+15550001111';
let tenant: TestTenant;
let channelId: string;
let contactId: string;
const ids: Record<string, string> = {};

const made = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  expect([path, answer.status, answer.body.error?.invalidParams]).toEqual([path, 200, undefined]);
  return answer.body.data.id;
};
beforeEach(async () => {
  tenant = await server.tenant();
  channelId = (await tenant.channel('sms')).id;
  ids.label = await made('/v3/labels', { name: 'VIP' });
  ids.attribute = await made('/v3/attributes', { name: 'City', externalId: 'city' });
  ids.template = await approvedTemplate(server, tenant, { channelId });
  ids.segment = await made('/v3/segments', { name: 'All', query: 'not(isNull(phoneNumber))' });
  ids.file = (await upload(tenant, 'price list', 'prices.txt')).body.data.id;
  ids.secret = 'crmKey';
  await tenant.put('/v3/secrets/crmKey', { value: 'sk_live_0123456789' });
  contactId = await made('/v3/contacts', { phoneNumber: ADA });
});

const paths: Record<string, string> = {
  label: '/v3/labels',
  attribute: '/v3/attributes',
  template: '/v3/message_templates',
  segment: '/v3/segments',
  file: '/v3/files',
  secret: '/v3/secrets',
};
const remove = (kind: string, query = '') => tenant.delete(`${paths[kind]}/${ids[kind]}${query}`);
async function expectUsed(kind: string, user: string): Promise<void> {
  const { status, body } = await remove(kind);
  expect([kind, status, body.error?.message]).toEqual([kind, 409, expect.stringContaining(user)]);
}

const PAUSE = { id: 'pause', type: 'wait', parameters: { for: 'PT1H' } };
const SAY = { id: 'say', type: 'send_message', parameters: { text: 'Done' } };
const calling = (parameters: object) => ({
  type: 'http_request',
  parameters: { method: 'POST', url: crm.url, ...parameters },
});
const uses: [kind: string, step: () => object, error: string | null][] = [
  ['label', () => ({ type: 'add_label', parameters: { labelId: ids.label?.toUpperCase() } }), 'label'],
  ['attribute', () => ({ type: 'set_attribute', parameters: { externalId: 'city', value: 'x' } }), 'city'],
  ['attribute', () => ({ type: 'send_message', parameters: { text: `{{ attributes["city"] }}!` } }), null],
  ['attribute', () => ({ type: 'send_message', parameters: { text: `{{ attributes['city'] }}!` } }), null],
  ['template', () => ({ type: 'send_template', parameters: { templateId: ids.template } }), 'template'],
  ['file', () => ({ type: 'send_message', parameters: { media: { fileId: ids.file } } }), 'file'],
  ['secret', () => calling({ headers: { 'X-Key': '{{ secrets.crmKey }}' } }), 'secret'],
  ['secret', () => calling({ body: '{{ secrets["crmKey"] }}' }), 'secret'],
  ['secret', () => calling({ signWith: 'crmKey' }), 'secret'],
];

/** A run that waits before a step, and the automation of it. */
async function waiting(step: object): Promise<{ automationId: string; runId: string }> {
  const automationId = await automationOf(tenant, {
    name: 'Patient',
    trigger: { type: 'api', parameters: { channelId } },
    steps: [PAUSE, { id: 'use', ...step }, SAY],
  });
  const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId });
  await server.settle();
  return { automationId, runId: headers['x-automation-run-id'] as string };
}
const runOf = async (id: string) => (await tenant.get(`/v3/automation_runs/${id}`)).body.data;
const later = async (): Promise<void> => {
  server.clock.advance(HOUR);
  await server.settle();
};
const texts = async (): Promise<string[]> =>
  (await outboxOf(tenant, { id: channelId })).map(({ text }: { text: string }) => text);

describe('what a run that waits uses', () => {
  it.each(uses)('is not deleted after its automation was stopped: a %s (%#)', async (kind, step) => {
    const { automationId, runId } = await waiting(step());
    await tenant.post(`/v3/automations/${automationId}/status`, { status: 'inactive' });
    await expectUsed(kind, `automation "Patient" (${automationId})`);
    await tenant.post(`/v3/automation_runs/${runId}/cancel`);
    expect((await remove(kind)).body.data.deletedIds).toEqual([ids[kind]]);
  });

  it.each(uses)('is not deleted after another version was published: a %s (%#)', async (kind, step) => {
    const { automationId } = await waiting(step());
    await tenant.put(`/v3/automations/${automationId}`, { steps: [SAY] });
    await tenant.post(`/v3/automations/${automationId}/publish`);
    await expectUsed(kind, `automation "Patient" (${automationId})`);
    await later();
    expect((await remove(kind)).status).toBe(200);
  });

  it.each(
    uses,
  )('if it is deleted by force, the run says what is missing: a %s (%#)', async (kind, step, error) => {
    const { runId } = await waiting(step());
    expect((await remove(kind, '?force=true')).body.data.deletedIds).toEqual([ids[kind]]);
    await later();
    const run = await runOf(runId);
    if (error === null) {
      // Texts see an attribute that does not exist as nothing.
      expect([run.status, await texts()]).toEqual(['completed', ['!', 'Done']]);
      return;
    }
    expect(run).toMatchObject({ status: 'failed', step: 'use', error: { message: expect.any(String) } });
    expect(run.error.message).toContain(kind === 'attribute' ? error : ids[kind]);
    expect(await texts()).toEqual([]);
  });

  it('is named once, also if many of its runs wait', async () => {
    const { automationId } = await waiting((uses[0] as (typeof uses)[number])[1]());
    await made('/v3/contacts', { phoneNumber: '+15550001112' });
    await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId });
    await server.settle();
    const { message } = (await remove('label')).body.error;
    expect(message.match(/Patient/g)).toHaveLength(1);
  });
});

it('a file that a waiting run sends is kept when a contact that has received it is deleted', async () => {
  const { automationId } = await waiting({
    type: 'send_message',
    parameters: { text: 'Prices', media: { fileId: ids.file } },
  });
  await tenant.put(`/v3/automations/${automationId}`, { steps: [SAY] });
  await tenant.post(`/v3/automations/${automationId}/publish`);
  const grace = await made('/v3/contacts', { phoneNumber: '+15550001112' });
  await made('/v3/messages', { channelId, contactId: grace, media: [{ fileId: ids.file }] });
  await server.settle();
  expect((await tenant.delete(`/v3/contacts/${grace}`)).status).toBe(200);
  await server.settle();
  expect((await tenant.get(`/v3/files/${ids.file}`)).status).toBe(200);
  await later();
  expect(await texts()).toEqual(['Prices', 'Done']);
});

const AT = () => new Date(server.clock.now().getTime() + HOUR).toISOString();

/** A campaign that starts in an hour. */
async function scheduled(more: object): Promise<string> {
  const id = await made('/v3/campaigns', {
    channelId,
    name: 'Sale',
    message: { text: 'Sale' },
    isScheduled: true,
    scheduledAt: AT(),
    ...more,
  });
  await server.settle();
  return id;
}
const campaign = async (id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;

const campaignUses: [kind: string, what: string, more: () => object][] = [
  ['label', 'audience', () => ({ audience: `contains(labelIds,"${ids.label?.toUpperCase()}")` })],
  ['label', 'audience that excludes it', () => ({ audience: `not(contains(labelIds,"${ids.label}"))` })],
  ['attribute', 'audience', () => ({ audience: 'isNull(attributes.city)' })],
  [
    'attribute',
    'text',
    () => ({ message: { text: `Hi {{ attributes["city"] }}` }, contacts: [{ phoneNumber: ADA }] }),
  ],
  [
    'template',
    'message',
    () => ({ message: { template: { templateId: ids.template } }, contacts: [{ phoneNumber: ADA }] }),
  ],
  ['segment', 'audience', () => ({ segmentId: ids.segment })],
  [
    'file',
    'message',
    () => ({ message: { text: 'Sale', media: { fileId: ids.file } }, contacts: [{ phoneNumber: ADA }] }),
  ],
];

describe('what a campaign uses', () => {
  it.each(
    campaignUses,
  )('a %s in its %s is not deleted before it starts, nor while it is paused', async (kind, _, more) => {
    const id = await scheduled(more());
    await expectUsed(kind, `campaign "Sale" (${id})`);
    await tenant.post(`/v3/campaigns/${id}/status`, { status: 'paused' });
    await expectUsed(kind, `campaign "Sale" (${id})`);
    await tenant.post(`/v3/campaigns/${id}/status`, { status: 'cancelled' });
    expect((await remove(kind)).status).toBe(200);
  });

  it('is not deleted while its recipients wait, whatever was published since', async () => {
    const automationId = await automationOf(tenant, {
      name: 'Patient',
      trigger: { type: 'campaign', parameters: { channelId } },
      steps: [PAUSE, { id: 'use', type: 'add_label', parameters: { labelId: ids.label } }],
    });
    const id = await made('/v3/campaigns', {
      channelId,
      name: 'Sale',
      automationId,
      contacts: [{ phoneNumber: ADA }],
    });
    await server.settle();
    expect((await campaign(id)).status).toBe('running');
    await tenant.put(`/v3/automations/${automationId}`, { steps: [SAY] });
    await tenant.post(`/v3/automations/${automationId}/publish`);
    await expectUsed('label', `automation "Patient" (${automationId})`);
    await later();
    const labels = (await tenant.get(`/v3/contacts/${contactId}`)).body.data.labels;
    expect(labels.map((label: { id: string }) => label.id)).toEqual([ids.label]);
  });

  it('a label that was deleted by force makes nobody a recipient who was excluded by it', async () => {
    await tenant.post(`/v3/contacts/${contactId}/labels`, { labels: [{ id: ids.label }] });
    const id = await scheduled({ audience: `not(contains(labelIds,"${ids.label}"))` });
    await remove('label', '?force=true');
    await later();
    expect(await campaign(id)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_audience', message: expect.stringContaining(ids.label as string) },
    });
    expect(await texts()).toEqual([]);
  });

  it('nor does it in a segment, or in the audience of a schedule', async () => {
    await tenant.post(`/v3/contacts/${contactId}/labels`, { labels: [{ id: ids.label }] });
    const query = `not(contains(labelIds,"${ids.label}"))`;
    const segmentId = await made('/v3/segments', { name: 'Others', query });
    const id = await scheduled({ segmentId });
    await automationOf(tenant, {
      trigger: { type: 'schedule', parameters: { rrule: 'FREQ=HOURLY', audience: query } },
      steps: [{ id: 'say', type: 'send_message', parameters: { channelId, text: 'Hourly' } }],
    });
    await remove('label', '?force=true');
    await later();
    await later();
    expect(await campaign(id)).toMatchObject({ status: 'failed', error: { code: 'invalid_audience' } });
    expect(await texts()).toEqual([]);
  });

  it('a segment that was deleted by force leaves its filter to the campaign', async () => {
    await made('/v3/contacts', { email: 'grace@example.com' });
    const id = await scheduled({ segmentId: ids.segment });
    await remove('segment', '?force=true');
    await later();
    expect(await texts()).toEqual(['Sale']);
    await later();
    expect((await campaign(id)).status).toBe('completed');
  });

  it('a template that was deleted by force fails the campaign before anything is sent', async () => {
    const id = await scheduled({
      message: { template: { templateId: ids.template } },
      contacts: [{ phoneNumber: ADA }],
    });
    await remove('template', '?force=true');
    await later();
    expect(await campaign(id)).toMatchObject({ status: 'failed', error: { code: 'template_deleted' } });
    expect(await texts()).toEqual([]);
  });
});
