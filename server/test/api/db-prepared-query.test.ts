import { describe, expect, it } from 'vitest';
import { runOn } from '../../src/db/prepared-query.ts';
import { connectToFreshDatabase } from '../kit/explain.ts';

const client = await connectToFreshDatabase();
await client.query(
  'create table things (id int primary key, note text, at timestamptz, bytes bytea, extra jsonb)',
);
let descriptions = 0;
(client as unknown as { connection: NodeJS.EventEmitter }).connection.on('rowDescription', () => {
  descriptions += 1;
});

const describedBy = async (work: () => Promise<unknown>): Promise<number> => {
  const before = descriptions;
  await work();
  return descriptions - before;
};
const read = (id: number) =>
  runOn(client, { name: 'read', text: 'select * from things where id >= $1 order by id', values: [id] });
const insert = (id: number, note: string | null) =>
  runOn(client, {
    name: 'insert',
    text: 'insert into things (id, note) values ($1, $2)',
    values: [id, note],
  });

describe('a prepared statement', () => {
  it('asks for its columns once, and returns the same rows ever after', async () => {
    const at = new Date('2026-11-15T01:02:03.456Z');
    await client.query('insert into things values (1, $1, $2, $3, $4)', [
      'ä😀',
      at,
      Buffer.from([0, 255]),
      { a: [null] },
    ]);
    await insert(2, null);
    const expected = [
      { id: 1, note: 'ä😀', at, bytes: Buffer.from([0, 255]), extra: { a: [null] } },
      { id: 2, note: null, at: null, bytes: null, extra: null },
    ];
    expect(await describedBy(async () => expect((await read(1)).rows).toEqual(expected))).toBe(1);
    expect(await describedBy(async () => expect((await read(1)).rows).toEqual(expected))).toBe(0);
    expect(await describedBy(async () => expect((await read(3)).rows).toEqual([]))).toBe(0);
  });

  it('without columns counts its rows', async () => {
    for (const id of [10, 11, 12]) expect(await insert(id, 'new')).toMatchObject({ rowCount: 1, rows: [] });
  });

  it('that has failed works the next time', async () => {
    await expect(insert(1, 'again')).rejects.toMatchObject({ code: '23505' });
    await expect(
      runOn(client, { name: 'divide', text: 'select 1 / $1::int as one', values: [0] }),
    ).rejects.toThrow('division');
    for (const _ of [1, 2])
      expect(
        (await runOn(client, { name: 'divide', text: 'select 1 / $1::int as one', values: [1] })).rows,
      ).toEqual([{ one: 1 }]);
    expect(await insert(20, 'new')).toMatchObject({ rowCount: 1 });
  });

  it('is refused by PostgreSQL when its columns have changed', async () => {
    await read(1);
    await client.query('alter table things add column more int');
    await expect(read(1)).rejects.toThrow('cached plan must not change result type');
  });

  it('has a stack that leads to the caller', async () => {
    async function callsTheDatabase() {
      await insert(1, 'again');
    }
    await expect(callsTheDatabase()).rejects.toMatchObject({
      stack: expect.stringContaining('callsTheDatabase'),
    });
  });
});
