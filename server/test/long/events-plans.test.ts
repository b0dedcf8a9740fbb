import { beforeAll, describe, expect, it } from 'vitest';
import '../../src/events/event.ts';
import { newId } from '../../src/base/ids.ts';
import { connectToFreshDatabase, explainDeclared, sumReturnedRows } from '../kit/explain.ts';

const client = await connectToFreshDatabase();

const bigTenant = newId();
const EVENTS = 20_000;
const LIMIT = 200;

beforeAll(async () => {
  const tenants = [bigTenant, ...Array.from({ length: 20 }, newId)];
  const ids = Array.from({ length: EVENTS }, newId);
  await client.query(
    `insert into events (id, tenant_id, shard, type, data, sequence, created_at)
     select e.id, case when e.number % 2 = 0 then $2::uuid else ($3::uuid[])[e.number % 20 + 1] end, 0, 'chat.read', '{}',
            e.number, now() from unnest($1::uuid[]) with ordinality as e (id, number)`,
    [ids, bigTenant, tenants],
  );
});

describe.each([
  ['without statistics', ''],
  ['with statistics', 'analyze'],
])('reading on in many events, %s', (_name, analyze) => {
  beforeAll(async () => {
    if (analyze) await client.query(analyze);
  });

  it.each([
    0,
    EVENTS / 2,
    EVENTS - 10,
  ])('after event %d reads only the events that it returns', async (last) => {
    const nodes = await explainDeclared(client, 'events.after', `${last}, ${LIMIT}, '${bigTenant}'`);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const scans = nodes.filter((node) => node['Relation Name']?.startsWith('events'));
    for (const scan of scans) expect(scan['Index Name']).toMatch(/tenant_id_sequence/);
    expect(sumReturnedRows(scans)).toBeLessThanOrEqual(LIMIT + scans.length);
  });
});
