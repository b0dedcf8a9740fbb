import { describe, expect, it } from 'vitest';
import { noteRepliedRuns } from '../../src/automations/triggers/replies.ts';
import type { PublishedEvent } from '../../src/engine/outbox.ts';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { deliver, execution, workerDatabase } from '../kit/execution.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const workerDb = workerDatabase(server);
const HELLO = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };
const DAY = 86_400_000;

async function campaignOf(tenant: TestTenant, steps: object[] = [HELLO], more: object = {}): Promise<string> {
  const ground = await groundFor(tenant, { steps });
  const made = await tenant.post('/v3/campaigns', {
    ...ground,
    name: 'x',
    contacts: testContacts(3),
    ...more,
  });
  return made.body.data.id;
}
const set = async (tenant: TestTenant, id: string, status: string) =>
  (await tenant.post(`/v3/campaigns/${id}/status`, { status })).body.data;
const read = async (tenant: TestTenant, id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;
const runs = async (id: string) =>
  (await db.query('select id, status, chat_id from automation_runs where campaign_id = $1', [id])).rows;

describe('a campaign that is paused', () => {
  it('starts no run, and all of them when it goes on', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const { sent, settle, settleCampaigns } = execution(server, workerDb, tenant);
    await set(tenant, id, 'paused');
    await settle();
    expect(await runs(id)).toEqual([]);
    await set(tenant, id, 'running');
    await settleCampaigns();
    await set(tenant, id, 'paused');
    await settle();
    expect([(await runs(id)).length, (await sent()).length]).toEqual([3, 0]);
    expect(await set(tenant, id, 'running')).toMatchObject({ status: 'running' });
    await settle();
    expect(await sent()).toHaveLength(3);
  });

  it('holds messages that wait to be sent, and lets them go when it goes on', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const { settle } = execution(server, workerDb, tenant);
    await settle();
    const { rows } = await db.query('select id from messages where campaign_id = $1 order by id', [id]);
    // This one is with the vendor at this moment.
    await db.query('update messages set sending_at = $2 where id = $1', [rows[0]?.id, server.clock.now()]);
    await set(tenant, id, 'paused');
    expect(await deliver(server, id)).toBe(1);
    expect((await read(tenant, id)).recipientCounts).toMatchObject({ queued: 2, sent: 1 });
    await set(tenant, id, 'running');
    expect(await deliver(server, id)).toBe(2);
    server.clock.advance(1000);
    await settle();
    expect(await read(tenant, id)).toMatchObject({ status: 'completed', recipientCounts: { sent: 3 } });
  });

  it('holds runs that wait, also when their time comes, and then they go on at once', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [
      HELLO,
      { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
      { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks' } },
    ]);
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect(await set(tenant, id, 'paused')).toMatchObject({ status: 'paused' });
    server.clock.advance(DAY);
    await settle();
    expect(await sent()).toHaveLength(3);
    await set(tenant, id, 'running');
    await settle();
    expect((await sent()).map(({ text }) => text).sort()).toEqual([
      'Hello',
      'Hello',
      'Hello',
      'Thanks',
      'Thanks',
      'Thanks',
    ]);
  });

  it('does not go on by a reply to one of its runs, which counts when it goes on', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(
      tenant,
      [
        HELLO,
        { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'end' } },
        { id: 'thanks', type: 'send_message', parameters: { text: 'Thanks' } },
        { id: 'end', type: 'end' },
      ],
      { contacts: testContacts(1) },
    );
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    await set(tenant, id, 'paused');
    const { channelId } = await read(tenant, id);
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, {
      from: testContacts(1)[0]?.phoneNumber,
      text: 'Yes',
    });
    await server.settle();
    const [run] = await runs(id);
    const events = (
      await db.query(`select * from events where tenant_id = $1 and type = 'message.received'`, [tenant.id])
    ).rows as unknown as PublishedEvent[];
    expect(events.map(({ chat_id }) => chat_id)).toEqual([run?.chat_id]);
    await db.forTenant(tenant.id).transaction((tx) => noteRepliedRuns(tx, events));
    await server.settle();
    await settle();
    expect(await sent()).toHaveLength(1);
    await set(tenant, id, 'running');
    await settle();
    expect((await sent()).map(({ text }) => text)).toEqual(['Hello', 'Thanks']);
  });

  it('does not go on by a retry of one of its runs', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [HELLO], { contacts: testContacts(1) });
    await execution(server, workerDb, tenant, { adapters: new Map() }).settle();
    const [run] = await runs(id);
    expect(run?.status).toBe('failed');
    await set(tenant, id, 'paused');
    expect((await tenant.post(`/v3/automation_runs/${run?.id}/retry`)).status).toBe(200);
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    expect(await sent()).toHaveLength(0);
    await set(tenant, id, 'running');
    await settle();
    expect(await sent()).toHaveLength(1);
  });

  it('before its next occurrence stays planned for it, and runs at once when that has passed', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [HELLO], { recurrenceRules: ['RRULE:FREQ=DAILY'] });
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    await deliver(server, id);
    server.clock.advance(1000);
    await settle();
    const planned = await read(tenant, id);
    expect(planned.status).toBe('scheduled');
    expect(await set(tenant, id, 'paused')).toMatchObject({ nextOccurrenceAt: planned.nextOccurrenceAt });
    expect(await set(tenant, id, 'running')).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: planned.nextOccurrenceAt,
    });
    await set(tenant, id, 'paused');
    server.clock.advance(3 * DAY);
    expect(await set(tenant, id, 'running')).toMatchObject({ status: 'running' });
    await settle();
    expect(await sent()).toHaveLength(6);
  });
});

