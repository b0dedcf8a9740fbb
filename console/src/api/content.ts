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
