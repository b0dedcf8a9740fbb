/** The words of a text in lower case, in any script, each between spaces. */
const wordsOf = (text: string): string =>
  ` ${(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).join(' ')} `;

/** Whether a text contains one of the keywords as whole words, in the order of the keyword. */
export function hasKeyword(text: string | null, keywords: readonly string[]): boolean {
  const words = wordsOf(text ?? '');
  return keywords.some((keyword) => {
    const sought = wordsOf(keyword);
    // A keyword without letters or digits, such as an emoji, is searched as it is.
    return sought === '  ' ? (text ?? '').includes(keyword.trim()) : words.includes(sought);
  });
}
