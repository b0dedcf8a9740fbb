import { describe, expect, it } from 'vitest';
import { compareByCodePoint, findUnstorable, foldCase } from '../../../src/search/text.ts';

describe('text of filters', () => {
  it('is compared by code point, not by UTF-16 unit', () => {
    const sorted = ['😀', '\uffff', '\ue000', 'z', '😀a', '\ud7ff', ''].toSorted(compareByCodePoint);
    expect(sorted).toEqual(['', 'z', '\ud7ff', '\ue000', '\uffff', '😀', '😀a']);
  });

  it('is folded one code point for one code point', () => {
    expect(foldCase('ÀΣİ𐐀ß')).toBe('àσi𐐨ß');
  });

  it('is searched for characters that PostgreSQL cannot store', () => {
    expect(findUnstorable('a😀b')).toBe(-1);
    expect(findUnstorable('a\0')).toBe(1);
    expect(findUnstorable('😀\ud83d')).toBe(2);
    expect(findUnstorable('\ude00')).toBe(0);
    expect(findUnstorable('\ud83d\ud83d\ude00')).toBe(0);
  });
});
