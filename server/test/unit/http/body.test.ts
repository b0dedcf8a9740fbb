import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/base/errors.ts';
import { DEFAULT_BOUNDS, parseBody } from '../../../src/http/body.ts';
import { errorBody } from '../../../src/http/errors.ts';

const parse = (text: string) => parseBody(Buffer.from(text), DEFAULT_BOUNDS);

/** What a client would read, which is what counts: an object can hide a key from JSON. */
function issuesOf(text: string): Record<string, { key: string; message: string }> {
  try {
    parse(text);
  } catch (error) {
    return JSON.parse(JSON.stringify(errorBody(error as ApiError, 'req_x'))).error.invalidParams;
  }
  throw new Error('The body was taken.');
}

describe('a body', () => {
  it('is what JSON says, and nothing when it is empty', () => {
    expect(parse('{"a":[1,null,"ü"]}')).toEqual({ a: [1, null, 'ü'] });
    expect(parse('')).toBeUndefined();
  });

  it('V3: with a key that changes what an object is, is refused by name', () => {
    expect(
      Object.keys(
        issuesOf('{"__proto__":{"isAdmin":true},"a":{"__proto__":1},"b":[{"constructor":{"prototype":{}}}]}'),
      ).sort(),
    ).toEqual(['__proto__', 'a.__proto__', 'b.0.constructor']);
    expect(Object.values(issuesOf('{"__proto__":1}'))).toMatchObject([{ key: 'unrecognized_keys' }]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('V2: names every text that cannot be stored, keys included', () => {
    const issues = issuesOf('{"a":"\\u0000","b":["ok","\\ud800"],"c\\u0000":1,"\\udfff":1}');
    expect(Object.keys(issues).sort()).toEqual(['a', 'b.1', 'c\\u0000', '\ufffd']);
    expect(new Set(Object.values(issues).map(({ key }) => key))).toEqual(new Set(['invalid_string']));
    expect(issuesOf('"\\u0000"')).toEqual({ body: { key: 'invalid_string', message: expect.any(String) } });
  });

  it('V2: names numbers that are none', () => {
    expect(issuesOf('{"a":1e999,"b":[-1e999]}')).toMatchObject({
      a: { key: 'too_big' },
      'b.0': { key: 'too_big' },
    });
  });

  it('D1: may be long and full of brackets, where they are text', () => {
    const texts = [
      '['.repeat(100_000),
      `"${'{'.repeat(100_000)}`,
      `\\"${'[{'.repeat(50_000)}\\`,
      '"'.repeat(70_000),
    ];
    expect(parse(JSON.stringify({ texts, [texts[1] as string]: 1 }))).toEqual({
      texts,
      [texts[1] as string]: 1,
    });
    const wide = Array.from({ length: 9_000 }, () => ({ a: [[]] }));
    expect(parse(JSON.stringify(wide))).toEqual(wide);
    for (const open of [`{"a":"${'x'.repeat(20_000)}`, `["${'\\'.repeat(20_001)}"`])
      expect(issuesOf(open)).toEqual({
        body: { key: 'custom', message: expect.stringContaining('not valid JSON') },
      });
  });

  it('D1: may be nested 64 deep, and 100,000 deep is refused without falling over', () => {
    const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(parse(deep(64))).toBeDefined();
    for (const depth of [65, 100_000])
      expect(issuesOf(deep(depth))).toEqual({
        body: { key: 'too_big', message: expect.stringContaining('64') },
      });
    expect(issuesOf(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`).body?.key).toBe('too_big');
  });

  it('D2: has at most 10,000 items in an array and 200,000 values in all', () => {
    const list = (count: number) => `[${Array.from({ length: count }, () => 0).join()}]`;
    expect(parse(list(10_000))).toHaveLength(10_000);
    expect(issuesOf(`{"labels":${list(150_000)}}`)).toEqual({
      labels: { key: 'too_big', message: 'Array must contain at most 10000 items, received 150000' },
    });
    const lists = `[${Array.from({ length: 30 }, () => list(9_999)).join()}]`;
    // Counted before it is parsed: by the commas or the brackets alone, and exactly afterwards.
    for (const text of [lists, `{"labels":${list(400_000)}}`, `[${'[[[]]],'.repeat(70_000)}0]`])
      expect(issuesOf(text)).toEqual({
        body: { key: 'too_big', message: 'The body has more than 200000 values' },
      });
  });

  it('D2: is answered with at most 100 faults, and never with much more than was sent', () => {
    const bad = Array.from({ length: 1000 }, () => '"\\u0000"').join();
    expect(Object.keys(issuesOf(`[${bad}]`))).toHaveLength(100);
    // A hundred faults at the end of a long path would repeat that path a hundred times.
    const key = 'k'.repeat(10_000);
    const text = `${`{"${key}":`.repeat(50)}[${bad}]${'}'.repeat(50)}`;
    expect(JSON.stringify(issuesOf(text)).length).toBeLessThan(text.length);
  });
});

describe('an error', () => {
  it('names at most 100 parameters, from every source', () => {
    const invalidParams = Object.fromEntries(
      Array.from({ length: 500 }, (_, at) => [`events.${at}`, { key: 'custom' as const, message: 'x' }]),
    );
    const { error } = errorBody(new ApiError('invalid_body_params', { invalidParams }), 'req_x');
    expect(Object.keys(error.invalidParams ?? {})).toHaveLength(100);
  });
});
