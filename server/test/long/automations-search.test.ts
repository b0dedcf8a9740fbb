import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { automationFields, automationSource } from '../../src/automations/automation.ts';
import { runFields, runSource } from '../../src/automations/runs/run.ts';
import type { Searchable } from '../../src/search/fields.ts';
import '../../src/automations/page.ts';
import { sessionSettings } from '../../src/db/session.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { runSearch } from '../../src/search/run-search.ts';
import type { SearchBody } from '../../src/search/schema.ts';
import type { SearchSource } from '../../src/search/source.ts';
import { automationOf } from '../kit/automations.ts';
import { countReadRows, explainDeclared } from '../kit/explain.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const PATH = '/v3/automations/search';

/** Three automations, made one second after the other: a draft, an active and an archived one. */
async function three() {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  const onChannel = { type: 'chat_opened', parameters: { channelId: channel.id } };
  const draft = await automationOf(tenant, { name: 'Alpha', trigger: onChannel }, { published: false });
  server.clock.advance(1000);
  const active = await automationOf(tenant, { name: 'beta 50%' });
  await tenant.put(`/v3/automations/${active}`, { trigger: onChannel });
  server.clock.advance(1000);
  const archived = await automationOf(tenant, { name: 'Gamma', trigger: onChannel });
  await tenant.post(`/v3/automations/${archived}/status`, { status: 'archived' });
  return { tenant, channel, draft, active, archived };
}
const idsOf = async (tenant: TestTenant, body: object): Promise<string[]> =>
  (await tenant.post(PATH, body)).body.data.map(({ id }: { id: string }) => id);

