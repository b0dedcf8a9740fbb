/** The words of a text, whatever the language, in one case. */
const wordsOf = (text: string): string =>
  ` ${(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ')} `;

/** Whether a text has one of the keywords as whole words; a keyword of several words as they follow one another. */
export function hasKeyword(text: string | null, keywords: readonly string[]): boolean {
  const words = wordsOf(text ?? '');
  return keywords.some((keyword) => {
    const sought = wordsOf(keyword);
    // A keyword without letters or digits, such as an emoji, is looked for as it is.
    return sought === '  ' ? (text ?? '').includes(keyword.trim()) : words.includes(sought);
  });
}
