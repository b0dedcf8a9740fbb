import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine, unescapeCell } from '../../../src/http/csv.ts';
import { type CsvRecord, readRecord } from '../../../src/imports/csv/record.ts';

const written = (text: string): string =>
  (readRecord(csvLine([text]), 0, ',', true) as CsvRecord).cells[0] as string;
const writeAndRead = (text: string): string => unescapeCell(written(text));
/** What a spreadsheet makes of a part of a cell; a plain number is harmless. */
const beginsFormula = (part: string): boolean => /^\s*[=+\-@＝]/.test(part) && !/^[+-]?\d+$/.test(part);

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
  "'\n",
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
        expect(
          written(text)
            .split(/[;\t\r\n]/)
            .some(beginsFormula),
        ).toBe(false);
      },
    ),
  );
});
