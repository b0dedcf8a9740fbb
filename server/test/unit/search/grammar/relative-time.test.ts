import { describe, expect, it } from 'vitest';
import type { Searchable } from '../../../../src/search/fields.ts';
import { parseFilter } from '../../../../src/search/grammar/filter.ts';

const fields: Searchable = {
  fields: {
    at: { type: 'time', sql: 'a.at' },
    body: { type: 'any', sql: 'null' },
    name: { type: 'string', sql: 'a.name' },
  },
  names: [],
  id: 'a.id',
};
/** In Berlin it is already the 30th of March 2026, the day after the clocks were changed. */
const NOW = new Date('2026-03-29T22:30:00.500Z');
const parse = (text: string) => parseFilter(text, fields, NOW);
const timeOf = (value: string): unknown => (parse(`ge(at,${value})`) as { value?: unknown }).value;

describe('a time that is relative to the evaluation', () => {
  it.each([
    ['now()', '2026-03-29T22:30:00.500Z'],
    ['now("P1D")', '2026-03-30T22:30:00.500Z'],
    ['now("-P7D")', '2026-03-22T22:30:00.500Z'],
    ['now("-PT1H30M")', '2026-03-29T21:00:00.500Z'],
    ['now( "P1M" )', '2026-04-29T22:30:00.500Z'],
    ['today()', '2026-03-29T00:00:00.000Z'],
    ['today("Europe/Berlin")', '2026-03-29T22:00:00.000Z'],
    ['today("Europe/Berlin","P1D")', '2026-03-30T22:00:00.000Z'],
    // The day before had 23 hours.
    ['today("Europe/Berlin","-P1D")', '2026-03-28T23:00:00.000Z'],
    ['today("America/New_York","PT9H")', '2026-03-29T13:00:00.000Z'],
  ])('%s is %s', (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });

  it('is a value in lists and of fields whose type is not known', () => {
    expect(parse('in(at,now(),"2026-01-01")')).toMatchObject({
      values: [NOW.toISOString(), '2026-01-01T00:00:00.000Z'],
    });
    expect(parse('lt(body,now())')).toMatchObject({ value: NOW.toISOString() });
  });

  it.each([
    ['ge(at,now("soon"))', 'Not an ISO 8601 duration at column 11, such as "P1D" or "-PT2H"'],
    ['ge(at,now("P"))', 'Not an ISO 8601 duration at column 11'],
    ['ge(at,today("Berlin"))', 'Not a time zone at column 13, such as "Europe/Berlin"'],
    ['ge(at,today("Europe/Berlin","x"))', 'Not an ISO 8601 duration at column 29'],
    ['ge(at,now("P1D","P1D"))', 'now has at most 1 values, found another at column 17'],
    ['ge(at,now(5))', 'Expected text in quotes at column 11, found the number 5'],
    ['ge(at,now("P9000Y"))', 'Time out of range at column 11'],
    ['ge(at,now("P99999999999999999999Y"))', 'Time out of range at column 11'],
    ['ge(at,now)', 'Expected "(" at column 10, found ")"'],
    ['eq(name,now())', 'Expected text in quotes for "name" at column 9'],
  ])('%s is refused with its column', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
