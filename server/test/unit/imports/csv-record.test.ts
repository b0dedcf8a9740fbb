import { expect, it } from 'vitest';
import { isIncomplete, readRecord } from '../../../src/imports/csv/record.ts';

const read = (text: string, delimiter = ',', isLast = true) => readRecord(text, 0, delimiter, isLast);

it.each([
  ['a,b,c\nnext', ',', ['a', 'b', 'c'], 6],
  ['a;b;\r\nnext', ';', ['a', 'b', ''], 6],
  ['a\tb\rnext', '\t', ['a', 'b'], 4],
  ['"a,b","say ""hi""",\n', ',', ['a,b', 'say "hi"', ''], 20],
  ['"two\r\nlines",x', ',', ['two\r\nlines', 'x'], 14],
  ['', ',', [''], 0],
  [',', ',', ['', ''], 1],
  ['""', ',', [''], 2],
  ['a"b,c', ',', ['a"b', 'c'], 5],
])('reads %j separated by %j', (text, delimiter, cells, end) => {
  expect(read(text, delimiter)).toEqual({ cells, end });
});

it.each([
  ['a,b', false],
  ['a,', false],
  ['a\r', false],
  ['"a', true],
  ['"a""', true],
  ['"a"', true],
  ['x,"a\nb', true],
])('waits for more text after %j', (text, isInQuotes) => {
  expect(read(text, ',', false)).toEqual({ isInQuotes });
});

it('says at the end of the text that a quote is not closed', () => {
  expect(read('a,"b\nc,d\n')).toEqual({ isInQuotes: true });
});

it('does not trust a row in which text follows a quoted cell, and continues behind its line', () => {
  const record = read('"Smith, Ada\nGrace,"Hopper",x\nlast');
  expect(isIncomplete(record)).toBe(false);
  expect(record).toMatchObject({ problem: expect.stringContaining('quote'), end: 29 });
});

it('keeps 500 cells and refuses a row with more', () => {
  expect(read(','.repeat(499))).toMatchObject({ cells: Array(500).fill('') });
  expect(read(','.repeat(100_000))).toMatchObject({ problem: 'Has more than 500 cells' });
});
