import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/events/event.ts';
import { newId } from '../../src/base/ids.ts';
import { clientConfig } from '../../src/db/database.ts';
import { declaredStatements } from '../../src/db/statement.ts';
import { freshDatabase } from '../kit/server.ts';

/** As the connections of the API are set up, with the plans that prepared statements end up with. */
const client = new pg.Client(
  clientConfig({
    connection: { connectionString: await freshDatabase() },
    applicationName: 'test',
    poolSize: 1,
    readers: 0,
  }),
);
await client.connect();
afterAll(() => client.end());

const big = newId();
const EVENTS = 20_000;
const LIMIT = 200;

beforeAll(async () => {
  const tenants = [big, ...Array.from({ length: 20 }, newId)];
  const ids = Array.from({ length: EVENTS }, newId);
  await client.query(
    `insert into events (id, tenant_id, shard, type, data, sequence, created_at)
     select e.id, case when e.number % 2 = 0 then $2::uuid else ($3::uuid[])[e.number % 20 + 1] end, 0, 'chat.read', '{}',
            e.number, now() from unnest($1::uuid[]) with ordinality as e (id, number)`,
    [ids, big, tenants],
  );
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe.each([
  ['as a new installation knows its tables', ''],
  ['as a grown one knows them', 'analyze'],
])('going on in a long row of events, %s', (_name, before) => {
  beforeAll(async () => {
    if (before) await client.query(before);
  });

  it.each([0, EVENTS / 2, EVENTS - 10])('after %d reads what it takes and no more', async (last) => {
    const text = declaredStatements().find((one) => one.name === 'events.after')?.text;
    await client.query(`prepare plan as ${text}`);
    const { rows } = await client.query(
      `explain (analyze, format json) execute plan ('${big}', ${last}, ${LIMIT})`,
    );
    await client.query('deallocate plan');
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const looks = nodes.filter((node) => node['Relation Name']?.startsWith('events'));
    for (const look of looks) expect(look['Index Name']).toMatch(/tenant_id_sequence/);
    const read = looks.reduce((sum, look) => sum + look['Actual Rows'] * look['Actual Loops'], 0);
    expect(read).toBeLessThanOrEqual(LIMIT + looks.length);
  });
});
