import { describe, expect, it } from 'vitest';
import { firstOfEach } from '../../../src/base/first-of-each.ts';

const initial = (name: string): string => name.slice(0, 1);

describe('the first of each', () => {
  it.each([
    [[], [], []],
    [['a1', 'b1'], ['a1', 'b1'], []],
    [
      ['a1', 'a2', 'b1', 'a3', 'b2'],
      ['a1', 'b1'],
      ['a2', 'a3', 'b2'],
    ],
  ])('of %j are %j, and %j follow in their order', (items, first, others) => {
    expect(firstOfEach(items, initial)).toEqual({ first, others });
  });
});
