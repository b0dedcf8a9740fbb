import { beforeEach, describe, expect, it } from 'vitest';
import { dataOf, eventually } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const ask = [
  { id: 'ask', type: 'send_message', parameters: { text: 'Hello {{ variables.name }}, coming?' } },
  { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'end' } },
  {
    id: 'call',
    type: 'http_request',
    parameters: { method: 'GET', url: 'https://example.com/', saveAs: 'crm' },
  },
  { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks {{ steps.crm.body.case }}' } },
  { id: 'end', type: 'end' },
];
const definition = {
  name: 'Ask',
  trigger: { type: 'message_received' },
  variables: [{ name: 'name', type: 'string', default: 'friend' }],
  steps: ask,
};
const save = async (body: object): Promise<string> => dataOf(await tenant.post('/v3/automations', body)).id;
const publish = async (body: object): Promise<string> => {
  const id = await save(body);
  dataOf(await tenant.post(`/v3/automations/${id}/publish`, {}));
  return id;
};
const textsOf = (messages: { text: string }[]) => messages.map(({ text }) => text);

describe('POST /v3/automations/check { …definition }', () => {
  it('answers { issues: [{ path, code, message }] }, and stores nothing', async () => {
    expect(dataOf(await tenant.post('/v3/automations/check', definition))).toEqual({ issues: [] });
    const broken = { ...definition, steps: [{ id: 'a', type: 'end', next: 'nowhere' }] };
    const { issues } = dataOf(await tenant.post('/v3/automations/check', broken));
    expect(issues).toMatchObject([
      { path: 'steps.0.next', code: expect.any(String), message: expect.any(String) },
    ]);
    expect(dataOf(await tenant.post('/v3/automations/search', {}))).toEqual([]);
  });
});

describe('POST /v3/automations/{automationId}/dry_run', () => {
  it('takes { contactId, message } and the version that is not published', async () => {
    const { contactId } = await make.chat(tenant);
    const id = await save(definition);
    const run = dataOf(
      await tenant.post(`/v3/automations/${id}/dry_run`, { contactId, message: { text: 'Hi' } }),
    );
    expect(run.status).toBe('completed');
    expect(run.trace[0]).toMatchObject({
      step: 'ask',
      type: 'send_message',
      at: expect.any(String),
      input: expect.any(Object),
      output: expect.any(Object),
      why: expect.any(String),
    });
    expect(textsOf(run.messages)).toEqual(['Hello friend, coming?']);
  });

  it('takes variables, replies, responses, at and versionId', async () => {
    const { contactId } = await make.chat(tenant);
    const id = await save(definition);
    const { latestVersionId } = dataOf(await tenant.get(`/v3/automations/${id}`));
    const body = {
      contactId,
      message: { text: 'Hi' },
      variables: { name: 'Ada' },
      replies: [{ text: 'Yes', after: 'PT5M' }],
      versionId: latestVersionId,
    };
    const dryRun = async (more: object) =>
      dataOf(await tenant.post(`/v3/automations/${id}/dry_run`, { ...body, ...more }));
    const at = new Date(Date.now() + 3600_000).toISOString();
    const run = await dryRun({ responses: { call: { status: 201, body: { case: 'A7' } } }, at });
    expect(run.trace[0].at).toBe(at);
    expect(textsOf(run.messages)).toEqual(['Hello Ada, coming?', 'Thanks A7']);
    const assumed = await dryRun({});
    expect(assumed.trace.find(({ step }: { step: string }) => step === 'call')).toMatchObject({
      output: { status: 200, body: {} },
    });
  });
});

describe('POST /v3/automations/explain', () => {
  it('answers an array for { messageId } and for { eventId }', async () => {
    const channel = await make.channel(tenant);
    const id = await publish({ ...definition, trigger: { type: 'chat_opened' } });
    const other = await publish({ ...definition, trigger: { type: 'api' } });
    await make.write(tenant, channel, { from: make.addressOn('whatsapp'), text: 'Hello' });
    const find = async (path: string, query: string) =>
      dataOf(await tenant.post(`/v3/${path}/search`, { query }))[0];
    const run = await eventually('run', () => find('automation_runs', `eq(automationId,"${id}")`));
    const message = await find('messages', 'eq(sender,"inbound")');
    const event = await find('events', 'eq(type,"chat.created")');
    for (const body of [{ messageId: message.id }, { eventId: event.id }])
      expect(dataOf(await tenant.post('/v3/automations/explain', body))).toMatchObject([
        { automationId: id, name: 'Ask', started: true, runId: run.id, reasons: [] },
        {
          automationId: other,
          started: false,
          runId: null,
          reasons: [{ code: 'other_trigger', message: expect.any(String) }],
        },
      ]);
  });
});

describe('versions, funnel and runs in bulk', () => {
  it('POST …/versions/search, and POST …/funnel { from, to }', async () => {
    const id = await save(definition);
    expect(dataOf(await tenant.post(`/v3/automations/${id}/versions/search`, {}))).toHaveLength(1);
    const from = new Date(Date.now() - 86_400_000).toISOString();
    const to = new Date().toISOString();
    expect(dataOf(await tenant.post(`/v3/automations/${id}/funnel`, { from, to }))).toMatchObject({
      from,
      to,
      runs: 0,
      steps: ask.map(({ id: step }) => ({ step, entered: 0 })),
    });
  });

  it('POST /v3/automation_runs/bulk { query, action } answers { jobId }', async () => {
    const id = await publish({
      name: 'Wait',
      trigger: { type: 'api' },
      steps: [{ id: 'wait', type: 'wait', parameters: { for: 'P1D' } }],
    });
    const contact = await make.contact(tenant);
    const triggered = await tenant.post(`/v3/automations/${id}/trigger`, { contactId: contact.id });
    expect(triggered.status).toBe(200);
    const query = `eq(automationId,"${id}")`;
    for (const action of ['cancel', 'retry']) {
      const { jobId } = dataOf(await tenant.post('/v3/automation_runs/bulk', { query, action }));
      const job = await eventually('job', async () => {
        const found = dataOf(await tenant.get(`/v3/jobs/${jobId}`));
        return found.status === 'completed' ? found : undefined;
      });
      expect(job).toMatchObject({ id: jobId, total: 1, done: action === 'cancel' ? 1 : 0 });
    }
    const refused = await tenant.post('/v3/automation_runs/bulk', { query, action: { type: 'cancel' } });
    expect(refused.status).toBe(400);
  });
});

it('all of them need automations:read, and changing runs needs more', async () => {
  const id = await save(definition);
  const token = await tenant.tokenWith(['automations:read']);
  for (const [path, body] of [
    ['check', definition],
    [`${id}/versions/search`, {}],
    [`${id}/funnel`, {}],
  ] as const)
    dataOf(await tenant.post(`/v3/automations/${path}`, body, { token }));
  const bulk = { query: 'eq(status,"failed")', action: 'retry' };
  expect((await tenant.post('/v3/automation_runs/bulk', bulk, { token })).status).toBe(403);
});
