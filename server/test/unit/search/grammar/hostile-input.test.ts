import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../src/search/grammar/filter.ts';
import { parseSort } from '../../../../src/search/grammar/sort.ts';
import { ExpressionError, scanToken } from '../../../../src/search/grammar/tokens.ts';
import { items } from '../../../kit/search-samples.ts';

const parse = (text: string) => parseFilter(text, items, new Date());

describe('hostile input (D3)', () => {
  const hostile: [string, (size: number) => string][] = [
    ['opening parentheses', (size) => '('.repeat(size)],
    ['nested calls', (size) => 'and('.repeat(size / 4)],
    ['blanks', (size) => ' '.repeat(size)],
    ['digits', (size) => '1'.repeat(size)],
    ['an exponent', (size) => `1e${'1'.repeat(size)}`],
    ['minus signs', (size) => '-'.repeat(size)],
    ['points', (size) => '1.'.repeat(size / 2)],
    ['a long name', (size) => 'a'.repeat(size)],
    ['a long name of a field', (size) => `eq(${'a'.repeat(size)},1)`],
    ['an open text', (size) => `"${'a'.repeat(size)}`],
    ['backslashes', (size) => `"${'\\\\'.repeat(size / 2)}`],
    ['quotes', (size) => '"'.repeat(size)],
    ['a list', (size) => `in(score${',1'.repeat(size / 2)})`],
    ['halves of surrogate pairs', (size) => '\ud83d'.repeat(size)],
  ];

  it.each(hostile)('%s: 100 kB are rejected because of their length', (_, make) => {
    const text = make(100_000);
    expect(() => parse(text)).toThrow('longer than 4096 characters');
    expect(() => parseSort(text, items)).toThrow('longer than 4096 characters');
  });

  it.each(hostile)('%s: 4 kB return a filter or throw an ExpressionError', (_, make) => {
    try {
      parse(make(4000));
    } catch (error) {
      expect(error).toBeInstanceOf(ExpressionError);
      expect((error as ExpressionError).message.length).toBeLessThan(300);
    }
  });

  it.each(hostile)('%s: the scanner takes time in proportion to the length', (_, make) => {
    // Tokens follow each other with only blanks between them, so each character is scanned once.
    const countTokens = (text: string): number => {
      let tokens = 0;
      let position = 0;
      try {
        for (;;) {
          const { token, end } = scanToken(text, position);
          if (token.kind === 'end') return tokens;
          if (token.start < position || end <= token.start) throw new Error('The scanner did not advance.');
          if (text.slice(position, token.start).trim() !== '') throw new Error('The scanner skipped text.');
          tokens++;
          position = end;
        }
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        return tokens;
      }
    };
    expect(countTokens(make(20_000))).toBeLessThanOrEqual(2 * countTokens(make(10_000)) + 4);
  });

  it('returns a filter or throws an ExpressionError for random text', () => {
    const words = fc.constantFrom(
      ...['and(', 'or(', 'not(', 'eq(', 'in(', 'contains(', 'name', 'score', ',', ')', '"', '\\', '1', '-'],
      ...['null', 'true', ' ', '.', 'e9', "'", ';', '--', '/*', '$1', '\0', '\ud83d', '😀', '"a"'],
    );
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(words).map((list) => list.join('')),
    );
    const property = fc.property(anything, (text) => {
      for (const run of [() => parse(text), () => parseSort(text, items)]) {
        try {
          run();
        } catch (error) {
          expect(error).toBeInstanceOf(ExpressionError);
        }
      }
    });
    fc.assert(property, { numRuns: 2000 });
  });
});
