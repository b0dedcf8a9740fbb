/** A field of `content` that is a text. */
export function textIn(content: unknown, ...path: string[]): string | undefined {
  let value = content;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A field of `content` that is a list of objects. */
export function listIn(content: unknown, ...path: string[]): Record<string, unknown>[] {
  let value = content;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return Array.isArray(value)
    ? value.filter((item): item is Record<string, unknown> => typeof item === 'object' && item !== null)
    : [];
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/** A text of a template with the values of its variables. Those without a value stay as they are written. */
export const fillVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(VARIABLE, (whole, name: string) => (Object.hasOwn(values, name) && values[name]) || whole);

/** The variables of some texts, each once. */
export const variablesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name as string))),
];
