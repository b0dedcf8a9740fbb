/**
 * The characters between words: everything in ASCII but letters and digits, and the punctuation and symbols of other blocks.
 * All others belong to words. A table instead of a Unicode property, because JavaScript and the regular expressions of
 * PostgreSQL must agree on every character, whatever their versions of Unicode are.
 */
const BETWEEN_WORDS: readonly (readonly [first: number, last: number])[] = [
  [0x01, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0xa9],
  [0xab, 0xb4],
  [0xb6, 0xb9],
  [0xbb, 0xbf],
  [0xd7, 0xd7],
  [0xf7, 0xf7],
  [0x60c, 0x60c],
  [0x61b, 0x61f],
  [0x6d4, 0x6d4],
  [0x964, 0x965],
  [0x2000, 0x206f],
  [0x20a0, 0x20cf],
  [0x2190, 0x2bff],
  [0x3000, 0x3004],
  [0x3008, 0x3020],
  [0xff01, 0xff0f],
  [0xff1a, 0xff20],
  [0xff3b, 0xff40],
  [0xff5b, 0xff65],
  [0xfe0f, 0xfe0f],
  [0x1f000, 0x1faff],
];

const hex = (code: number): string => code.toString(16).padStart(8, '0');
const SQL_CLASS = `[${BETWEEN_WORDS.map(([first, last]) => `\\U${hex(first)}-\\U${hex(last)}`).join('')}]`;
const separator = new RegExp(
  `[${BETWEEN_WORDS.map(([first, last]) => `\\u{${hex(first)}}-\\u{${hex(last)}}`).join('')}]`,
  'gu',
);

const isSeparator = (code: number): boolean =>
  BETWEEN_WORDS.some(([first, last]) => first <= code && code <= last);

function codePointBefore(text: string, index: number): number | undefined {
  const last = text.charCodeAt(index - 1);
  const isLow = last >= 0xdc00 && last <= 0xdfff;
  return text.codePointAt(isLow && index > 1 ? index - 2 : index - 1);
}

/** Whether the text contains the words as whole words. Both are in lower case. */
export function hasWord(text: string, words: string): boolean {
  if (words === '') return false;
  const isEnd = (code: number | undefined): boolean => code === undefined || isSeparator(code);
  for (let at = text.indexOf(words); at >= 0; ) {
    if ((at === 0 || isEnd(codePointBefore(text, at))) && isEnd(text.codePointAt(at + words.length)))
      return true;
    // The next occurrence that can count begins after a separator.
    separator.lastIndex = at;
    const next = separator.exec(text);
    if (!next) return false;
    at = text.indexOf(words, separator.lastIndex);
  }
  return false;
}

/** The beginning of a text is not behind anything. */
const NEVER = 'x\\A';

/** The regular expression with which PostgreSQL finds the words in a text in lower case. */
export const wordPattern = (words: string): string =>
  words === '' ? NEVER : `(^|${SQL_CLASS})${words.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}($|${SQL_CLASS})`;
