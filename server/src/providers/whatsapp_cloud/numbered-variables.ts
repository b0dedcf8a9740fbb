import { variablesOf } from '../placeholders.ts';

/** The variables of a text, each once: numbered ones by their number, named ones in order of appearance. */
export function variablesIn(text: string): string[] {
  const names = variablesOf([text]);
  return isNumbered(names) ? names.sort((a, b) => Number(a) - Number(b)) : names;
}

export const isNumbered = (names: readonly string[]): boolean => names.every((name) => /^[0-9]+$/.test(name));
