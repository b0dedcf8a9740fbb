import { expect, it } from 'vitest';
import { hasWord } from '../../../src/search/words.ts';

it.each([
  ['no', 'no'],
  ['no, thanks', 'no'],
  ['i said no!', 'no'],
  ['yes (no?)', 'no'],
  ['yes\nno\nmaybe', 'no'],
  ['нет, спасибо', 'нет'],
  ['no👍', 'no'],
  ['👍no', 'no'],
  ['¿no?', 'no'],
  ['not now, not yet', 'not yet'],
  ['note, no', 'no'],
  ['a-b', 'a-b'],
])('%j has the words %j', (text, words) => {
  expect(hasWord(text, words)).toBe(true);
});

it.each([
  ['i do not know yet', 'no'],
  ['', 'no'],
  ['no', ''],
  ['note', 'no'],
  ['casino', 'no'],
  ['nö', 'n'],
  ['cafe\u0301', 'cafe'],
  ['не', 'нет'],
  ['no2', 'no'],
  ['not  yet', 'not yet'],
  ['aaaa', 'aa'],
])('%j does not have the words %j', (text, words) => {
  expect(hasWord(text, words)).toBe(false);
});
