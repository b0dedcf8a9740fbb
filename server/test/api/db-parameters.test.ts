import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeArrays } from '../../src/db/parameters.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const db = useDatabase(await freshDatabase(), { poolSize: 1 });

/** An array as PostgreSQL got it. JSON carries it back, so that no reader of arrays stands between. */
async function got(type: string, given: unknown[]): Promise<unknown> {
  const { rows } = await db.query(`select to_jsonb($1::${type}[]) as got`, [given]);
  return rows[0]?.got;
}

describe('an array', () => {
  it('of texts arrives as it is, whatever is in them', async () => {
    const tricky = [
      '',
      ' ',
      'null',
      'NULL',
      '{',
      '}',
      ',',
      '"',
      '\\',
      '\\"',
      '\\n',
      'a\nb',
      '\t',
      '\u0001',
      "'",
      '{"a":"\\\\"}',
    ];
    expect(await got('text', tricky)).toEqual(tricky);
    const piece = fc.constantFrom(
      '"',
      '\\',
      ',',
      '{',
      '}',
      ' ',
      '\n',
      '\u2028',
      'ä',
      '😀',
      'null',
      '\u007f',
      'n',
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const property = fc.asyncProperty(fc.array(fc.option(text), { maxLength: 8 }), async (given) => {
      expect(await got('text', given)).toEqual(given);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it('of numbers, booleans, times, bytes and arrays does too', async () => {
    expect(await got('float8', [1, -0.5, 1e21, 5e-324, null])).toEqual([1, -0.5, 1e21, 5e-324, null]);
    expect(await got('float8', [1, Number.POSITIVE_INFINITY, Number.NaN])).toEqual([1, 'Infinity', 'NaN']);
    expect(await got('boolean', [true, false, undefined])).toEqual([true, false, null]);
    const time = new Date('2026-11-15T01:02:03.456Z');
    expect(await got('timestamptz', [time, null])).toEqual(['2026-11-15T01:02:03.456+00:00', null]);
    const late = new Date(Date.UTC(12_026, 10, 15));
    expect(await got('timestamptz', [late])).toEqual(['12026-11-15T00:00:00+00:00']);
    const bytes = [Buffer.from('ab'), Buffer.alloc(0), Buffer.from([0, 255, 0x5c])];
    expect(await got('bytea', bytes)).toEqual(['\\x6162', '\\x', '\\x00ff5c']);
    expect(await got('bytea', [...bytes, null])).toEqual(['\\x6162', '\\x', '\\x00ff5c', null]);
    expect(
      await got('text', [
        ['a', '"'],
        ['b', null],
      ]),
    ).toEqual([
      ['a', '"'],
      ['b', null],
    ]);
    expect(await got('text', [])).toEqual([]);
  });

  it('is written by us where it is plain, and by pg where it is not', () => {
    expect(encodeArrays([['a', 'b"c', null, 1]])).toEqual(['{"a","b\\"c",null,1}']);
    for (const left of [['a\nb'], [Buffer.alloc(1), null], [['a']], [Number.NaN], [{}]])
      expect(encodeArrays([left])).toEqual([left]);
  });
});

it.each([
  '0001-01-01T00:00:00.000Z',
  '0004-02-29T12:30:00.500Z',
  '0099-12-31T23:59:59.999Z',
  '0100-03-01T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
])('the time %s comes back as it was', async (text) => {
  const { rows } = await db.query('select $1::timestamptz as got', [text]);
  expect(rows[0]?.got).toEqual(new Date(text));
});