describe('a campaign that is cancelled', () => {
  it('sends nothing that has not gone out, and tells so of every message', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [
      HELLO,
      { id: 'wait', type: 'wait', parameters: { for: 'P1D' } },
      { ...HELLO, id: 'again' },
    ]);
    const { sent, settle } = execution(server, workerDb, tenant);
    await settle();
    const { rows } = await db.query('select id from messages where campaign_id = $1 order by id', [id]);
    await db.query(`update messages set status = 'delivered', due_at = null where id = $1`, [rows[0]?.id]);
    await set(tenant, id, 'paused');
    expect(await set(tenant, id, 'cancelled')).toMatchObject({
      status: 'cancelled',
      recipientCounts: { queued: 0, delivered: 1, failed: 2 },
    });
    expect(await deliver(server, id)).toBe(0);
    server.clock.advance(DAY);
    await settle();
    expect(await sent()).toHaveLength(3);
    expect((await runs(id)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const events = await db.query(
      `select data::json -> 'error' ->> 'code' as code from events where tenant_id = $1 and type = 'message.failed'`,
      [tenant.id],
    );
    expect(events.rows).toEqual([{ code: 'cancelled' }, { code: 'cancelled' }]);
  });

  it('before it began leaves nobody waiting', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [HELLO], { scheduledAt: '2027-01-01T00:00:00Z' });
    expect((await set(tenant, id, 'cancelled')).recipientCounts).toMatchObject({ queued: 0, failed: 3 });
    const found = await tenant.post(`/v3/campaigns/${id}/recipients/search`, {
      query: 'eq(code,"cancelled")',
    });
    expect(found.body.pagination.total).toBe(3);
  });

  it('while many work on it ends them all, and what they sent before is all there is', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, [HELLO], { contacts: testContacts(150) });
    const both = [execution(server, workerDb, tenant), execution(server, workerDb, tenant)];
    await Promise.all([both[0]?.settle(), both[1]?.settle(), set(tenant, id, 'cancelled')]);
    const { rows } = await db.query(
      `select count(*)::int as all, count(*) filter (where due_at is not null)::int as waiting from messages where campaign_id = $1`,
      [id],
    );
    expect(rows[0]?.waiting).toBe(0);
    await both[0]?.settle();
    const after = await db.query('select count(*)::int as all from messages where campaign_id = $1', [id]);
    expect(after.rows[0]?.all).toBe(rows[0]?.all);
  });
});
