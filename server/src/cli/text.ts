/** Escape sequences in names and messages of customers could change what the terminal shows, or the terminal itself. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;
/** JSON escapes the first 32 control characters, but not these. */
const UNSAFE_IN_JSON = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const MAX_CELL = 60;

/** A text of somebody else on one line. */
export const plain = (text: string): string => text.replace(UNSAFE, ' ').trim();

/** As `plain`, cut if it is long. */
export function short(text: string, max = MAX_CELL): string {
  const line = plain(text.slice(0, max * 4));
  const characters = [...line];
  return characters.length > max || text.length > max * 4
    ? `${characters.slice(0, max - 1).join('')}…`
    : line;
}

/** A result as JSON. It can be shown on a terminal. */
export const jsonText = (value: unknown, indent = 2): string =>
  JSON.stringify(value, null, indent).replace(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Lines with aligned columns. The last column may be as long as it is. */
export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => [...(row[column] ?? '')].length)),
  );
  return [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] as number) - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
}

/** A number with separators: 12,345. */
export const count = (value: number): string => value.toLocaleString('en');
