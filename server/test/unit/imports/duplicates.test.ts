import { expect, it } from 'vitest';
import { createRowSet, createSeenTexts, hasRow } from '../../../src/imports/duplicates.ts';

it('a text is new once, also among hundreds of thousands that are alike', () => {
  const seen = createSeenTexts();
  const texts = (index: number): string[] => [
    `+1555${1_000_000 + index}`,
    `+49170${String(index).padStart(7, '0')}`,
    `ada.${index}@example.com`,
    `${index}@a.example`,
  ];
  let repeated = 0;
  for (let index = 0; index < 200_000; index += 1)
    for (const text of texts(index)) if (!seen.add(text)) repeated += 1;
  expect(repeated).toBe(0);
  for (let index = 0; index < 200_000; index += 997)
    for (const text of texts(index)) expect(seen.add(text)).toBe(false);
  expect([seen.add(''), seen.add('')]).toEqual([true, false]);
});

it('a set of rows has those that were added, and no others', () => {
  const rows = createRowSet();
  const added = [0, 7, 8, 1023, 1024, 65_537, 999_999];
  for (const row of added) rows.add(row);
  const stored = rows.toBuffer();
  expect(stored.length).toBe(125_000);
  const found = Array.from({ length: 1_000_010 }, (_, row) => row).filter((row) => hasRow(stored, row));
  expect(found).toEqual(added);
  expect(createRowSet().toBuffer().length).toBe(0);
});
