export type Patterns = readonly (readonly [pattern: RegExp, text: string])[];

/** A text of the server in another language, by the first pattern that it matches; undefined if there is none. */
export function translateByPattern(patterns: Patterns, text: string): string | undefined {
  for (const [pattern, translation] of patterns) {
    const match = pattern.exec(text);
    if (match) return translation.replace(/\$(\d)/g, (_, group: string) => match[Number(group)] ?? '');
  }
  return undefined;
}
