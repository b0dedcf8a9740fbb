/** A place for 64 bits is two numbers. Zeros are an empty place. */
const FIRST_PLACES = 1024;

/** Puts a hash into a table. Returns whether it was not there. */
function insert(table: Uint32Array, high: number, low: number): boolean {
  const last = table.length - 2;
  for (let place = (low << 1) & last; ; place = (place + 2) & last) {
    if (table[place] === high && table[place + 1] === low) return false;
    if (table[place] !== 0 || table[place + 1] !== 0) continue;
    table[place] = high;
    table[place + 1] = low;
    return true;
  }
}

/**
 * Remembers texts by a hash of 64 bits, so that two million handles take 32 MB. That two different ones of a million rows have the
 * same hash happens in one of ten million files.
 */
export function createSeenTexts(): { add(text: string): boolean } {
  // Otherwise a file could be made of texts that have one place in the table, and each would be compared with all before it.
  const [highSeed = 0, lowSeed = 0] = crypto.getRandomValues(new Uint32Array(2));
  let table = new Uint32Array(2 * FIRST_PLACES);
  let size = 0;
  const grow = (): void => {
    const larger = new Uint32Array(2 * table.length);
    for (let place = 0; place < table.length; place += 2)
      if (table[place] !== 0 || table[place + 1] !== 0)
        insert(larger, table[place] as number, table[place + 1] as number);
    table = larger;
  };
  return {
    /** Returns whether the text is new. */
    add(text) {
      let high = highSeed;
      let low = lowSeed;
      for (let index = 0; index < text.length; index += 1) {
        const code = text.charCodeAt(index);
        high = Math.imul(high ^ code, 0x9e3779b1);
        low = Math.imul(low ^ code, 0x5f356495);
      }
      const mixedHigh =
        Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
      const mixedLow =
        Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(mixedHigh ^ (mixedHigh >>> 13), 0xc2b2ae35);
      // Zeros would be an empty place.
      if (!insert(table, mixedHigh >>> 0, mixedLow >>> 0 || 1)) return false;
      size += 1;
      if (4 * size > table.length) grow();
      return true;
    },
  };
}

const FIRST_BYTES = 128;

/** Collects rows by their numbers, a bit each. */
export function createRowSet(): { add(row: number): void; toBuffer(): Buffer } {
  let bits = new Uint8Array(FIRST_BYTES);
  let length = 0;
  return {
    add(row) {
      const index = row >> 3;
      if (index >= bits.length) {
        const larger = new Uint8Array(2 ** Math.ceil(Math.log2(index + 1)));
        larger.set(bits);
        bits = larger;
      }
      bits[index] = (bits[index] as number) | (1 << (row & 7));
      length = Math.max(length, index + 1);
    },
    toBuffer: () => Buffer.from(bits.subarray(0, length)),
  };
}

export const hasRow = (rows: Buffer, row: number): boolean =>
  ((rows[row >> 3] ?? 0) & (1 << (row & 7))) !== 0;
