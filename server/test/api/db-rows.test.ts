import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ParameterOf, type RowOf, rowSet } from '../../src/db/rows.ts';
import { systemStatement } from '../../src/db/statement.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const db = useDatabase(await freshDatabase(), { poolSize: 1 });

const everyType = rowSet({
  id: 'uuid?',
  label: 'text?',
  is_new: 'boolean?',
  small: 'smallint?',
  whole: 'int?',
  large: 'bigint?',
  real: 'float8?',
  at: 'timestamptz?',
  bytes: 'bytea?',
  extra: 'jsonb?',
  ids: 'uuid[]?',
  labels: 'text[]?',
});
type EveryType = RowOf<typeof everyType>;
const read = systemStatement<[given: ParameterOf<typeof everyType>], { row: Record<string, unknown> }>(
  'test.rows_every_type',
  `select to_jsonb(g) as row from ${everyType.fromNumbered(1, 'g')} order by g.number`,
);
const readOne = systemStatement<unknown[], { row: Record<string, unknown> }>(
  'test.row_every_type',
  `select to_jsonb(g) as row from ${everyType.fromOne(1, 'g')}`,
);
const nothing: EveryType = {
  id: null,
  label: null,
  is_new: null,
  small: null,
  whole: null,
  large: null,
  real: null,
  at: null,
  bytes: null,
  extra: null,
  ids: null,
  labels: null,
};
const got = async (given: Partial<EveryType>[]) =>
  db.all(read, [everyType.encode(given.map((row) => ({ ...nothing, ...row })))]);

describe('rows', () => {
  it('arrive with every type, in order, and nulls as nulls', async () => {
    const id = '01a1e885-1c00-7000-8000-000000000001';
    const found = await got([
      {
        id,
        label: 'a',
        is_new: false,
        small: -1,
        whole: 2,
        large: 2 ** 53 - 1,
        real: 0.1,
        bytes: Buffer.from([0, 255]),
        extra: { a: [1, null] },
        ids: [id],
        labels: ['x', ''],
      },
      {},
      { label: '' },
    ]);
    expect(found.map(({ row }) => row)).toEqual([
      {
        id,
        label: 'a',
        is_new: false,
        small: -1,
        whole: 2,
        large: 2 ** 53 - 1,
        real: 0.1,
        at: null,
        bytes: '\\x00ff',
        extra: { a: [1, null] },
        ids: [id],
        labels: ['x', ''],
        number: 1,
      },
      { ...nothing, number: 2 },
      { ...nothing, label: '', number: 3 },
    ]);
    expect(await got([])).toEqual([]);
  });

  it('arrive as one row without JSON as they do with it', async () => {
    const id = '01a1e885-1c00-7000-8000-000000000001';
    const rows: EveryType[] = [
      nothing,
      {
        id,
        label: 'half \ud800 "a" \\ \n',
        is_new: true,
        small: -1,
        whole: 2,
        large: 2 ** 53 - 1,
        real: 0.1,
        at: new Date('2026-11-15T01:02:03.456Z'),
        bytes: Buffer.from([0, 255]),
        extra: ['a', null, { b: 'c' }],
        ids: [id],
        labels: ['x', ''],
      },
      { ...nothing, at: 'infinity', extra: 'text', real: Number.POSITIVE_INFINITY },
    ];
    for (const row of rows) {
      const [asOne] = await db.all(readOne, everyType.encodeOne(row));
      const [asJson] = await got([row]);
      expect({ ...asOne?.row, number: 1 }).toEqual(asJson?.row);
    }
  });

  it('arrive with any text, and with a replacement for half a character', async () => {
    const piece = fc.constantFrom(
      '"',
      '\\',
      '\\u0041',
      '{',
      ',',
      '\n',
      '\u2028',
      'ä',
      '😀',
      'null',
      '\u007f',
      '\u0001',
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const property = fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (texts) => {
      const found = await got(texts.map((label) => ({ label })));
      expect(found.map(({ row }) => row.label)).toEqual(texts);
    });
    await fc.assert(property, { numRuns: 200 });
    expect((await got([{ label: 'a\ud83d' }]))[0]?.row.label).toBe('a\ufffd');
  });

  it('arrive with any JSON value', async () => {
    for (const extra of ['text', 7, true, [], {}, [[]], { a: { b: 'c' } }])
      expect((await got([{ extra }]))[0]?.row.extra).toEqual(extra);
  });

  it('arrive with any time, and with numbers that JSON does not have', async () => {
    const found = await got([
      { at: new Date('2026-11-15T01:02:03.456Z') },
      { at: new Date('0001-01-01T00:00:00Z') },
      { at: new Date('9999-12-31T23:59:59.999Z') },
      { at: new Date(Date.UTC(12_026, 10, 15)) },
      { at: new Date('0000-03-01T00:00:00Z') },
      { at: new Date('-000043-03-15T00:00:00Z') },
      { at: '-infinity' },
      { real: Number.NaN },
      { real: Number.NEGATIVE_INFINITY },
    ]);
    expect(found.map(({ row }) => row.at ?? row.real)).toEqual([
      '2026-11-15T01:02:03.456+00:00',
      '0001-01-01T00:00:00+00:00',
      '9999-12-31T23:59:59.999+00:00',
      '12026-11-15T00:00:00+00:00',
      '0001-03-01T00:00:00+00:00 BC',
      '0044-03-15T00:00:00+00:00 BC',
      '-infinity',
      'NaN',
      '-Infinity',
    ]);
  });
});
