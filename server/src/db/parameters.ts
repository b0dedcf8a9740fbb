/**
 * Values with their arrays in the form in which PostgreSQL reads them. pg would write them as well, but takes two to three
 * times as long, and a quarter of all that a delivery leaves to the garbage collector was arrays in the making.
 */
export const written = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (Array.isArray(value) ? writtenArray(value) : value));

/** An escape that means something in JSON and nothing in PostgreSQL's arrays, such as that of a line's end. */
const ESCAPE = /\\[^"\\]/;

/** Both write texts in quotes, with a backslash before quotes and backslashes; what is written differently is left to pg. */
function writtenArray(elements: readonly unknown[]): unknown {
  if (!elements.every(isWritable)) return elements;
  const json = JSON.stringify(elements);
  return json.includes('\\') && ESCAPE.test(json) ? elements : `{${json.slice(1, -1)}}`;
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether JSON has it as PostgreSQL reads it. Years without four digits are not among it. */
function isWritable(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    default:
      return value instanceof Date
        ? value.getTime() >= FIRST_MS && value.getTime() <= LAST_MS
        : value === null || value === undefined;
  }
}
