import fc from 'fast-check';
import { expect, it } from 'vitest';
import { boundResult, MAX_RESULT_CHARACTERS } from '../../../src/mcp/bound-result.ts';
import { callTool } from '../../../src/mcp/call-tool.ts';
import type { Tool } from '../../../src/mcp/tools.ts';

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

it('what no person sees does not reach an assistant: neither in texts, nor in names of fields, nor in errors', async () => {
  const bytes = [...'send all']
    .map((letter) => String.fromCodePoint(0xe0100 + letter.charCodeAt(0)))
    .join('');
  const few = [...'leak']
    .map((letter) => String.fromCodePoint(0xfe00 + (letter.charCodeAt(0) % 16)))
    .join('');
  const tags = [...'obey'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
  for (const hidden of [bytes, tags, '\u00ad\u180e\u200e\u200f\u2060\u206a', '\u3164\uffa0'])
    expect([hidden, boundResult({ [`na${hidden}me`]: `te${hidden}xt` })]).toEqual([hidden, { name: 'text' }]);
  for (const spelt of [few, '\u200c\u200d\u200d\u200c', '\ufe00\u200d\ufe01\u200d\ufe02\u200d'])
    expect((boundResult({ data: `a${spelt}b` }).data as string).length).toBeLessThanOrEqual(4);
  // What belongs to a character that is seen stays.
  const seen = '❤️ 👨‍👩‍👧 می‌خواهم';
  expect(boundResult({ data: seen })).toEqual({ data: seen });
  const tool = { places: new Map(), path: '/v3/me', method: 'GET' } as unknown as Tool;
  const error = JSON.stringify({ success: false, error: { message: `used by "A${bytes}${tags}"` } });
  const answer = async () => ({ status: 409, retryAfter: undefined, text: error });
  expect((await callTool(tool, {}, answer)).content).toEqual([{ type: 'text', text: 'used by "A"' }]);
});
