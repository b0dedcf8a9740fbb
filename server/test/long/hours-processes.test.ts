import { expect, it } from 'vitest';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { type Answer, type TestServer, type TestTenant, useServer } from '../kit/server.ts';

const first = await useServer();
const { clock, databaseUrl } = first;
/** Another process, which takes over everything: the one before is gone, or has not noticed. */
const startNext = (): Promise<TestServer> => useServer({ databaseUrl, clock });

const HELLO = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };
const QUIET = { from: '21:00', to: '08:00' };

const dataOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
const outbox = async (tenant: TestTenant, channelId: string): Promise<{ to: string }[]> =>
  dataOf(await tenant.get(`/v3/sandbox/${channelId}/outbox?limit=1000`));

it('sends what waited for the end of quiet hours once, over restarts and with two processes at work', async () => {
  const tenant = await first.tenant();
  dataOf(await tenant.put('/v3/tenant', { quietHours: QUIET }));
  const { channelId, automationId } = await groundFor(tenant, { steps: [HELLO] });
  const body = { channelId, automationId, name: 'x', contacts: testContacts(300, 100) };
  const { id } = dataOf(await tenant.post('/v3/campaigns', body));
  await first.settle();
  expect(dataOf(await tenant.get(`/v3/campaigns/${id}`)).waiting).toMatchObject({ recipients: 300 });
  const second = await startNext();
  await second.settle();
  expect(await outbox(tenant, channelId)).toEqual([]);
  await second.stop();
  clock.set(new Date('2026-11-15T08:00:00.000Z'));
  const third = await startNext();
  const fourth = await startNext();
  await Promise.all([third.settle(), fourth.settle()]);
  await fourth.settle();
  const sent = (await outbox(tenant, channelId)).map(({ to }) => to);
  expect([sent.length, new Set(sent).size]).toEqual([300, 300]);
  await third.stop();
  await fourth.settle();
  expect(await outbox(tenant, channelId)).toHaveLength(300);
});

it('wakes a run that waits for an opening in a process that starts later', async () => {
  const server = await startNext();
  const tenant = await server.tenant();
  const at = (hours: number): string => new Date(clock.now().getTime() + hours * 3600_000).toISOString();
  const opensAt = at(40).slice(0, 11);
  dataOf(
    await tenant.put('/v3/tenant', {
      businessHours: { exceptions: [{ date: opensAt.slice(0, 10), hours: [['12:00', '13:00']] }] },
    }),
  );
  const automationId = await automationOf(tenant, {
    steps: [{ id: 'wait', type: 'wait', parameters: { untilOpen: true } }],
  });
  const { id: channelId } = await tenant.channel('sms');
  const body = { channelId, automationId, name: 'x', contacts: testContacts(1) };
  dataOf(await tenant.post('/v3/campaigns', body));
  await server.settle();
  const statusOf = async () => dataOf(await tenant.post('/v3/automation_runs/search', {}))[0].status;
  expect(await statusOf()).toBe('waiting');
  await server.stop();
  clock.set(new Date(`${opensAt}12:00:00.000Z`));
  await (await startNext()).settle();
  const later = await startNext();
  await later.settle();
  const { rows } = await later.system.db.query('select status from automation_runs where tenant_id = $1', [
    tenant.id,
  ]);
  expect(rows).toEqual([{ status: 'completed' }]);
});

it('misses no run that begins to wait while the hours change', async () => {
  const server = await startNext();
  const tenant = await server.tenant();
  const closed = { businessHours: { closedOn: ['2026-01-01'], mon: [['09:00', '09:01']] } };
  dataOf(await tenant.put('/v3/tenant', closed));
  const { id: channelId } = await tenant.channel('sms');
  const automationId = await automationOf(tenant, {
    steps: [{ id: 'wait', type: 'wait', parameters: { untilOpen: true } }],
  });
  const body = { channelId, automationId, name: 'x', contacts: testContacts(200, 100) };
  dataOf(await tenant.post('/v3/campaigns', body));
  await Promise.all([
    server.settle(),
    ...Array.from({ length: 20 }, (_, index) =>
      tenant.put('/v3/tenant', index % 2 ? { businessHours: null } : closed),
    ),
  ]);
  dataOf(await tenant.put('/v3/tenant', { businessHours: null }));
  await server.settle();
  const { rows } = await server.system.db.query(
    'select status, count(*)::int as count from automation_runs where tenant_id = $1 group by status',
    [tenant.id],
  );
  expect(rows).toEqual([{ status: 'completed', count: 200 }]);
});
