/**
 * Spreadsheets read such texts as formulas, also with full-width or small signs, and after blanks, quotes or invisible
 * characters. Plain numbers, such as phone numbers, are harmless.
 */
const FORMULA = /^[\s"'\p{Cf}\p{Cc}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;
const NUMBER = /^[+-]?\d+$/;
/** In many countries spreadsheets separate cells by semicolons, and the quotes around a cell are then part of its text. */
const SEPARATORS = /([;\t\r\n])/;
/** Spreadsheets drop a tab or a line break at the beginning. Apostrophes before it count, so that one more can be removed again. */
const BREAK = /^'*[\t\r\n]/;
const ESCAPED_BREAK = /^'(?='*[\t\r\n])/;

/** Most cells: nothing to encode or to escape. Without this, a cell takes four times as long. */
const PLAIN = /^(?:[A-Za-z0-9][^;\t\r\n",]*)?$/;

/** Encodes a cell by RFC 4180, and escapes what a spreadsheet would read as a formula, also as a cell after a semicolon. */
export function csvCell(text: string): string {
  if (PLAIN.test(text) || NUMBER.test(text)) return text;
  const safe = text
    .split(SEPARATORS)
    .map((part) => (FORMULA.test(part) ? `'${part}` : part))
    .join('');
  const cell = BREAK.test(safe) ? `'${safe}` : safe;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** The text of a cell without what `csvCell` has added. */
export function unescapeCell(cell: string): string {
  if (!cell.includes("'")) return cell;
  return cell
    .replace(ESCAPED_BREAK, '')
    .split(SEPARATORS)
    .map((part) => (part.startsWith("'") && FORMULA.test(part.slice(1)) ? part.slice(1) : part))
    .join('');
}

export const csvLine = (cells: readonly (string | null)[]): string =>
  `${cells.map((cell) => csvCell(cell ?? '')).join(',')}\r\n`;
