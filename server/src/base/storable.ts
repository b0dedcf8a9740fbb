/** Replaces what PostgreSQL cannot store in text from outside: NUL and lone surrogates. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** Whether JSON has an escape that PostgreSQL's jsonb refuses: NUL or half a character. */
const REFUSED_ESCAPE = /\\u(?:0000|d[89a-f])/i;

/** The same for all texts and names in a JSON value. */
export function storableJson<T>(value: T): T {
  // JSON.stringify writes nothing else as `\ud…`; an escaped backslash before a `u` only costs the walk.
  return REFUSED_ESCAPE.test(JSON.stringify(value) ?? '') ? (clean(value) as T) : value;
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [storable(name), clean(one)]));
}
