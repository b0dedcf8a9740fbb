import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { automationOf, personOf } from '../kit/automations.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

async function ready() {
  const tenant = await server.tenant();
  const { contactId, chatId } = await personOf(server, tenant);
  const automationId = await automationOf(tenant);
  const start = async (body: object = {}): Promise<string> => {
    const answer = await tenant.post(`/v3/automations/${automationId}/trigger`, { contactId, ...body });
    return answer.headers['x-automation-run-id'] as string;
  };
  return { tenant, contactId, chatId, automationId, start };
}

/** Puts a run where only its execution would bring it. */
const bring = (runId: string, change: string, ...values: unknown[]) =>
  db.query(`update automation_runs set ${change} where id = $1`, [runId, ...values]);
const statusOf = async (tenant: TestTenant, runId: string): Promise<string> =>
  (await tenant.get(`/v3/automation_runs/${runId}`)).body.data.status;

describe('a run', () => {
  it('is read with what it did, step by step', async () => {
    const { tenant, chatId, start } = await ready();
    const runId = await start();
    await bring(
      runId,
      `status = 'failed', due_at = null, chat_id = $2, step = 'b', started_at = $3, ended_at = $3, error = $4`,
      chatId,
      new Date('2026-11-15T02:00:00.5Z'),
      { code: 'url_refused', message: 'No' },
    );
    await db.query(
      `insert into run_trace (run_id, tenant_id, number, step, type, status, detail, error, started_at, ended_at)
       values ($1, $2, 2, 'b', 'http_request', 'failed', '{}', $3, $4, $4),
              ($1, $2, 1, 'a', 'wait', 'completed', '{"until":"x"}', null, $4, null)`,
      [runId, tenant.id, { code: 'url_refused', message: 'No' }, new Date('2026-11-15T02:00:00.5Z')],
    );
    const at = '2026-11-15T02:00:00.500Z';
    expect((await tenant.get(`/v3/automation_runs/${runId}`)).body.data).toMatchObject({
      status: 'failed',
      chatId,
      step: 'b',
      startedAt: at,
      endedAt: at,
      error: { code: 'url_refused', message: 'No' },
      trace: [
        {
          number: 1,
          step: 'a',
          type: 'wait',
          status: 'completed',
          detail: { until: 'x' },
          error: null,
          startedAt: at,
          endedAt: null,
        },
        {
          number: 2,
          step: 'b',
          type: 'http_request',
          status: 'failed',
          detail: {},
          error: { code: 'url_refused', message: 'No' },
          startedAt: at,
          endedAt: at,
        },
      ],
    });
  });

  it('is found by automation, contact, chat and status', async () => {
    const { tenant, contactId, chatId, automationId, start } = await ready();
    const first = await start();
    server.clock.advance(1000);
    const second = await start({ variables: { a: 1 } });
    await bring(second, `status = 'waiting', chat_id = $2`, chatId);
    const find = async (body: object) =>
      (await tenant.post('/v3/automation_runs/search', body)).body.data.map(({ id }: { id: string }) => id);
    expect(await find({})).toEqual([second, first]);
    expect(await find({ sortBy: 'asc(createdAt)' })).toEqual([first, second]);
    expect(await find({ query: `eq(automationId,"${automationId}")` })).toEqual([second, first]);
    expect(await find({ query: `eq(automationId,"${UNKNOWN}")` })).toEqual([]);
    expect(await find({ query: `eq(contactId,"${contactId}")` })).toEqual([second, first]);
    expect(await find({ query: `eq(chatId,"${chatId}")` })).toEqual([second]);
    expect(await find({ query: 'isNull(chatId)' })).toEqual([first]);
    expect(await find({ query: 'eq(status,"scheduled")' })).toEqual([first]);
    expect(await find({ search: first })).toEqual([first]);
    const [record] = (await tenant.post('/v3/automation_runs/search', {})).body.data;
    const { trace, ...read } = (await tenant.get(`/v3/automation_runs/${second}`)).body.data;
    expect([record, trace]).toEqual([read, []]);
  });
});

