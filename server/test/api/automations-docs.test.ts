import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conditionFields } from '../../src/automations/definition/conditions.ts';
import { stepTypes, triggerTypes } from '../../src/automations/definition/steps.ts';
import { personOf } from '../kit/automations.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const page = readFileSync(new URL('../../../docs/use/automations.md', import.meta.url), 'utf8');

describe('docs/use/automations.md', () => {
  it('has an example that works as written', async () => {
    const [, raw = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const tenant = await server.tenant();
    const { contactId } = await personOf(server, tenant);
    await tenant.post('/v3/attributes', { name: 'Satisfaction', externalId: 'satisfaction' });
    const made = await tenant.call('POST', '/v3/automations', { raw });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
    const given = JSON.parse(raw);
    expect(made.body.data.latestVersion.steps).toEqual(
      given.steps.map((step: object) => ({ parameters: {}, ...step })),
    );
    const path = `/v3/automations/${made.body.data.id}`;
    await tenant.post(`${path}/publish`);
    const run = await tenant.post(`${path}/trigger`, { contactId, variables: { orderId: 'A-1' } });
    const { data } = (await tenant.get(`/v3/automation_runs/${run.headers['x-automation-run-id']}`)).body;
    expect(data).toMatchObject({ status: 'scheduled', variables: { orderId: 'A-1', daysToWait: 2 } });
  });

  it('names every step type, every trigger type and every field of a condition', () => {
    for (const type of [...stepTypes, ...triggerTypes]) expect(page).toContain(`\`${type}\``);
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    for (const name of Object.keys(conditionFields([], []).fields)) {
      const [family, field] = name.split('.');
      const row = rows.find((line) => line.startsWith(`| \`${family}.…\``));
      expect([name, row?.includes(`\`${field}\``)]).toEqual([name, true]);
    }
  });
});
