import { expect, it } from 'vitest';
import { nextBatch } from '../../../src/jobs/batch-size.ts';

it('batches grow while they are fast and full, and shrink while they are slow, but not to nothing', () => {
  expect(nextBatch(500, 40, true, 2_000)).toBe(1_000);
  expect(nextBatch(1_500, 40, true, 2_000)).toBe(2_000);
  expect(nextBatch(500, 40, false, 2_000)).toBe(500);
  expect(nextBatch(500, 150, true, 2_000)).toBe(500);
  expect(nextBatch(500, 300, true, 2_000)).toBe(250);
  expect(nextBatch(60, 300, true, 2_000)).toBe(50);
  expect(nextBatch(50, 5_000, true, 2_000)).toBe(50);
});

it('a batch that became small because it failed grows only if it is fast', () => {
  expect(nextBatch(1, 300, true, 2_000)).toBe(1);
  expect(nextBatch(1, 40, true, 2_000)).toBe(2);
});
