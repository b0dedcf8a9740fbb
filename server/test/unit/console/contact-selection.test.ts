import { describe, expect, it } from 'vitest';
import { toggleId } from '../../../../console/src/screens/contacts/selection.ts';

describe('the contacts that somebody has chosen', () => {
  it('get one more, and lose it again', () => {
    expect(toggleId(undefined, ['a', 'b'], 'a')).toEqual(['a']);
    expect(toggleId({ ids: ['a'] }, ['a', 'b'], 'b')).toEqual(['a', 'b']);
    expect(toggleId({ ids: ['a', 'b'] }, ['a', 'b'], 'a')).toEqual(['b']);
  });

  it('are the others that are shown, when one is left out of all', () => {
    expect(toggleId({ query: 'eq(isSubscribed,true)', total: 500 }, ['a', 'b', 'c'], 'b')).toEqual([
      'a',
      'c',
    ]);
  });
});
