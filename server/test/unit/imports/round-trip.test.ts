import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributeKind } from '../../../src/attributes/find-attributes.ts';
import { csvLine, joinList, splitList } from '../../../src/http/csv.ts';
import { type CsvRecord, readRecord } from '../../../src/imports/csv/record.ts';
import { attributesByField, readRow } from '../../../src/imports/read-row.ts';

/** `ROUND_TRIPS=300000` tries out more, in about a minute. */
const ROUND_TRIPS = Number(process.env.ROUND_TRIPS ?? 2_000);
const TIMEOUT_MS = 600_000;
const LABELS_PER_CONTACT = 50;

const attribute = (externalId: string): AttributeKind => ({
  id: externalId,
  external_id: externalId,
  type: 'text',
  options: [],
});
const FIELDS = ['phoneNumber', 'labels', 'attributes.one', 'attributes.two'];
const rules = {
  columns: FIELDS.map((field) => ({ name: field, field })),
  attributes: attributesByField([attribute('one'), attribute('two')]),
  defaultCountry: null,
};

/** What an import reads from the line that an export writes for a contact. */
function exportAndImport(labels: readonly string[], one: string, two: string) {
  const line = csvLine(['+15550001111', joinList(labels), one, two]);
  const record = readRecord(line, 0, ',', true) as CsvRecord;
  expect([record.problem, record.end]).toEqual([undefined, line.length]);
  return readRow({ ...record, row: 2, offset: line.length }, rules);
}
const readAs = (labels: readonly string[], one: string, two: string) => {
  const read = exportAndImport(labels, one, two);
  if (!('contact' in read)) return read;
  const storedOf = (id: string) => read.contact.attributes.get(id)?.value ?? '';
  return { labels: read.contact.labelNames, one: storedOf('one'), two: storedOf('two') };
};

const SIGNS = [
  ...[',', ';', '"', "'", '\t', '\n', '\r', ' ', '=', '+', '-', '@', '＝', '﹢', 'a', '1'],
  ...['\u00a0', '\ufeff', '\u200b', '\u202e', '\u2028', '\u0001', '\u0085', 'é', 'e\u0301', '👩🏽‍🚀', 'ß'],
  ...['""', "''", '",', '";', ', "', '="', '\r\n', '=1+1', '\\', '|', '`', '{{', '%', 'NULL'],
];
const hostile = (minLength: number, maxLength: number) =>
  fc
    .string({
      unit: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...SIGNS) },
        { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }) },
      ),
      minLength,
      maxLength,
    })
    .filter((text) => text.isWellFormed() && !text.includes('\0'));

describe('a contact that is exported and imported', () => {
  it(
    'has the same labels and attributes, whatever is in them',
    () => {
      fc.assert(
        fc.property(
          fc.array(hostile(1, 12), { maxLength: 6 }),
          hostile(0, 16),
          hostile(0, 16),
          (labels, one, two) => {
            // Blanks around a value of an attribute are removed.
            expect(readAs(labels, one, two)).toEqual({ labels, one: one.trim(), two: two.trim() });
          },
        ),
        { numRuns: ROUND_TRIPS },
      );
    },
    TIMEOUT_MS,
  );

  it.each([
    [['Smith, Ada', 'VIP']],
    [['a;b', 'say "hi"', '"', '""', ',', ';', "'"]],
    [['=1+1', '-', '+49', '@x', "'=1", '"=1']],
    [[' both ', '\ttab', 'two\nlines', 'two\r\nlines', '\u00a0', '\ufeff']],
    [Array.from({ length: LABELS_PER_CONTACT }, (_, index) => `"${index}",`.repeat(20))],
  ])('keeps the labels %j', (labels) => {
    expect(readAs(labels, " '\tx", '')).toEqual({ labels, one: "'\tx", two: '' });
  });
});

describe('a list in a cell', () => {
  it.each([
    ['VIP, Cold', ['VIP', 'Cold']],
    ['VIP;Cold ; ', ['VIP', 'Cold']],
    [',,VIP,;', ['VIP']],
    ['Rock "n" Roll, 12"', ['Rock "n" Roll', '12"']],
    ['"Best" customers, "open', ['"Best" customers', '"open']],
    ['"Smith, Ada" ; "say ""hi"""', ['Smith, Ada', 'say "hi"']],
    ['"", VIP', ['', 'VIP']],
    ['"', ['"']],
    ['', []],
  ])('%j is read as %j, as people and older exports write it', (text, items) => {
    expect(splitList(text)).toEqual(items);
  });

  it.each([
    ['quotes', '"'],
    ['pairs of quotes', '""'],
    ['items that begin with a quote', '"a,'],
    ['items that begin with two quotes', '""a,'],
    ['closed quotes with text behind them', '"a"b,'],
    ['an open quote before closed ones', '"a,""b,'],
    ['blanks', '" '],
  ])('is read in proportion to its length: %s', (_, part) => {
    const text = part.repeat(20_000 / part.length);
    let reads = 0;
    // Counts how often a character is read, instead of the time.
    const counted = new Proxy(Object(text), {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(text) : value;
      },
    });
    splitList(counted as string);
    expect(reads).toBeLessThan(10 * text.length);
  });
});
