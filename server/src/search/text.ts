// A filter is run by PostgreSQL or by JavaScript. These functions make JavaScript treat text as PostgreSQL does.

/** The index of the first character that PostgreSQL cannot store (NUL, an unpaired surrogate), or -1. */
export function findUnstorable(text: string): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 0) return index;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(index + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return index;
    index++;
  }
  return -1;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const NON_ASCII = /[^\x00-\x7f]/;

/**
 * Lower case, one code point for one code point, as `lower()` and `ilike` do in the builtin locale C.UTF-8 and in
 * glibc's locales. `toLowerCase` on the whole text differs in two cases: it writes a sigma at the end of a word as ς,
 * and it makes two code points of İ, whose simple mapping is i. With an ICU locale PostgreSQL does the same, and with a
 * Turkish locale it pairs I with ı: SQL and JavaScript then disagree on these letters only. With the locale C it folds
 * ASCII only. Measured over all of Unicode: Node 20 differs from PostgreSQL 18 (builtin) and 15 (glibc) only in letters
 * newer than the server.
 */
export function foldCase(text: string): string {
  // A hundredth of the time of the loop, for most texts.
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character === 'İ' ? 'i' : character.toLowerCase();
  return folded;
}

/** Compares as `collate "C"` does for UTF-8. UTF-16 would order what is beyond U+FFFF before U+E000–U+FFFF. */
export function compareByCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x === y) continue;
    const xIsSurrogate = x >= 0xd800 && x <= 0xdfff;
    const yIsSurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xIsSurrogate === yIsSurrogate) return x - y;
    return xIsSurrogate ? (y >= 0xe000 ? 1 : x - y) : x >= 0xe000 ? -1 : x - y;
  }
  return a.length - b.length;
}

/** How many code points there are before `index`: the column, less one. */
export function codePointsBefore(text: string, index: number): number {
  let count = 0;
  for (const _ of text.slice(0, index)) count++;
  return count;
}

const QUOTED_CHARACTERS = 40;

/** Quotes the client's text for an error message, shortened to at most 40 characters. */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * QUOTED_CHARACTERS));
  if (characters.length <= QUOTED_CHARACTERS && text.length <= 2 * QUOTED_CHARACTERS) return `"${text}"`;
  return `"${characters.slice(0, QUOTED_CHARACTERS).join('')}…"`;
}
