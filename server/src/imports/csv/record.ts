/** How many cells of a record are kept. The others are counted as a problem. */
export const MAX_CELLS = 500;

const QUOTE = 34;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** A record of a CSV file: mostly one line. */
export interface CsvRecord {
  cells: string[];
  /** Where the next record begins. */
  end: number;
  /** Why its cells cannot be trusted. */
  problem?: string;
}

/** The text ends within the record. */
export interface Incomplete {
  isInQuotes: boolean;
}

export const isIncomplete = (record: CsvRecord | Incomplete): record is Incomplete => 'isInQuotes' in record;

function findEndOfLine(text: string, from: number): number {
  for (let position = from; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === LINE_FEED || code === CARRIAGE_RETURN) return position;
  }
  return text.length;
}

function findEndOfCell(text: string, from: number, delimiter: number): number {
  for (let position = from; position < text.length; position += 1) {
    const code = text.charCodeAt(position);
    if (code === delimiter || code === LINE_FEED || code === CARRIAGE_RETURN) return position;
  }
  return text.length;
}

/** Reads a cell in quotes, in which a quote is written twice. Returns undefined if the text ends before the cell. */
function readQuoted(text: string, start: number, isLast: boolean): { cell: string; end: number } | undefined {
  let hasQuotes = false;
  // A million quotes in a cell: this loop and `split` take 30 ms, `indexOf` for each of them and `+=` a third of a second.
  for (let position = start + 1; position < text.length; position += 1) {
    if (text.charCodeAt(position) !== QUOTE) continue;
    const end = position + 1;
    if (end === text.length && !isLast) return undefined;
    if (text.charCodeAt(end) !== QUOTE) {
      const cell = text.slice(start + 1, position);
      return { cell: hasQuotes ? cell.split('""').join('"') : cell, end };
    }
    hasQuotes = true;
    position = end;
  }
  return undefined;
}

/**
 * Reads the record that begins at `start` (RFC 4180, with any one character as delimiter and any line ends). `isLast`: nothing
 * follows the text. Each character is read once.
 */
export function readRecord(
  text: string,
  start: number,
  delimiter: string,
  isLast: boolean,
): CsvRecord | Incomplete {
  const delimiterCode = delimiter.charCodeAt(0);
  const cells: string[] = [];
  let problem: string | undefined;
  for (let position = start; ; position += 1) {
    if (text.charCodeAt(position) === QUOTE) {
      const quoted = readQuoted(text, position, isLast);
      if (!quoted) return { isInQuotes: true };
      if (cells.length < MAX_CELLS) cells.push(quoted.cell);
      else problem ??= `Has more than ${MAX_CELLS} cells`;
      position = quoted.end;
      if (findEndOfCell(text, position, delimiterCode) !== position) {
        // Mostly a quote is missing further up, and this one was meant to begin a cell.
        problem = 'A cell in quotes is followed by text: is a quote missing, or not written twice?';
        position = findEndOfLine(text, position);
      }
    } else {
      const end = findEndOfCell(text, position, delimiterCode);
      if (cells.length < MAX_CELLS) cells.push(text.slice(position, end));
      else problem ??= `Has more than ${MAX_CELLS} cells`;
      position = end;
    }
    if (position >= text.length && !isLast) return { isInQuotes: false };
    const code = text.charCodeAt(position);
    if (code === delimiterCode) continue;
    let end = Math.min(position + 1, text.length);
    if (code === CARRIAGE_RETURN) {
      if (end === text.length && !isLast) return { isInQuotes: false };
      if (text.charCodeAt(end) === LINE_FEED) end += 1;
    }
    return { cells, end, ...(problem === undefined ? {} : { problem }) };
  }
}

/** Whether a record has nothing in its cells. Spreadsheets write such rows below a table. */
export const isBlank = ({ cells }: Pick<CsvRecord, 'cells'>): boolean =>
  cells.every((cell) => cell.trim() === '');
