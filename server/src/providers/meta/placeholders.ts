/** `{{name}}` or `{{1}}`, and no brace more on either side. */
const PLACEHOLDER = /(?<!\{)\{\{([A-Za-z_][A-Za-z0-9_]{0,63}|[1-9][0-9]{0,2})\}\}(?!\})/g;

/** The variables of a text, each once: numbered ones in the order of their numbers, named ones as they appear. */
export function variablesIn(text: string): string[] {
  const names = [...new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string))];
  return isNumbered(names) ? names.sort((a, b) => Number(a) - Number(b)) : names;
}

export const isNumbered = (names: readonly string[]): boolean => names.every((name) => /^[0-9]+$/.test(name));

/** The text with each variable's value in its place. */
export const render = (text: string, valueFor: (name: string) => string): string =>
  text.replaceAll(PLACEHOLDER, (_whole, name: string) => valueFor(name));
