import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countCharacters, isLongerThan } from '../../../src/base/characters.ts';

describe('the characters of a text', () => {
  it('are its code points, also where surrogates are alone', () => {
    const text = fc
      .array(fc.constantFrom('a', 'ä', '😀', '\ud83d', '\ude00', '\u{10ffff}'))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.nat(12), (given, max) => {
        expect(countCharacters(given)).toBe([...given].length);
        expect(isLongerThan(given, max)).toBe([...given].length > max);
      }),
    );
  });
});
