/** `{{name}}` or `{{1}}`, and no brace more on either side: who writes three means something else. */
const PLACEHOLDER = /(?<!\{)\{\{([A-Za-z_][A-Za-z0-9_]{0,63}|[1-9][0-9]{0,2})\}\}(?!\})/g;

/** The variables of some texts, each once, in order of appearance. */
export const variablesOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name as string))),
];

/** The text with each variable's value in its place. */
export const fillWith = (text: string, of: (name: string) => string): string =>
  text.replaceAll(PLACEHOLDER, (_, name: string) => of(name));

/** The text with `value` in the place of each variable. */
export const fill = (text: string, value: string): string => fillWith(text, () => value);

/** Whether there are braces that look like a variable and are none. */
export const hasStrayBraces = (text: string): boolean => /\{\{|\}\}/.test(fill(text, ' '));
