import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine, unescapeCell } from '../../../src/http/csv.ts';
import { type CsvRecord, readRecord } from '../../../src/imports/csv/record.ts';

const writeAndRead = (text: string): string => {
  const { cells } = readRecord(csvLine([text]), 0, ',', true) as CsvRecord;
  return unescapeCell(cells[0] as string);
};

it.each([
  '=1+1',
  '10;-5',
  '＝cmd',
  ' "@x',
  "'=1",
  "rock 'n' roll",
  "''",
  '\ttab',
  'a\n-b',
  '+491701234567',
])('%j is the same after an export and an import', (text) => {
  expect(writeAndRead(text)).toBe(text);
});

it('every text is the same after an export and an import, and begins no formula in the file', () => {
  const signs = fc.constantFrom(
    '=',
    '+',
    '-',
    '@',
    "'",
    '"',
    ';',
    '\t',
    '\n',
    '\r',
    ' ',
    ',',
    'a',
    '1',
    '＝',
  );
  fc.assert(
    fc.property(
      fc.string({ unit: fc.oneof(signs, fc.string({ unit: 'grapheme', maxLength: 1 })) }),
      (text) => {
        expect(writeAndRead(text)).toBe(text);
      },
    ),
  );
});
