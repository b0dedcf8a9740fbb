import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { detectEncoding, type Encoding } from '../../../src/imports/csv/encoding.ts';
import { examineFile } from '../../../src/imports/csv/examine.ts';
import { CsvError, type CsvRow, readRows } from '../../../src/imports/csv/read-file.ts';
import { useTempFolder } from '../../kit/temp-folder.ts';

let path: string;
beforeEach(async () => {
  path = join(await useTempFolder(), 'table.csv');
});

function encode(text: string, encoding: Encoding): Buffer {
  const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

async function readAll(format: { encoding: Encoding; delimiter: string }, from = { offset: 0, row: 0 }) {
  const all: CsvRow[] = [];
  for await (const rows of readRows(path, format, from)) all.push(...rows);
  return all;
}

describe('a file', () => {
  it.each([
    'utf-8',
    'utf-16le',
    'utf-16be',
  ] as const)('in %s can be read on from behind every row', async (encoding) => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 20 });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const quoted = rows.map((cells) =>
          cells.map((one) => `"${one.toWellFormed().replaceAll('"', '""')}"`).join(','),
        );
        await writeFile(path, encode(`${quoted.join('\r\n')}\r\n`, encoding));
        const format = { encoding, delimiter: ',' };
        const all = await readAll(format);
        expect(all.map(({ cells }) => cells)).toEqual(
          rows.map((cells) => cells.map((one) => one.toWellFormed())),
        );
        for (const [index, { offset, row }] of all.entries())
          expect(await readAll(format, { offset, row })).toEqual(
            all.slice(index + 1).map((one) => expect.objectContaining({ cells: one.cells, row: one.row })),
          );
      }),
      { numRuns: 20 },
    );
  });

  it('is read in parts, also where a row, a character or a quote lies across two of them', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => [
      `ä${index}`,
      `"€😀,${'x'.repeat(index % 400)}`,
    ]);
    const text = rows
      .map((cells) => cells.map((one) => `"${one.replaceAll('"', '""')}"`).join(','))
      .join('\n');
    await writeFile(path, text);
    expect((await readAll({ encoding: 'utf-8', delimiter: ',' })).map(({ cells }) => cells)).toEqual(rows);
  });

  it.each([
    ['a row of 10 MB', `a,b\n${'x'.repeat(10 * 1024 * 1024)}\n`, 'Row 2 is longer'],
    [
      'a quote that is never closed',
      `a,b\n1,2\n"x${',y\n'.repeat(1_000_000)}`,
      'quote in row 3 is never closed',
    ],
    ['a quote that is never closed at the end', 'a,b\n1,"2\n', 'quote in row 2 is never closed'],
  ])('with %s is refused', async (_name, text, message) => {
    await writeFile(path, text);
    const reading = readAll({ encoding: 'utf-8', delimiter: ',' });
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(CsvError);
  });

  it('that is not UTF-8 is refused where it is said to be', async () => {
    await writeFile(path, Buffer.concat([Buffer.alloc(300_000, 'a,b\n'), Buffer.from([0xe4, 0x0a])]));
    await expect(readAll({ encoding: 'utf-8', delimiter: ',' })).rejects.toThrow('not valid UTF-8');
  });
});

describe('the beginning of a file', () => {
  it.each([
    ['plain', Buffer.from('name,phone\nAda,1\n'), 'utf-8', ',', 11],
    ['with a mark', Buffer.from('\ufeffname;phone\nAda;1\n'), 'utf-8', ';', 14],
    ['of Excel', Buffer.from('\ufeffname\tphone\r\nAda\t1\r\n', 'utf16le'), 'utf-16le', '\t', 26],
    [
      'in the other order of bytes',
      Buffer.from('\ufeffname;phone\nAda;1\n', 'utf16le').swap16(),
      'utf-16be',
      ';',
      24,
    ],
    ['in UTF-16 without a mark', Buffer.from('name;phone\nAda;1\n', 'utf16le'), 'utf-16le', ';', 22],
    ['of Windows', Buffer.from('name;phone\nJ\xf6rg;1\n', 'latin1'), 'windows-1252', ';', 11],
    ['that names its separator', Buffer.from('sep=|\r\nname|phone\nAda|1,2;3\n'), 'utf-8', '|', 18],
    ['with commas in cells', Buffer.from('name;phone\n"Lovelace, Ada, Countess";1\n'), 'utf-8', ';', 11],
  ])('%s shows how it is written', async (_name, bytes, encoding, delimiter, offset) => {
    await writeFile(path, bytes);
    expect(await examineFile(path)).toMatchObject({
      encoding,
      delimiter,
      header: ['name', 'phone'],
      start: { offset, row: 1 },
    });
  });

  it.each([
    ['blank', '\n\n'],
    ['binary', Buffer.from([1, 0, 0, 0, 2, 0, 3, 4, 0])],
    ['one with a long name', `${'n'.repeat(201)},phone\nAda,1\n`],
    ['one that opens a quote', '"name,phone\nAda,1\n'],
  ])('%s is refused', async (_name, content) => {
    await writeFile(path, content);
    await expect(examineFile(path)).rejects.toThrow(CsvError);
  });

  it('may end within a character', () => {
    const bytes = Buffer.from('name,€');
    for (let length = 5; length <= bytes.length; length += 1)
      expect(detectEncoding(bytes.subarray(0, length))).toBe('utf-8');
  });
});
