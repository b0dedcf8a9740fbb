import { describe, expect, it } from 'vitest';
import { encodeQr } from '../../../../console/src/screens/profile/qr.ts';
import { bitAt, decodeQr, isDarkAt, type Modules } from '../../kit/qr.ts';

describe('a QR code', () => {
  it.each([
    ['hi', 1],
    ['fourteen bytes', 1],
    ['fifteen bytes!!', 2],
    ['x'.repeat(122), 7],
    ['ü€😀 '.repeat(14), 8],
    ['x'.repeat(200), 10],
    ['x'.repeat(350), 14],
    ['x'.repeat(666), 20],
  ])('of %j has the smallest version, and is read without errors', (text, version) => {
    expect(decodeQr(encodeQr(text) as Modules)).toEqual({ text, version });
  });

  it('has the corners, the timing pattern, the dark module and the version where readers look for them', () => {
    const modules = encodeQr('x'.repeat(122)) as Modules;
    const size = modules.length;
    const rowOf = (row: number, from: number): string =>
      Array.from({ length: 7 }, (_, index) => bitAt(modules, row, from + index)).join('');
    for (const [row, column] of [
      [0, 0],
      [0, size - 7],
      [size - 7, 0],
    ] as const)
      expect([0, 1, 2, 3, 4, 5, 6].map((offset) => rowOf(row + offset, column))).toEqual([
        '1111111',
        '1000001',
        '1011101',
        '1011101',
        '1011101',
        '1000001',
        '1111111',
      ]);
    for (let index = 8; index < size - 8; index += 1)
      expect([isDarkAt(modules, 6, index), isDarkAt(modules, index, 6)]).toEqual([
        index % 2 === 0,
        index % 2 === 0,
      ]);
    expect(isDarkAt(modules, size - 8, 8)).toBe(true);
    const version = Array.from({ length: 18 }, (_, bit) =>
      bitAt(modules, Math.floor((17 - bit) / 3), size - 11 + ((17 - bit) % 3)),
    ).join('');
    expect(version).toBe('000111110010010100');
  });

  it('of a text that is too long is none', () => {
    expect(encodeQr('x'.repeat(667))).toBeUndefined();
  });
});
