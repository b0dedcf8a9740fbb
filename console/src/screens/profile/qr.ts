/**
 * QR codes (ISO/IEC 18004) for short texts: bytes, error correction level M, versions 1 to 20. Written here because a package for it
 * would be larger than the screen that shows one.
 */

/** Of each version: codewords for error correction in a block, and how many blocks there are. */
const BLOCKS = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
  [28, 10],
  [28, 11],
  [26, 13],
  [26, 14],
  [26, 16],
] as const;

const sizeOf = (version: number): number => 4 * version + 17;

/** The rows and columns in which alignment patterns have their centre. */
function alignmentCentres(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - step * (count - 2 - index))];
}

/** How many codewords a version has, for data and error correction together. */
function codewordsOf(version: number): number {
  const centres = alignmentCentres(version).length;
  const alignment = centres === 0 ? 0 : (25 * centres - 10) * centres - 55;
  return Math.floor(((16 * version + 128) * version + 64 - alignment - (version >= 7 ? 36 : 0)) / 8);
}

const dataCodewordsOf = (version: number): number => {
  const [correction, blocks] = BLOCKS[version - 1] as readonly [number, number];
  return codewordsOf(version) - correction * blocks;
};

/** The field of 256 elements with the polynomial 0x11d: powers of 2, and their logarithms. */
const POWERS = new Uint8Array(255);
const LOGARITHMS = new Uint8Array(256);
for (let exponent = 0, value = 1; exponent < 255; exponent += 1) {
  POWERS[exponent] = value;
  LOGARITHMS[value] = exponent;
  value = (value << 1) ^ (value >= 128 ? 0x11d : 0);
}
const at = (bytes: Uint8Array, index: number): number => bytes[index] as number;
const multiply = (a: number, b: number): number =>
  a === 0 || b === 0 ? 0 : at(POWERS, (at(LOGARITHMS, a) + at(LOGARITHMS, b)) % 255);

/** The remainder of the data by the generator polynomial (Reed-Solomon). */
function correctionOf(data: Uint8Array, length: number): Uint8Array {
  let generator = new Uint8Array([1]);
  for (let root = 0; root < length; root += 1) {
    const next = new Uint8Array(generator.length + 1);
    for (const [index, factor] of generator.entries()) {
      next[index] = at(next, index) ^ factor;
      next[index + 1] = multiply(factor, at(POWERS, root));
    }
    generator = next;
  }
  const rest = new Uint8Array(data.length + length);
  rest.set(data);
  for (let index = 0; index < data.length; index += 1) {
    const factor = at(rest, index);
    for (const [offset, value] of generator.entries())
      rest[index + offset] = at(rest, index + offset) ^ multiply(value, factor);
  }
  return rest.slice(data.length);
}

/** The text with its mode, its length and padding: as many bytes as the version has for data. */
function encodeData(bytes: Uint8Array, version: number): Uint8Array {
  const bits: number[] = [];
  const push = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) push(byte, 8);
  const capacity = dataCodewordsOf(version);
  push(0, Math.min(4, capacity * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0; bits.length < capacity * 8; pad += 1) push(pad % 2 === 0 ? 0xec : 0x11, 8);
  return Uint8Array.from({ length: capacity }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

/** The codewords in the order in which they are placed: one of each block in turn, the longer blocks last. */
function interleave(data: Uint8Array, version: number): number[] {
  const [length, count] = BLOCKS[version - 1] as readonly [number, number];
  const short = Math.floor(data.length / count);
  const shortBlocks = count - (data.length % count);
  let start = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    const block = data.slice(start, start + short + (index < shortBlocks ? 0 : 1));
    start += block.length;
    return block;
  });
  const corrections = blocks.map((block) => correctionOf(block, length));
  const take = (parts: Uint8Array[], size: number): number[] =>
    Array.from({ length: size }, (_, index) => index).flatMap((index) =>
      parts.flatMap((part) => (index < part.length ? [at(part, index)] : [])),
    );
  return [...take(blocks, short + 1), ...take(corrections, length)];
}

/** Modules by row and column; undefined where data goes. */
type Grid = (boolean | undefined)[][];

/** A value with the remainder that makes it readable if some bits are wrong. */
function withRemainder(value: number, polynomial: number, bits: number): number {
  let rest = value << bits;
  for (let bit = 31 - Math.clz32(rest); bit >= bits; bit -= 1)
    if ((rest >> bit) & 1) rest ^= polynomial << (bit - bits);
  return (value << bits) | rest;
}