describe('cancelling a run', () => {
  it.each(['scheduled', 'running', 'waiting'])('that is %s ends it for good', async (status) => {
    const { tenant, start } = await ready();
    const runId = await start({ scheduledAt: '2026-12-01T00:00:00Z' });
    await bring(runId, 'status = $2, waiting_reply = true', status);
    server.clock.advance(1000);
    const { data } = (await tenant.post(`/v3/automation_runs/${runId}/cancel`)).body;
    const now = server.clock.now().toISOString();
    expect(data).toMatchObject({ id: runId, status: 'cancelled', endedAt: now, updatedAt: now });
    const { rows } = await db.query(
      'select due_at, waiting_reply, revision from automation_runs where id = $1',
      [runId],
    );
    expect(rows).toEqual([{ due_at: null, waiting_reply: false, revision: 1 }]);
  });

  it.each([
    'completed',
    'failed',
    'cancelled',
  ])('that is %s is a conflict, and changes nothing', async (status) => {
    const { tenant, start } = await ready();
    const runId = await start();
    await bring(runId, 'status = $2, due_at = null', status);
    const before = (await tenant.get(`/v3/automation_runs/${runId}`)).body.data;
    server.clock.advance(1000);
    const answer = await tenant.post(`/v3/automation_runs/${runId}/cancel`);
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain(`the run is already ${status}`);
    expect((await tenant.get(`/v3/automation_runs/${runId}`)).body.data).toEqual(before);
  });

  it('fifty times at once succeeds once', async () => {
    const { tenant, start } = await ready();
    const runId = await start();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => tenant.post(`/v3/automation_runs/${runId}/cancel`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
  });
});

describe('what ends, and the runs that hang on it', () => {
  it('a channel: the waiting runs of its chats are cancelled', async () => {
    const { tenant, chatId, start } = await ready();
    const waiting = await start();
    await bring(waiting, `status = 'waiting', waiting_reply = true, chat_id = $2`, chatId);
    const { channelId } = (await tenant.get(`/v3/chats/${chatId}`)).body.data;
    await tenant.delete(`/v3/channels/${channelId}`);
    expect((await tenant.get(`/v3/automation_runs/${waiting}`)).body.data).toMatchObject({
      status: 'cancelled',
      chatId: null,
    });
  });

  it('a chat: its waiting runs are cancelled, what has ended stays as it was', async () => {
    const { tenant, chatId, start } = await ready();
    const [waiting, done, elsewhere] = [await start(), await start(), await start()];
    await bring(waiting, `status = 'waiting', waiting_reply = true, chat_id = $2`, chatId);
    await bring(done, `status = 'completed', due_at = null, chat_id = $2`, chatId);
    expect((await tenant.delete(`/v3/chats/${chatId}`)).body.data.deletedIds).toEqual([chatId]);
    expect((await tenant.get(`/v3/automation_runs/${waiting}`)).body.data).toMatchObject({
      status: 'cancelled',
      chatId: null,
      endedAt: server.clock.now().toISOString(),
    });
    expect(await statusOf(tenant, done)).toBe('completed');
    expect(await statusOf(tenant, elsewhere)).toBe('scheduled');
    await server.settle();
    const query = 'eq(type,"automation.run_cancelled")';
    const events = (await tenant.post('/v3/events/search', { query })).body.data;
    expect(events.map(({ data }: { data: { id: string } }) => data.id)).toEqual([waiting]);
  });

  it('a contact: its runs go with it', async () => {
    const { tenant, contactId, start } = await ready();
    const runId = await start();
    await tenant.delete(`/v3/contacts/${contactId}`);
    expect((await tenant.get(`/v3/automation_runs/${runId}`)).status).toBe(404);
  });
});

describe('what the database itself refuses', () => {
  const refused = (work: Promise<unknown>) => expect(work).rejects.toMatchObject({ code: '23505' });

  async function copyOf(runId: string, columns: Record<string, unknown>): Promise<void> {
    const names = Object.keys(columns);
    await db.query(
      `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, state, scheduled_at, shard,
                                    created_at, updated_at${names.map((name) => `, ${name}`).join('')})
       select $2, tenant_id, automation_id, version_id, contact_id, status, state, scheduled_at, shard, created_at,
              updated_at${names.map((_, index) => `, $${index + 3}`).join('')}
         from automation_runs where id = $1`,
      [runId, newId(), ...Object.values(columns)],
    );
  }

  it('is a second run for one event, for one occurrence of a schedule, and for one of a campaign', async () => {
    const { start } = await ready();
    const runId = await start();
    const [event, campaign, at] = [newId(), newId(), new Date('2026-12-01T00:00:00Z')];
    for (const columns of [
      { cause_event_id: event },
      { occurrence_at: at },
      { campaign_id: campaign, occurrence_at: at },
    ]) {
      await copyOf(runId, columns);
      await refused(copyOf(runId, columns));
    }
    await copyOf(runId, { occurrence_at: new Date('2026-12-02T00:00:00Z') });
    await copyOf(runId, { campaign_id: newId(), occurrence_at: at });
    // Calls of the API are as many as there are.
    await copyOf(runId, {});
    await expect(copyOf(runId, { campaign_id: newId() })).rejects.toMatchObject({ code: '23514' });
  });

  it('is a run on another automation’s version, and an active automation without one', async () => {
    const { tenant, start } = await ready();
    const runId = await start();
    const other = (await tenant.get(`/v3/automations/${await automationOf(tenant)}`)).body.data;
    await expect(bring(runId, 'version_id = $2', other.latestVersionId)).rejects.toMatchObject({
      code: '23503',
    });
    const draft = await automationOf(tenant, {}, { published: false });
    await expect(
      db.query(`update automations set status = 'active' where id = $1`, [draft]),
    ).rejects.toMatchObject({ code: '23514' });
  });
});
