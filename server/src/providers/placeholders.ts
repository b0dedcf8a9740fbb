/** `{{name}}` or `{{1}}`, without a third brace on either side. */
const PLACEHOLDER = /(?<!\{)\{\{([A-Za-z_][A-Za-z0-9_]{0,63}|[1-9][0-9]{0,2})\}\}(?!\})/g;

/** The variables of a text in order of appearance, as often as they appear. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string);

/** The variables of some texts, each once, in order of appearance. */
export const variablesOf = (texts: readonly string[]): string[] => [...new Set(texts.flatMap(namesIn))];

/** Replaces each variable by its value. */
export const fillWith = (text: string, valueFor: (name: string) => string): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => valueFor(name));

/** Replaces each variable by `value`. */
export const fill = (text: string, value: string): string => fillWith(text, () => value);

/** Whether there are double braces that are not a variable. */
export const hasStrayBraces = (text: string): boolean => /\{\{|\}\}/.test(fill(text, ' '));
