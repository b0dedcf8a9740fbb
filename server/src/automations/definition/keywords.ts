import { createCache } from '../../base/cache.ts';

/** What comes after it in a message is not searched. A mail may have 500,000 characters. One character may become 18. */
const MAX_TEXT_CHARACTERS = 16 * 1024;
/** Sorting the marks on one letter takes quadratic time: 64,000 took 2 s. No language has more than 30 (UAX 15). */
const EXCESS_MARKS = /(\p{M}{30})\p{M}+/gu;

/** The words of a text in lower case, in any script. */
const wordsOf = (text: string): string[] =>
  text
    .replaceAll(EXCESS_MARKS, '$1')
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Every text would contain it. */
export const isBlank = (keyword: string): boolean => keyword.trim() === '';

/** Words, each between spaces. */
const joinWords = (words: readonly string[]): string => ` ${words.join(' ')} `;

const MAX_KEYWORDS = 20_000;
const keywordWords = createCache<string, string[]>(MAX_KEYWORDS);

function wordsOfKeyword(keyword: string): string[] {
  let words = keywordWords.get(keyword);
  if (!words) {
    words = wordsOf(keyword);
    keywordWords.set(keyword, words);
  }
  return words;
}

/**
 * Returns a function that finds keywords in a text, as whole words in their order. The words of the text are read once for
 * the keywords of all automations.
 */
export function createKeywordFinder(text: string | null): (keywords: readonly string[]) => boolean {
  const searched = (text ?? '').slice(0, MAX_TEXT_CHARACTERS);
  let known: { set: ReadonlySet<string>; joined: string } | undefined;
  const read = () => {
    const words = wordsOf(searched);
    return { set: new Set(words), joined: joinWords(words) };
  };
  return (keywords) => {
    known ??= read();
    const { set, joined } = known;
    return keywords.some((keyword) => {
      const words = wordsOfKeyword(keyword);
      // A keyword without letters or digits, such as an emoji, is searched as it is.
      if (words.length === 0) return !isBlank(keyword) && searched.includes(keyword.trim());
      return (
        words.every((word) => set.has(word)) && (words.length === 1 || joined.includes(joinWords(words)))
      );
    });
  };
}
