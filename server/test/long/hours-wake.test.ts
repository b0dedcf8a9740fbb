import { expect, it } from 'vitest';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { workerDatabase } from '../kit/execution.ts';
import { mortalWorkers } from '../kit/mortal-worker.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const db = workerDatabase(server);
const ask = async (text: string, values: unknown[]) => (await db.query(text, values)).rows;

const WAIT = { id: 'wait', type: 'wait', parameters: { untilOpen: true } };
const HELLO = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };
const CLOSED = { businessHours: { mon: [['09:00', '09:01']] } };
const OPEN = { businessHours: null };
/** More than wake with the change of the hours, and more than the first batch of a job. */
const MANY = 700;

const dataOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};

/** A tenant with so many runs that wait for an opening, and then send a message. */
async function startWaiting(count: number): Promise<{ tenant: TestTenant; channelId: string }> {
  const tenant = await server.tenant();
  dataOf(await tenant.put('/v3/tenant', CLOSED));
  const { channelId, automationId } = await groundFor(tenant, { steps: [WAIT, HELLO] });
  const body = { channelId, automationId, name: 'x', contacts: testContacts(count, 100), purpose: 'service' };
  dataOf(await tenant.post('/v3/campaigns', body));
  await server.settle();
  expect(await runsOf(tenant)).toEqual([{ status: 'waiting', is_due: false, count }]);
  return { tenant, channelId };
}

const runsOf = (tenant: TestTenant) =>
  ask(
    `select status, coalesce(due_at = '-infinity', false) as is_due, count(*)::int as count from automation_runs
      where tenant_id = $1 group by 1, 2 order by 1, 2`,
    [tenant.id],
  );
const jobsOf = async (tenant: TestTenant) =>
  dataOf(await tenant.post('/v3/jobs/search', { query: 'eq(kind,"wake_runs")' }));
const sentTo = async (tenant: TestTenant, channelId: string): Promise<string[]> =>
  dataOf(await tenant.get(`/v3/sandbox/${channelId}/outbox?limit=1000`)).map(({ to }: { to: string }) => to);

it('leaves many waiting runs to one job, however often the hours change before it begins', async () => {
  const { tenant, channelId } = await startWaiting(MANY);
  for (const hours of [CLOSED, OPEN]) dataOf(await tenant.put('/v3/tenant', hours));
  dataOf(await tenant.put(`/v3/channels/${channelId}`, OPEN));
  // The requests have changed no run.
  expect(await runsOf(tenant)).toEqual([{ status: 'waiting', is_due: false, count: MANY }]);
  const queued = await jobsOf(tenant);
  expect(queued).toMatchObject([{ status: 'queued', author: null, total: null }]);
  const refused = await tenant.post(`/v3/jobs/${queued[0].id}/cancel`);
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('cancelled')]);
  await server.settle();
  expect(await runsOf(tenant)).toEqual([{ status: 'completed', is_due: false, count: MANY }]);
  expect(await jobsOf(tenant)).toMatchObject([{ status: 'completed', done: MANY, total: MANY, failed: 0 }]);
  expect(new Set(await sentTo(tenant, channelId)).size).toBe(MANY);
});

it('wakes every run once, though processes are killed before and after each commit', async () => {
  const { tenant, channelId } = await startWaiting(MANY);
  const other = await startWaiting(1);
  dataOf(await tenant.put('/v3/tenant', OPEN));
  const born = mortalWorkers(server, db);
  const killAtFirstCommit = async (when: 'before' | 'after') =>
    expect(await born(tenant, { at: 1, when }, ['jobs']).settle()).toBe(false);
  const isDue = async (): Promise<number> =>
    (await runsOf(tenant)).reduce((sum, row) => sum + (row.is_due ? (row.count as number) : 0), 0);
  const due: number[] = [];
  for (let commit = 0; commit < 4; commit += 1) {
    await killAtFirstCommit('before');
    due.push(await isDue());
    await killAtFirstCommit('after');
    due.push(await isDue());
  }
  // Counting them, two batches, and what a limit held, which is nothing. What a commit did not store is not there.
  expect(due).toEqual([0, 0, 0, 500, 500, MANY, MANY, MANY]);
  expect(await jobsOf(tenant)).toMatchObject([{ status: 'completed', done: MANY, total: MANY }]);
  await server.settle();
  const sent = await sentTo(tenant, channelId);
  expect([sent.length, new Set(sent).size]).toEqual([MANY, MANY]);
  expect(await runsOf(other.tenant)).toEqual([{ status: 'waiting', is_due: false, count: 1 }]);
});

it('wakes a run that somebody has locked while the hours change', async () => {
  const { tenant } = await startWaiting(3);
  await db.forTenant(tenant.id).transaction(async (tx) => {
    await tx.query(
      'select id from automation_runs where tenant_id = $1 order by id limit 1 for no key update',
      [tenant.id],
    );
    dataOf(await tenant.put('/v3/tenant', OPEN));
  });
  await server.settle();
  expect(await runsOf(tenant)).toEqual([{ status: 'completed', is_due: false, count: 3 }]);
});

it('wakes few runs with the change, and makes no job', async () => {
  const { tenant } = await startWaiting(3);
  dataOf(await tenant.put('/v3/tenant', OPEN));
  expect(await runsOf(tenant)).toEqual([{ status: 'waiting', is_due: true, count: 3 }]);
  expect(await jobsOf(tenant)).toEqual([]);
});

it('holds the runs of a paused campaign, and lets them look at the new hours when it continues', async () => {
  const tenant = await server.tenant();
  dataOf(await tenant.put('/v3/tenant', CLOSED));
  const { id: channelId } = await tenant.channel('sms');
  const automationId = await automationOf(tenant, { steps: [WAIT] });
  const body = { channelId, automationId, name: 'x', contacts: testContacts(MANY, 100) };
  const { id } = dataOf(await tenant.post('/v3/campaigns', body));
  await server.settle();
  dataOf(await tenant.post(`/v3/campaigns/${id}/status`, { status: 'paused' }));
  dataOf(await tenant.put('/v3/tenant', OPEN));
  await server.settle();
  expect(await runsOf(tenant)).toEqual([{ status: 'waiting', is_due: false, count: MANY }]);
  dataOf(await tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' }));
  await server.settle();
  expect(await runsOf(tenant)).toEqual([{ status: 'completed', is_due: false, count: MANY }]);
});
