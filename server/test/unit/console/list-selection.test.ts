import { describe, expect, it } from 'vitest';
import { chosenIn, toggleId } from '../../../../console/src/ui/list-selection.ts';

describe('what somebody has chosen in a list', () => {
  it('gets one more, and loses it again', () => {
    expect(toggleId(undefined, ['a', 'b'], 'a')).toEqual(['a']);
    expect(toggleId(['a'], ['a', 'b'], 'b')).toEqual(['a', 'b']);
    expect(toggleId(['a', 'b'], ['a', 'b'], 'a')).toEqual(['b']);
  });

  it('is the others that are shown, when one is left out of all', () => {
    expect(toggleId('all', ['a', 'b', 'c'], 'b')).toEqual(['a', 'c']);
  });

  it('is nothing in another list', () => {
    expect(chosenIn({ list: 'one', ids: ['a'] }, 'other', ['a'])).toBe(undefined);
    expect(chosenIn({ list: 'one', ids: 'all' }, 'other', ['a'])).toBe(undefined);
    expect(chosenIn(undefined, 'one', ['a'])).toBe(undefined);
  });

  it('is only what is still shown', () => {
    expect(chosenIn({ list: 'one', ids: ['a', 'b'] }, 'one', ['b', 'c'])).toEqual(['b']);
    expect(chosenIn({ list: 'one', ids: ['a'] }, 'one', ['c'])).toEqual([]);
    expect(chosenIn({ list: 'one', ids: 'all' }, 'one', ['c'])).toBe('all');
  });
});
