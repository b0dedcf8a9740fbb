import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const calls: { headers: IncomingHttpHeaders; url: string; body: string }[] = [];
const crm = await useHttpServer((request, response) => {
  let body = '';
  request
    .on('data', (chunk) => {
      body += chunk;
    })
    .on('end', () => {
      calls.push({ headers: request.headers, url: request.url ?? '', body });
      response.end('{}');
    });
});
const VALUE = 'sk_live_0123456789';

let tenant: TestTenant;
let contactId: string;
beforeEach(async () => {
  calls.length = 0;
  tenant = await server.tenant();
  contactId = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data.id;
});

const store = (name: string, value: string = VALUE, of = tenant) => of.put(`/v3/secrets/${name}`, { value });
const request = (parameters: object) => [
  { id: 'call', type: 'http_request', parameters: { method: 'POST', url: crm.url, ...parameters } },
];
const issuesOf = async (steps: object[]) => {
  const { body } = await tenant.post('/v3/automations', { name: 'x', trigger: { type: 'api' }, steps });
  return body.error?.invalidParams;
};
const run = async (steps: object[]) => {
  const id = await automationOf(tenant, { steps });
  const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
  await server.settle();
  return (await tenant.get(`/v3/automation_runs/${headers['x-automation-run-id']}`)).body.data;
};

describe('a secret', () => {
  it('is stored and replaced, listed by its name, deleted, and never shown', async () => {
    const made = await store('crmKey');
    const times = { createdAt: '2026-11-15T01:02:03.456Z', updatedAt: expect.any(String) };
    expect(made.body.data).toEqual({ id: expect.any(String), name: 'crmKey', ...times });
    await store('crmKey', 'other');
    const found = await tenant.post('/v3/secrets/search', {});
    expect(found.body.data).toEqual([{ id: made.body.data.id, name: 'crmKey', ...times }]);
    expect(found.text).not.toContain('other');
    const { rows } = await server.system.db.query(
      'select value_encrypted from automation_secrets where tenant_id = $1',
      [tenant.id],
    );
    expect(String(rows[0]?.value_encrypted)).not.toContain('other');
    const gone = (await tenant.delete('/v3/secrets/crmKey')).body.data;
    expect(gone).toEqual({ deletedIds: ['crmKey'], notFoundIds: [] });
    expect((await tenant.delete('/v3/secrets/crmKey')).body.data.notFoundIds).toEqual(['crmKey']);
  });

  it.each(['1key', 'a-b', 'a.b', 'k'.repeat(65), '%C3%A4'])('is not called %s', async (name) => {
    expect((await store(name)).body.error.invalidParams.secretName.key).toBe('invalid_string');
  });

  it.each([
    '{{ secrets.crmKey }}',
    '{{ secrets["crmKey"] }}',
    "{{ secrets[ 'crmKey' ] }}",
  ])('must exist when it is used: %s', async (text) => {
    const issue = { key: 'custom', message: 'There is no secret crmKey' };
    expect(await issuesOf(request({ body: text }))).toEqual({ 'steps.0.parameters.body': issue });
    await store('crmKey');
    expect(await issuesOf(request({ body: text }))).toBeUndefined();
  });

  it('A2: of another tenant does not exist', async () => {
    const other = await server.tenant();
    await store('crmKey', VALUE, other);
    expect((await tenant.post('/v3/secrets/search', {})).body.data).toEqual([]);
    expect(await issuesOf(request({ signWith: 'crmKey' }))).toEqual({
      'steps.0.parameters.signWith': { key: 'custom', message: 'There is no secret crmKey' },
    });
    expect((await tenant.delete('/v3/secrets/crmKey')).body.data.notFoundIds).toEqual(['crmKey']);
    expect((await other.post('/v3/secrets/search', {})).body.data).toHaveLength(1);
  });

  it('is not deleted while an active automation uses it', async () => {
    await store('crmKey');
    await store('crmKeyOther');
    await automationOf(tenant, { steps: request({ headers: { 'X-Key': '{{ secrets.crmKey }}' } }) });
    const refused = await tenant.delete('/v3/secrets/crmKey');
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    expect((await tenant.delete('/v3/secrets/crmKeyOther')).body.data.deletedIds).toEqual(['crmKeyOther']);
    expect((await tenant.delete('/v3/secrets/crmKey?force=true')).status).toBe(200);
  });
});

describe('a step that calls another server', () => {
  it('sends secrets in headers and body, and stores them nowhere', async () => {
    await store('user', 'ada');
    await store('crmKey');
    const done = await run(
      request({
        headers: {
          Authorization: 'Basic {{ secrets.user | append: ":" | append: secrets.crmKey | base64_encode }}',
        },
        body: '{"key":"{{ secrets.crmKey }}"}',
      }),
    );
    expect(done.status).toBe('completed');
    expect(calls).toMatchObject([
      {
        headers: { authorization: `Basic ${Buffer.from(`ada:${VALUE}`).toString('base64')}` },
        body: `{"key":"${VALUE}"}`,
      },
    ]);
    expect(JSON.stringify(done)).not.toContain(VALUE);
    const { rows } = await server.system.db.query(
      `select r::text as row from automation_runs r where tenant_id = $1
       union all select t::text from run_trace t where tenant_id = $1
       union all select e::text from events e where tenant_id = $1`,
      [tenant.id],
    );
    expect(rows.length).toBeGreaterThan(2);
    for (const { row } of rows) expect(row).not.toContain(VALUE);
    expect(server.logged.join('')).not.toContain(VALUE);
  });

  it('signs its call as Standard Webhooks specifies', async () => {
    const key = Buffer.from('a key of some length').toString('base64');
    await store('hook', `whsec_${key}`);
    await run(request({ signWith: 'hook', body: 'Hello' }));
    const { headers } = calls[0] as (typeof calls)[0];
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.Hello`;
    const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(headers['webhook-id']).toBe(headers['idempotency-key']);
  });

  it('may not show a secret to a contact, or in its address', async () => {
    await store('crmKey');
    const message = 'Secrets can only be used in headers and the body of http_request';
    for (const [steps, path] of [
      [[{ id: 's', type: 'send_message', parameters: { text: '{{ secrets.crmKey }}' } }], 'text'],
      [request({ url: `${crm.url}/{{ secrets.crmKey }}` }), 'url'],
    ] as const)
      expect(await issuesOf([...steps])).toEqual({
        [`steps.0.parameters.${path}`]: { key: 'invalid_string', message },
      });
    // A name that is only known when the run gets there.
    const url = `${crm.url}/{{ ["secrets"].crmKey }}`;
    const failed = await run(request({ url, headers: { 'X-Key': '{{ secrets.crmKey }}' } }));
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'liquid_error' } });
    expect(JSON.stringify(failed)).not.toContain(VALUE);
    expect(calls).toEqual([]);
  });

  it('fails with a reason if its secret is gone', async () => {
    await store('crmKey');
    const steps = request({ signWith: 'crmKey' });
    const id = await automationOf(tenant, { steps });
    await tenant.delete('/v3/secrets/crmKey?force=true');
    const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
    await server.settle();
    const { data } = (await tenant.get(`/v3/automation_runs/${headers['x-automation-run-id']}`)).body;
    expect(data).toMatchObject({
      status: 'failed',
      error: { code: 'secret_missing', message: 'There is no secret "crmKey"' },
    });
    expect(calls).toEqual([]);
  });
});
