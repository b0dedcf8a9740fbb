/**
 * The maximum nesting of JSON from outside. JSON.parse accepts any depth, but JSON.stringify and PostgreSQL recurse: a
 * value that is nested deeper than their stacks allow could be read but not stored, and stacks differ between machines.
 */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * What makes JSON too costly to parse: its depth, or the number of its values. Counts the brackets and commas outside strings, without
 * parsing. There are more values than commas and at least as many as lists and objects, and at most as many as all of them and one.
 */
export function findExcess(raw: Buffer, maxValues: number): 'depth' | 'values' | undefined {
  let depth = 0;
  let opened = 0;
  let commas = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) {
      at = endOfString(raw, at);
      if (at < 0) return undefined;
    } else if (byte === COMMA) {
      if (++commas >= maxValues) return 'values';
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH) return 'depth';
      if (++opened > maxValues) return 'values';
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

export const isNestedTooDeeply = (raw: Buffer): boolean =>
  findExcess(raw, Number.POSITIVE_INFINITY) === 'depth';

/** A call of `indexOf` takes as long as a look at so many bytes. */
const SHORT_STRING = 24;

/** Finds the next quote. Most strings are short. */
function nextQuote(raw: Buffer, from: number): number {
  const near = Math.min(from + SHORT_STRING, raw.length);
  for (let at = from; at < near; at += 1) if (raw[at] === QUOTE) return at;
  return raw.indexOf(QUOTE, near);
}

/** Finds the end of a string: the next quote with an even number of backslashes before it. Returns -1 without one. */
function endOfString(raw: Buffer, open: number): number {
  for (let end = nextQuote(raw, open + 1); end >= 0; end = nextQuote(raw, end + 1)) {
    let before = end - 1;
    while (raw[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
