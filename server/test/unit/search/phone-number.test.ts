import { expect, it } from 'vitest';
import { storedNumberPart } from '../../../src/search/phone-number.ts';

it.each([
  ['0170 0000777', '1700000777'],
  ['0170/0000777', '1700000777'],
  [' (0170) 00-00-777 ', '1700000777'],
  ['0049 170 0000777', '+491700000777'],
  ['+49 (0)170 0000777', '+491700000777'],
  ['+49 170 0000777', '+491700000777'],
  ['170 0000', '1700000'],
  ['1700000777', undefined],
  ['+491700000777', undefined],
  ['0 1 2 3', undefined],
  ['Room 0170 0000777', undefined],
  ['+'.repeat(60), undefined],
])('%j means %j', (text, part) => {
  expect(storedNumberPart(text)).toBe(part);
});
