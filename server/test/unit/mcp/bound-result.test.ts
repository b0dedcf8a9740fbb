import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundResult, MAX_RESULT_CHARACTERS } from '../../../src/mcp/bound-result.ts';

it('a short result stays as it is, without what is not there', () => {
  expect(boundResult({ data: { a: 1, b: null, c: [], d: '', e: { f: false } } })).toEqual({
    data: { a: 1, d: '', e: { f: false } },
  });
});

it('a result is never longer than allowed, and says what was left out', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 5 }), fc.integer({ min: 1, max: 500 }), (item, times) => {
      const bounded = boundResult({ data: Array.from({ length: times }, () => item) });
      expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(MAX_RESULT_CHARACTERS);
    }),
    { numRuns: 50 },
  );
  expect(boundResult({ data: 'x'.repeat(10_000_000) })).toMatchObject({ shortened: 'Long texts are cut.' });
  const many = boundResult({ data: Array.from({ length: 5_000 }, (_, id) => ({ id })) });
  expect(many.shortened).toMatch(/Lists are cut after 1000 items: do not continue with nextCursor/);
  let deep: object = {};
  for (let depth = 0; depth < 10_000; depth += 1) deep = { deep };
  expect(JSON.stringify(boundResult({ data: deep })).length).toBeLessThan(1_000);
});