describe('searching automations', () => {
  it('without a word gives the first ten, newest first, and says what was asked', async () => {
    const { tenant, draft, active, archived } = await three();
    for (const body of [undefined, {}]) {
      const answer = await tenant.post(PATH, body);
      expect(answer.body.pagination).toEqual({ page: 0, limit: 10, total: 3, nextCursor: null });
      expect(answer.body.query).toEqual({ query: null, sortBy: null, search: null });
      expect(answer.body.data.map(({ id }: { id: string }) => id)).toEqual([archived, active, draft]);
      for (const found of answer.body.data)
        expect(found).toEqual((await tenant.get(`/v3/automations/${found.id}`)).body.data);
    }
    const asked = { query: 'ne(status,"draft")', sortBy: 'asc(name)', search: 'A' };
    const answer = await tenant.post(PATH, { ...asked, pagination: { page: 1, limit: 1 } });
    expect(answer.body.query).toEqual(asked);
    expect(answer.body.pagination).toMatchObject({ page: 1, limit: 1, total: 2 });
    expect(answer.body.data).toMatchObject([{ id: active }]);
  });

  it('filters and sorts by each of the eleven fields', async () => {
    const { tenant, channel, draft, active, archived } = await three();
    const record = (await tenant.get(`/v3/automations/${active}`)).body.data;
    const filters: [string, string[]][] = [
      [`eq(id,"${draft}")`, [draft]],
      [`le(createdAt,"${record.createdAt}")`, [active, draft]],
      [`gt(updatedAt,"${record.updatedAt}")`, [archived]],
      ['startsWith(name,"al")', [draft]],
      ['in(status,"active","archived")', [archived, active]],
      [`eq(activeVersionId,"${record.activeVersionId}")`, [active]],
      ['isNull(activeVersionId)', [draft]],
      ['eq(activeVersionTriggerType,"api")', [active]],
      [`eq(activeVersionTriggerParametersChannelId,"${channel.id}")`, [archived]],
      ['eq(latestVersionTriggerType,"chat_opened")', [archived, active, draft]],
      [`eq(latestVersionTriggerParametersChannelId,"${channel.id}")`, [archived, active, draft]],
      [`eq(latestVersionId,"${record.latestVersionId}")`, [active]],
    ];
    for (const [query, expected] of filters)
      expect([query, await idsOf(tenant, { query })]).toEqual([query, expected]);
    const names = Object.keys(automationFields.fields);
    expect(names).toHaveLength(11);
    for (const name of names) {
      const up = await idsOf(tenant, { sortBy: `asc(${name})` });
      expect([name, (await idsOf(tenant, { sortBy: `desc(${name})` })).reverse()]).toEqual([name, up]);
      expect(up).toHaveLength(3);
      // A cursor goes on where the page before ended, whatever the order.
      const page = await tenant.post(PATH, { sortBy: `asc(${name})`, pagination: { limit: 2 } });
      const cursor = page.body.pagination.nextCursor;
      expect([name, await idsOf(tenant, { sortBy: `asc(${name})`, pagination: { cursor } })]).toEqual([
        name,
        up.slice(2),
      ]);
    }
    expect(await idsOf(tenant, { sortBy: 'asc(name)' })).toEqual([draft, archived, active]);
  });

  it('searches a part of the name, whatever the case, or an exact id', async () => {
    const { tenant, draft, active, archived } = await three();
    expect(await idsOf(tenant, { search: 'ALPH' })).toEqual([draft]);
    expect(await idsOf(tenant, { search: 'm' })).toEqual([archived]);
    expect(await idsOf(tenant, { search: '0%' })).toEqual([active]);
    expect(await idsOf(tenant, { search: active })).toEqual([active]);
    expect(await idsOf(tenant, { search: active.slice(0, 20) })).toEqual([]);
    expect(await idsOf(tenant, { search: ' ' })).toHaveLength(3);
  });

  it('V1: refuses what it does not know, with the column and the nearest name', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post(PATH, {
      query: 'eq(satus,"active")',
      sortBy: 'asc(nane)',
      pagination: { limit: 101, page: -1 },
    });
    expect(Object.keys(body.error.invalidParams).sort()).toEqual(['pagination.limit', 'pagination.page']);
    const words = (await tenant.post(PATH, { query: 'eq(satus,"active")', sortBy: 'asc(nane)' })).body.error;
    expect(words.invalidParams).toEqual({
      query: { key: 'invalid_string', message: 'Unknown field "satus" at column 4; did you mean "status"?' },
      sortBy: { key: 'invalid_string', message: 'Unknown field "nane" at column 5; did you mean "name"?' },
    });
    const { invalidParams } = (await tenant.post(PATH, { query: 'eq(status,"gone")' })).body.error;
    expect(invalidParams.query.message).toContain('"draft", "active", "inactive", "archived"');
  });
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
const lookedAt = (node: Plan): number =>
  node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
const readOf = (nodes: Plan[], table: string): number =>
  nodes
    .filter((node) => node['Relation Name'] === table)
    .reduce((sum, node) => sum + lookedAt(node) * node['Actual Loops'], 0);

describe('ten thousand automations with a hundred thousand runs', () => {
  const COUNT = 10_000;
  let tenant: TestTenant;
  let someId: string;

  beforeAll(async () => {
    tenant = await server.tenant();
    // Not as the server connects: a slow machine takes longer for these statements than a server may.
    const db = await usePgClient(server.databaseUrl);
    const definition = JSON.stringify({
      trigger: { type: 'api', parameters: {} },
      variables: [],
      steps: [{ id: 'a', type: 'send_message', parameters: { text: 'x'.repeat(3000) } }],
    });
    // A few first: with statistics of them, references are checked by the primary key and not by reading all that the tenant has.
    for (const [from, to] of [
      [1, 100],
      [101, COUNT],
    ]) {
      await db.query(
        `with made as (
           select gen_random_uuid() as id, gen_random_uuid() as version, n from generate_series($2::int, $3::int) n),
         versions as (
           insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
           select version, $1, id, 1, $4::jsonb, now() from made)
         insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, active_version_id,
                                  active_trigger_type, created_at, updated_at)
         select id, $1, 'Automation ' || n, (array['active', 'inactive'])[1 + n % 2], version, trigger, version, trigger,
                now() + n * interval '1 second', now() + n * interval '1 second'
           from made, lateral (select (array['api', 'chat_opened', 'message_received'])[1 + n % 3] as trigger) chosen`,
        [tenant.id, from, to, definition],
      );
      await db.query('analyze automations, automation_versions');
    }
    const { rows: contacts } = await db.query(
      `insert into contacts (id, tenant_id, is_subscribed, metadata, created_at, updated_at)
       values (gen_random_uuid(), $1, true, '{}', now(), now()) returning id`,
      [tenant.id],
    );
    await db.query(
      `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, state, scheduled_at,
                                    shard, created_at, updated_at)
       select gen_random_uuid(), $1, a.id, a.latest_version_id, $2, 'completed', '{"variables":{}}', now(), 0,
              a.created_at + round * interval '1 ms', now()
         from generate_series(1, 10) round, automations a where a.tenant_id = $1`,
      [tenant.id, contacts[0]?.id],
    );
    await db.query('analyze automations, automation_versions, automation_runs');
    const { rows } = await db.query('select id from automations where tenant_id = $1 limit 1', [tenant.id]);
    someId = String(rows[0]?.id);
  }, 600_000);

  /** The plans of the statements that a search runs. */
  async function plansOf(searchable: Searchable, source: SearchSource, body: SearchBody): Promise<Plan[][]> {
    const plans: Plan[][] = [];
    const { db } = server.system;
    const explaining = {
      async query(text: string, values: unknown[]) {
        const { rows } = await db.query(`explain (analyze, format json) ${text}`, values);
        plans.push(nodesOf((rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'][0].Plan));
        return db.query(text, values);
      },
    };
    await runSearch(
      explaining,
      searchable,
      source,
      tenant.id,
      parseSearchRequest(body, searchable, new Date()),
    );
    return plans;
  }

  it.each([
    ['newest first', {}, 'automations_shown'],
    ['by name', { sortBy: 'asc(name)' }, 'automations_by_name'],
    ['by name, backwards', { sortBy: 'desc(name)' }, 'automations_by_name'],
  ])('a page %s reads what it shows and no more', async (_, body, index) => {
    const [page = [], count = []] = await plansOf(automationFields, automationSource, body);
    expect(page.filter((node) => node['Node Type'].includes('Sort'))).toEqual([]);
    expect(page.some((node) => node['Index Name'] === index)).toBe(true);
    expect(readOf(page, 'automations')).toBeLessThanOrEqual(11);
    expect(readOf(page, 'automation_versions')).toBeLessThanOrEqual(22);
    expect(readOf(count, 'automation_versions')).toBe(0);
  });

  it('a page in the order of creation is one statement, which counts in the index alone', async () => {
    const client = await usePgClient(server.databaseUrl);
    await client.query(sessionSettings());
    for (const offset of [0, 200]) {
      const end = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;
      const values = `11, ${offset}, ${end}, true, '${tenant.id}'`;
      const nodes = await explainDeclared(client, 'automations.page', values);
      const scans = nodes.filter((node) => node['Relation Name'] === 'automations');
      expect(scans.map((node) => node['Node Type'])).toEqual(['Index Only Scan', 'Index Scan']);
      expect(scans.map(countReadRows)).toEqual([COUNT, 11 + offset]);
      expect(readOf(nodes, 'automation_versions')).toBe(22);
    }
  });

  it.each([
    ['a part of the name', { search: '777' }, 19],
    ['a part of the name, as a filter', { query: 'contains(name,"TION 777")' }, 11],
    ['a name', { query: 'eq(name,"Automation 4711")' }, 1],
    [
      'a status and a trigger',
      { query: 'and(eq(status,"active"),eq(latestVersionTriggerType,"api"))' },
      1666,
    ],
    ['a status', { query: 'eq(status,"inactive")' }, 5000],
    ['a trigger', { query: 'eq(latestVersionTriggerType,"api")' }, 3333],
    ['an active trigger and a word', { query: 'eq(activeVersionTriggerType,"api")', search: '777' }, 8],
    ['a channel', { query: `eq(activeVersionTriggerParametersChannelId,"${randomUUID()}")` }, 0],
  ])('a search by %s reads what matches and no more', async (_, body, matching) => {
    expect((await tenant.post(PATH, body)).body.pagination.total).toBe(matching);
    for (const plan of await plansOf(automationFields, automationSource, body))
      expect(readOf(plan, 'automations')).toBeLessThanOrEqual(matching);
  });

  it('a filter, a word or another order reads no definition that is not shown', async () => {
    for (const body of [
      { query: 'eq(status,"active")', sortBy: 'asc(updatedAt)' },
      { search: 'automation 99' },
      { sortBy: 'asc(activeVersionTriggerType)' },
    ])
      for (const plan of await plansOf(automationFields, automationSource, body))
        expect(readOf(plan, 'automation_versions')).toBeLessThanOrEqual(22);
  });

  it('the total is exact', async () => {
    const answer = await tenant.post(PATH, { query: 'eq(status,"active")', pagination: { limit: 1 } });
    expect(answer.body.pagination).toMatchObject({ total: COUNT / 2 });
    expect(answer.body.pagination.totalIsCapped).toBeUndefined();
    expect((await tenant.post(PATH, {})).body.pagination.total).toBe(COUNT);
  });

  it('runs are found without reading those of others, and their total is exact up to 10,000', async () => {
    const [newest = []] = await plansOf(runFields, runSource, {});
    expect(newest.filter((node) => node['Node Type'].includes('Sort'))).toEqual([]);
    expect(readOf(newest, 'automation_runs')).toBeLessThanOrEqual(11);
    const query = `eq(automationId,"${someId}")`;
    const [ofOne = []] = await plansOf(runFields, runSource, { query });
    expect(readOf(ofOne, 'automation_runs')).toBeLessThanOrEqual(11);
    const all = await tenant.post('/v3/automation_runs/search', {});
    expect(all.body.pagination).toMatchObject({ total: 10_000, totalIsCapped: true });
    const some = await tenant.post('/v3/automation_runs/search', { query });
    expect(some.body.pagination).toEqual({ page: 0, limit: 10, total: 10, nextCursor: null });
  });
});
