import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer({ connections: { api: 20, worker: 8 } });
const calls: { key: unknown; body: string; response: ServerResponse }[] = [];
const crm = await useHttpServer((request, response) => {
  let body = '';
  request
    .on('data', (chunk) => {
      body += chunk;
    })
    .on('end', () => calls.push({ key: request.headers['idempotency-key'], body, response }));
});

let tenant: TestTenant;
let contactId: string;
beforeEach(async () => {
  calls.length = 0;
  tenant = await server.tenant();
  contactId = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111', firstName: 'Ada' })).body.data
    .id;
});

async function start(): Promise<string> {
  const parameters = { method: 'POST', url: crm.url, body: '{{ contact.firstName }}', saveAs: 'crm' };
  const id = await automationOf(tenant, { steps: [{ id: 'call', type: 'http_request', parameters }] });
  const { headers } = await tenant.post(`/v3/automations/${id}/trigger`, { contactId });
  return headers['x-automation-run-id'] as string;
}
const runOf = async (id: string) => (await tenant.get(`/v3/automation_runs/${id}`)).body.data;

describe('a run that calls another server', () => {
  it('goes on with an answer that PostgreSQL cannot store as it is', async () => {
    const id = await start();
    const settled = server.settle();
    await until(() => calls.length === 1);
    calls[0]?.response.end('{"na\\u0000me":"a\\u0000b\\ud800c"}');
    await settled;
    expect(await runOf(id)).toMatchObject({ status: 'completed', trace: [{ status: 'completed' }] });
  });

  it('makes the same call again after a crash, though the contact was changed meanwhile', async () => {
    const id = await start();
    void server.settle();
    await until(() => calls.length === 1);
    await tenant.put(`/v3/contacts/${contactId}`, { firstName: 'Grace' });
    // A process that takes over.
    const next = await useServer({
      databaseUrl: server.databaseUrl,
      clock: server.clock,
      filesFolder: server.filesFolder,
    });
    const settled = next.settle();
    await until(() => calls.length === 2);
    expect(calls[1]).toMatchObject({ key: calls[0]?.key, body: 'Ada' });
    for (const { response } of calls) response.end('{}');
    await settled;
    await until(async () => (await runOf(id)).status === 'completed');
    await next.stop();
    await server.settle();
  });

  it('stays cancelled when it is cancelled before the answer', async () => {
    const id = await start();
    const settled = server.settle();
    await until(() => calls.length === 1);
    await tenant.post(`/v3/automation_runs/${id}/cancel`);
    calls[0]?.response.end('{}');
    await settled;
    expect(await runOf(id)).toMatchObject({ status: 'cancelled' });
  });
});
