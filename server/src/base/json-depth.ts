/**
 * The maximum nesting of JSON from outside. JSON.parse accepts any depth, but JSON.stringify and PostgreSQL recurse: a
 * value that is nested deeper than their stacks allow could be read but not stored, and stacks differ between machines.
 */
export const MAX_JSON_DEPTH = 64;

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts the brackets outside strings, without parsing. */
export function isNestedTooDeeply(raw: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) {
      at = endOfString(raw, at);
      if (at < 0) return false;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_JSON_DEPTH) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
  }
  return false;
}

/** Finds the end of a string: the next quote with an even number of backslashes before it. Returns -1 without one. */
function endOfString(raw: Buffer, open: number): number {
  for (let end = raw.indexOf(QUOTE, open + 1); end >= 0; end = raw.indexOf(QUOTE, end + 1)) {
    let before = end - 1;
    while (raw[before] === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return -1;
}
