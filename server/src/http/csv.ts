/**
 * Spreadsheets read such texts as formulas, also with full-width or small signs, and after blanks, quotes or invisible
 * characters. Plain numbers, such as phone numbers, are harmless.
 */
const FORMULA = /^[\s"'\p{Cf}\p{Cc}]*[=+\-@＝＋－＠﹦﹢﹣﹫]/u;
const NUMBER = /^[+-]?\d+$/;
/** In many countries spreadsheets separate cells by semicolons, and the quotes around a cell are then part of its text. */
const SEPARATORS = /([;\t\r\n])/;
/**
 * Spreadsheets drop a tab or a line break at the beginning. Apostrophes before it count, so that one more can be removed again. So do
 * blanks before it, and there must be more than blanks behind it: imports remove the blanks around a text before anything else.
 */
const BREAK = /^(?:[^\S\t\r\n]|')*[\t\r\n]\s*\S/;
const ESCAPED_BREAK = /^'(?=(?:[^\S\t\r\n]|')*[\t\r\n]\s*\S)/;

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

/** What an item of a list cannot have without quotes: separators, quotes, line breaks, and blanks around it. */
const QUOTED_ITEM = /[,;"\t\r\n]|^\s|\s$|^$/;
const isSeparator = (character: string | undefined): boolean => character === ',' || character === ';';
const isBlank = (character: string | undefined): boolean =>
  character !== undefined && character.trim() === '';

/** A list as the text of one cell: `VIP, "Smith, Ada"`. Items are quoted where they must be, with quotes written twice. */
export const joinList = (items: readonly string[]): string =>
  items.map((item) => (QUOTED_ITEM.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(', ');

/** An item in quotes that begins at `start`, and the position after it. Undefined if it does not end before a separator. */
function readQuotedItem(text: string, start: number): { item: string; end: number } | undefined {
  let position = start + 1;
  for (; position < text.length; position += 1) {
    if (text[position] !== '"') continue;
    if (text[position + 1] !== '"') break;
    position += 1;
  }
  if (position >= text.length) return undefined;
  let end = position + 1;
  while (isBlank(text[end])) end += 1;
  if (end < text.length && !isSeparator(text[end])) return undefined;
  return { item: text.slice(start + 1, position).replaceAll('""', '"'), end };
}

/**
 * The items of a list, separated by commas or semicolons. Those that are empty without quotes are left out. A quote within an item,
 * or one that does not end with its item, is a character like any other. Takes time in proportion to the text: no two searches for the
 * end of a quote pass the same characters.
 */
export function splitList(text: string): string[] {
  const items: string[] = [];
  for (let position = 0; position < text.length; position += 1) {
    while (isBlank(text[position])) position += 1;
    const quoted = text[position] === '"' ? readQuotedItem(text, position) : undefined;
    if (quoted) {
      items.push(quoted.item);
      position = quoted.end;
      continue;
    }
    const start = position;
    while (position < text.length && !isSeparator(text[position])) position += 1;
    const item = text.slice(start, position).trim();
    if (item !== '') items.push(item);
  }
  return items;
}
