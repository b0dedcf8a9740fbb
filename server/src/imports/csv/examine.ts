import { isAscii } from 'node:buffer';
import { open } from 'node:fs/promises';
import { storable } from '../../base/storable.ts';
import { byteLengthOf, detectEncoding, type Encoding, markLength } from './encoding.ts';
import { CsvError, type CsvFormat, type CsvPosition } from './read-file.ts';
import { type CsvRecord, isBlank, isIncomplete, readRecord } from './record.ts';

const HEAD_BYTES = 256 * 1024;
const EXAMINED_RECORDS = 50;
/** Names are part of every issue. */
const MAX_NAME_CHARACTERS = 200;
export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** `sep=;` in the first line, by which Excel knows the delimiter. */
const SEPARATOR_LINE = /^sep=(.)\r?\n/i;

/** What the beginning of a file shows. */
export interface ExaminedFile extends CsvFormat {
  /** The names of the columns. */
  header: string[];
  /** The first records below the header. */
  samples: string[][];
  /** The position of the first record below the header. */
  start: CsvPosition;
}

async function readHead(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function decodeHead(bytes: Buffer, encoding: Encoding, isLast: boolean): string {
  try {
    const decoder = new TextDecoder(encoding, { fatal: encoding === 'utf-8', ignoreBOM: true });
    return decoder.decode(bytes, { stream: !isLast });
  } catch {
    throw new CsvError('The file is not valid UTF-8');
  }
}

/** Whether a file begins with the byte order mark of UTF-16. */
export async function hasWideMark(path: string): Promise<boolean> {
  const head = await readHead(path);
  return markLength(head, 'utf-16le') > 0 || markLength(head, 'utf-16be') > 0;
}

/** Whether the beginning of a file is the same in UTF-8 and in the encodings of Windows. */
export const hasPlainHead = async (path: string): Promise<boolean> => isAscii(await readHead(path));

function firstRecords(text: string, delimiter: string, isLast: boolean): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (let start = 0; start < text.length && records.length < EXAMINED_RECORDS; ) {
    const record = readRecord(text, start, delimiter, isLast);
    if (isIncomplete(record)) break;
    records.push(record);
    start = record.end;
  }
  return records;
}

/** The delimiter that splits most records into the same number of cells. Of several, the one with the most cells. */
function detectDelimiter(text: string, isLast: boolean): Delimiter {
  let best: Delimiter = ',';
  let bestScore = 0;
  for (const delimiter of delimiters) {
    const records = firstRecords(text, delimiter, isLast).filter((record) => !isBlank(record));
    const width = records[0]?.cells.length ?? 0;
    if (width < 2) continue;
    const alike = records.filter(({ cells, problem }) => problem === undefined && cells.length === width);
    const score = alike.length / records.length + width / 10_000;
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

/**
 * Reads the names of the columns and the first rows of a file, and detects how it is written, as far as that is not given.
 * Throws a `CsvError` for what is no table.
 */
export async function examineFile(
  path: string,
  given: { encoding?: Encoding; delimiter?: Delimiter } = {},
): Promise<ExaminedFile> {
  const head = await readHead(path);
  const encoding = given.encoding ?? detectEncoding(head);
  if (encoding === undefined) throw new CsvError('The file is not a text');
  const mark = markLength(head, encoding);
  const isLast = head.length < HEAD_BYTES;
  const whole = decodeHead(head.subarray(mark), encoding, isLast);
  const separator = SEPARATOR_LINE.exec(whole);
  const said = delimiters.find((one) => one === separator?.[1]);
  const skipped = said === undefined ? '' : (separator?.[0] ?? '');
  const text = whole.slice(skipped.length);
  const delimiter = given.delimiter ?? said ?? detectDelimiter(text, isLast);
  const [header, ...records] = firstRecords(text, delimiter, isLast);
  if (!header || isBlank(header)) throw new CsvError('The first row must have the names of the columns');
  if (header.problem !== undefined) throw new CsvError(`The first row: ${header.problem}`);
  if (header.cells.some((cell) => cell.length > MAX_NAME_CHARACTERS))
    throw new CsvError(`The name of a column is longer than ${MAX_NAME_CHARACTERS} characters`);
  return {
    encoding,
    delimiter,
    header: header.cells.map((cell) => storable(cell.trim())),
    samples: records.filter((record) => !isBlank(record)).map(({ cells }) => cells),
    start: { offset: mark + byteLengthOf(whole.slice(0, skipped.length + header.end), encoding), row: 1 },
  };
}
