import { expect } from 'vitest';

/** Dark modules of a QR code, by row and column. */
export type Modules = readonly (readonly boolean[])[];

/** Level M with each mask, as the standard lists them. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
];
/** Of the versions that the texts below have, as the standard lists them: centres of alignment patterns, and data codewords of each block. */
const VERSIONS: Record<number, { centres: number[]; correction: number; blocks: number[] }> = {
  1: { centres: [], correction: 10, blocks: [16] },
  2: { centres: [6, 18], correction: 16, blocks: [28] },
  7: { centres: [6, 22, 38], correction: 18, blocks: [31, 31, 31, 31] },
  8: { centres: [6, 24, 42], correction: 22, blocks: [38, 38, 39, 39] },
  10: { centres: [6, 28, 50], correction: 26, blocks: [43, 43, 43, 43, 44] },
  14: { centres: [6, 26, 46, 66], correction: 24, blocks: [40, 40, 40, 40, 41, 41, 41, 41, 41] },
  20: {
    centres: [6, 34, 62, 90],
    correction: 26,
    blocks: [41, 41, 41, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42],
  },
};

export const isDarkAt = (modules: Modules, row: number, column: number): boolean =>
  modules[row]?.[column] as boolean;
export const bitAt = (modules: Modules, row: number, column: number): string =>
  isDarkAt(modules, row, column) ? '1' : '0';

/** Both copies of the format, the first bit first. */
function readFormats(modules: Modules): string[] {
  const size = modules.length;
  const first = [0, 1, 2, 3, 4, 5, 7, 8].map((column) => bitAt(modules, 8, column));
  const rest = [7, 5, 4, 3, 2, 1, 0].map((row) => bitAt(modules, row, 8));
  const below = [1, 2, 3, 4, 5, 6, 7].map((distance) => bitAt(modules, size - distance, 8));
  const beside = [8, 7, 6, 5, 4, 3, 2, 1].map((distance) => bitAt(modules, 8, size - distance));
  return [[...first, ...rest].join(''), [...below, ...beside].join('')];
}

/** Whether a module belongs to a pattern, the format or the version. */
function isReserved(row: number, column: number, size: number, centres: readonly number[]): boolean {
  const isCorner = (r: number, c: number): boolean => r < 9 && c < 9;
  if (isCorner(row, column) || (row < 9 && column >= size - 8) || (row >= size - 8 && column < 9))
    return true;
  if (row === 6 || column === 6) return true;
  if (size >= 45 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11))) return true;
  return centres.some((r) =>
    centres.some((c) => {
      const last = centres.at(-1);
      const isLeftOut = (r === 6 && (c === 6 || c === last)) || (r === last && c === 6);
      return !isLeftOut && Math.abs(row - r) <= 2 && Math.abs(column - c) <= 2;
    }),
  );
}

const MASKED: ((i: number, j: number) => number)[] = [
  (i, j) => (i + j) % 2,
  (i) => i % 2,
  (_, j) => j % 3,
  (i, j) => (i + j) % 3,
  (i, j) => (Math.floor(i / 2) + Math.floor(j / 3)) % 2,
  (i, j) => ((i * j) % 2) + ((i * j) % 3),
  (i, j) => (((i * j) % 2) + ((i * j) % 3)) % 2,
  (i, j) => (((i * j) % 3) + ((i + j) % 2)) % 2,
];

/** Multiplies in the field of 256 elements, bit by bit. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((b >> bit) & 1) product ^= a;
  }
  return product;
}

/** Reads a code as a camera does, and checks that no error correction is needed. */
export function decodeQr(modules: Modules): { text: string; version: number } {
  const size = modules.length;
  const version = (size - 17) / 4;
  const { centres, correction, blocks } = VERSIONS[version] as (typeof VERSIONS)[number];
  const [format, copy] = readFormats(modules) as [string, string];
  expect(copy).toBe(format);
  const mask = FORMATS.indexOf(format);
  expect(mask).toBeGreaterThanOrEqual(0);
  const bits: number[] = [];
  let isUp = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right -= 1;
    const rows = Array.from({ length: size }, (_, index) => (isUp ? size - 1 - index : index));
    for (const row of rows)
      for (const column of [right, right - 1]) {
        if (isReserved(row, column, size, centres)) continue;
        const isInverted = (MASKED[mask] as (typeof MASKED)[number])(row, column) === 0;
        bits.push(isDarkAt(modules, row, column) !== isInverted ? 1 : 0);
      }
    isUp = !isUp;
  }
  const codewords = Array.from({ length: Math.floor(bits.length / 8) }, (_, index) =>
    Number.parseInt(bits.slice(index * 8, index * 8 + 8).join(''), 2),
  );
  const parts: number[][] = blocks.map(() => []);
  let next = 0;
  for (let index = 0; index < Math.max(...blocks); index += 1)
    for (const [block, length] of blocks.entries())
      if (index < length) parts[block]?.push(codewords[next++] as number);
  const data = parts.flat();
  for (let index = 0; index < correction; index += 1)
    for (const part of parts) part.push(codewords[next++] as number);
  expect(codewords).toHaveLength(next);
  for (const part of parts)
    for (let root = 0, power = 1; root < correction; root += 1, power = multiply(power, 2))
      expect(part.reduce((sum, value) => multiply(sum, power) ^ value, 0)).toBe(0);
  const stream = data.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  expect(stream.slice(0, 4)).toBe('0100');
  const lengthBits = version < 10 ? 8 : 16;
  const length = Number.parseInt(stream.slice(4, 4 + lengthBits), 2);
  const bytes = Uint8Array.from({ length }, (_, index) =>
    Number.parseInt(stream.slice(4 + lengthBits + index * 8, 12 + lengthBits + index * 8), 2),
  );
  return { text: new TextDecoder().decode(bytes), version };
}
