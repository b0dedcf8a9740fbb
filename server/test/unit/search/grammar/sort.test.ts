import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSort } from '../../../../src/search/grammar/sort.ts';
import { ExpressionError } from '../../../../src/search/grammar/tokens.ts';
import { printSort } from '../../../kit/print-search.ts';
import { items, sort } from '../../../kit/search-samples.ts';

function catchError(text: string): ExpressionError {
  try {
    parseSort(text, items);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error('The order was accepted.');
}

describe('parseSort', () => {
  it('parses the fields from left to right', () => {
    expect(parseSort(' asc(name) , desc(createdAt)', items)).toEqual([
      { direction: 'asc', field: 'name', type: 'string' },
      { direction: 'desc', field: 'createdAt', type: 'time' },
    ]);
  });

  it.each([
    ['name', 'Expected asc(field) or desc(field) at column 1, found "name"'],
    ['asc(nam)', 'Unknown field "nam" at column 5; did you mean "name"?'],
    ['asc(name) desc(code)', 'Expected "," or end of input at column 11, found "desc"'],
    ['asc(name),', 'Expected asc(field) or desc(field) at column 11, found end of input'],
    ['asc(name', 'Expected ")" at column 9, found end of input'],
    ['asc(labelIds)', 'Cannot sort by "labelIds" at column 5'],
    ['asc(name),desc(name)', 'Duplicate sort field "name" at column 16'],
    ['asc(name); drop table contacts', 'Unexpected ";" at column 10'],
    [Array.from({ length: 9 }, (_, n) => `asc(attributes.x${n})`).join(), 'More than 8 fields at column 153'],
  ])('rejects %s', (text, message) => {
    expect(catchError(text).message).toBe(message);
  });

  it('parses a printed order to the same order', () => {
    const roundTrip = fc.property(sort, (original) => {
      expect(parseSort(printSort(original), items)).toEqual(original);
    });
    fc.assert(roundTrip);
  });
});
