import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedSegments, parseFilter, parseRowFilter } from '../../../../src/search/grammar/filter.ts';
import { ExpressionError } from '../../../../src/search/grammar/tokens.ts';
import { printFilter } from '../../../kit/print-search.ts';
import { filter, items } from '../../../kit/search-samples.ts';

const now = new Date();
const idOf = (n: number): string => `0197a5c0-0000-7000-8000-${String(n).padStart(12, '0')}`;
const segment = (n: number): string => `segment("${idOf(n)}")`;
const parse = (text: string, filters: readonly string[] = []) =>
  parseFilter(text, { ...items, segmentFilter: (id) => filters.find((_, index) => idOf(index) === id) }, now);
function messageOf(text: string, filters: readonly string[] = []): string {
  try {
    parse(text, filters);
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
  throw new Error('The filter was accepted.');
}

describe('segment("<id>")', () => {
  it('is the filter of the segment, wherever it stands', () => {
    fc.assert(
      fc.property(filter, (one) => {
        const text = printFilter(one);
        const filters = [text, segment(0)];
        const meant = parse(text);
        expect(parse(segment(0), filters)).toEqual(meant);
        expect(parse(` segment ( "${idOf(1).toUpperCase()}" ) `, filters)).toEqual(meant);
        expect(parse(`and(not(${segment(1)}),or(isNull(name),${segment(0)}))`, filters)).toEqual({
          op: 'and',
          conditions: [
            { op: 'not', condition: meant },
            { op: 'or', conditions: [{ op: 'isNull', field: 'name', type: 'string' }, meant] },
          ],
        });
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    [segment(7), [], `There is no segment "${idOf(7)}" at column 9`],
    ['segment("x")', [], 'There is no segment "x" at column 9'],
    ['segment(name)', [], 'Expected the id of a segment in quotes at column 9, found "name"'],
    [`not(segment("${idOf(0)}","x"))`, ['isNull(name)'], 'Expected ")" at column 51, found ","'],
    [segment(0), ['isNull(nam)'], `In segment "${idOf(0)}": Unknown field "nam" at column 8`],
    [segment(0), [`not(${segment(0)})`], 'A segment must not contain itself at column 13'],
    [segment(0), [segment(1), segment(0)], 'A segment must not contain itself at column 9'],
    [`and(${Array(21).fill(segment(0)).join()})`, ['isNull(name)'], 'More than 20 segments'],
    ['segmnt("x")', [], 'did you mean "segment"'],
  ])('refuses %s', (text, filters, message) => {
    expect(messageOf(text, filters)).toContain(message);
  });

  it('takes no longer for segments that contain each other many times', () => {
    const twice = (n: number): string => `and(${segment(n)},${segment(n)})`;
    const filters = ['isNull(name)', ...Array.from({ length: 8 }, (_, n) => twice(n))];
    expect(messageOf(segment(8), filters)).toContain('More than 20 segments');
    const deep = ['isNull(name)', ...Array.from({ length: 25 }, (_, n) => segment(n))];
    expect(messageOf(segment(25), deep)).toMatch(/More than 20 (levels|segments)/);
  });

  it('counts the conditions on texts of all segments', () => {
    const texts = `or(${Array(11).fill('contains(name,"a")').join()})`;
    const searchable = { ...items, segmentFilter: () => texts };
    expect(() => parseRowFilter(`and(${segment(0)},${segment(1)})`, searchable, now)).toThrow(
      'More than 20 conditions',
    );
  });

  it('is refused where other things than contacts are filtered', () => {
    expect(() => parseFilter(segment(0), items, now)).toThrow('segment() is only for filters of contacts');
  });

  it('is found in a text before it is parsed', () => {
    expect(namedSegments(`and(segment( "A"), not(segment("b")),eq(name,"x"))`)).toEqual(['a', 'b']);
    expect(namedSegments('eq(name,"segment")')).toEqual([]);
  });
});
