/**
 * Text as PostgreSQL and JavaScript both see it. A filter is run by either, so what they would do differently
 * when left alone is settled here.
 */

/** Where a text has a character that PostgreSQL cannot store (NUL, half a surrogate pair), or -1. */
export function findUnstorable(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0) return at;
    if (unit < 0xd800 || unit > 0xdfff) continue;
    const next = text.charCodeAt(at + 1);
    if (unit > 0xdbff || !(next >= 0xdc00 && next <= 0xdfff)) return at;
    at++;
  }
  return -1;
}

/**
 * Lower case, one code point for one code point: what `lower()`, and so `ilike`, does under the builtin locale
 * C.UTF-8 and under glibc's locales. `toLowerCase` on the whole text would differ in two places: it writes the
 * sigma at the end of a word as ς, and it makes two code points of İ, whose simple mapping is i. A database under
 * an ICU locale does just that, and one under a Turkish locale pairs I with ı: there, and only for these letters,
 * SQL and JavaScript may disagree. A database under the locale C folds nothing beyond ASCII. Measured over all of
 * Unicode: Node 20 differs from PostgreSQL 18 (builtin) and 15 (glibc) only in letters newer than the server.
 */
export function foldCase(text: string): string {
  let folded = '';
  for (const character of text) folded += character === 'İ' ? 'i' : character.toLowerCase();
  return folded;
}

/** Orders as `collate "C"` orders UTF-8. UTF-16 puts what is beyond U+FFFF (surrogates) before U+E000–U+FFFF. */
export function compareByCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x === y) continue;
    const xIsSurrogate = x >= 0xd800 && x <= 0xdfff;
    const yIsSurrogate = y >= 0xd800 && y <= 0xdfff;
    if (xIsSurrogate === yIsSurrogate) return x - y;
    return xIsSurrogate ? (y >= 0xe000 ? 1 : x - y) : x >= 0xe000 ? -1 : x - y;
  }
  return a.length - b.length;
}

/** How many code points there are before `at`: what a person calls a column, less one. */
export function codePointsBefore(text: string, at: number): number {
  let count = 0;
  for (const _ of text.slice(0, at)) count++;
  return count;
}

const QUOTED_CHARACTERS = 40;

/** A client's own words inside a message: in quotes, and never longer than a line. */
export function quote(text: string): string {
  const characters = Array.from(text.slice(0, 2 * QUOTED_CHARACTERS));
  if (characters.length <= QUOTED_CHARACTERS && text.length <= 2 * QUOTED_CHARACTERS) return `"${text}"`;
  return `"${characters.slice(0, QUOTED_CHARACTERS).join('')}…"`;
}

/** The one of `known` that takes the fewest changes to reach, the case of letters aside. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  // The work is bounded by the product of the lengths, and a name of a field is never this long.
  const given = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const distance = editDistance(given, candidate.slice(0, 64).toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, replacements, and swaps of neighbours, which are what fingers get wrong most. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(beforeLast, j - 2) + 1);
      }
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY;