function drawPatterns(version: number): Grid {
  const size = sizeOf(version);
  const grid: Grid = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (row: number, column: number, isDark: boolean): void => {
    if (row >= 0 && column >= 0 && row < size && column < size) (grid[row] as Grid[0])[column] = isDark;
  };
  for (let index = 0; index < size; index += 1) {
    set(6, index, index % 2 === 0);
    set(index, 6, index % 2 === 0);
  }
  const drawSquare = (
    row: number,
    column: number,
    radius: number,
    isDark: (ring: number) => boolean,
  ): void => {
    for (let y = -radius; y <= radius; y += 1)
      for (let x = -radius; x <= radius; x += 1)
        set(row + y, column + x, isDark(Math.max(Math.abs(x), Math.abs(y))));
  };
  const far = size - 4;
  const corners = [
    [3, 3],
    [3, far],
    [far, 3],
  ] as const;
  for (const [row, column] of corners) drawSquare(row, column, 4, (ring) => ring !== 2 && ring !== 4);
  const centres = alignmentCentres(version);
  const last = centres.at(-1);
  for (const row of centres)
    for (const column of centres) {
      const isCorner = (row === 6 && (column === 6 || column === last)) || (row === last && column === 6);
      if (!isCorner) drawSquare(row, column, 2, (ring) => ring !== 1);
    }
  if (version >= 7) {
    const bits = withRemainder(version, 0x1f25, 12);
    for (let bit = 0; bit < 18; bit += 1) {
      const [near, distant] = [Math.floor(bit / 3), size - 11 + (bit % 3)];
      set(near, distant, ((bits >> bit) & 1) === 1);
      set(distant, near, ((bits >> bit) & 1) === 1);
    }
  }
  drawFormat(grid, 0);
  return grid;
}

/** Level M and the mask, twice. */
function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  const bits = withRemainder(mask, 0x537, 10) ^ 0x5412;
  const set = (row: number, column: number, bit: number): void => {
    (grid[row] as Grid[0])[column] = ((bits >> bit) & 1) === 1;
  };
  for (let bit = 0; bit < 15; bit += 1) {
    if (bit < 6) set(bit, 8, bit);
    else if (bit < 8) set(bit + 1, 8, bit);
    else set(8, bit === 8 ? 7 : 14 - bit, bit);
    if (bit < 8) set(8, size - 1 - bit, bit);
    else set(size - 15 + bit, 8, bit);
  }
  (grid[size - 8] as Grid[0])[8] = true;
}

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** Fills the free places in columns of two, up and down in turn, from the right. */
function placeData(patterns: Grid, codewords: readonly number[], mask: number): boolean[][] {
  const size = patterns.length;
  const grid = patterns.map((row) => [...row]);
  drawFormat(grid, mask);
  const isMasked = MASKS[mask] as (typeof MASKS)[number];
  let bit = 0;
  for (let pair = 0; pair < (size - 1) / 2; pair += 1) {
    // The column of the timing pattern is left out.
    const right = size - 1 - 2 * pair - (size - 1 - 2 * pair <= 6 ? 1 : 0);
    for (let step = 0; step < size; step += 1) {
      const row = pair % 2 === 0 ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if ((patterns[row] as Grid[0])[column] !== undefined) continue;
        const isDark = (((codewords[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
        bit += 1;
        (grid[row] as Grid[0])[column] = isDark !== isMasked(row, column);
      }
    }
  }
  return grid as boolean[][];
}

/** How hard a code is to read: long runs, blocks of one colour, what looks like a corner, too much of one colour. */
function penaltyOf(grid: readonly (readonly boolean[])[]): number {
  const size = grid.length;
  const columns = grid.map((_, index) => grid.map((row) => row[index] as boolean));
  let penalty = 0;
  for (const line of [...grid, ...columns]) {
    const text = line.map((isDark) => (isDark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) penalty += run.length - 2;
    penalty += 40 * (text.match(/(?=10111010000|00001011101)/g)?.length ?? 0);
  }
  for (let row = 1; row < size; row += 1)
    for (let column = 1; column < size; column += 1) {
      const [above, own] = [grid[row - 1], grid[row]] as [readonly boolean[], readonly boolean[]];
      const isDark = own[column];
      if (above[column] === isDark && own[column - 1] === isDark && above[column - 1] === isDark)
        penalty += 3;
    }
  const dark = grid.flat().filter(Boolean).length / size ** 2;
  return penalty + 10 * Math.floor(Math.abs(dark - 0.5) * 20);
}

/** The modules of the code of a text, by row: true is dark. Undefined for a text that is too long. */
export function encodeQr(text: string): readonly (readonly boolean[])[] | undefined {
  const bytes = new TextEncoder().encode(text);
  // Mode and length take 12 bits, from version 10 on 20.
  const version =
    1 + BLOCKS.findIndex((_, index) => bytes.length + (index < 9 ? 2 : 3) <= dataCodewordsOf(index + 1));
  if (version === 0) return undefined;
  const codewords = interleave(encodeData(bytes, version), version);
  const patterns = drawPatterns(version);
  const candidates = MASKS.map((_, mask) => placeData(patterns, codewords, mask));
  return candidates.reduce((best, other) => (penaltyOf(other) < penaltyOf(best) ? other : best));
}
