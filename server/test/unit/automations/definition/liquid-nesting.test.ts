import { describe, expect, it } from 'vitest';
import { render, validateLiquid } from '../../../../src/automations/definition/liquid.ts';
import { MAX_LIQUID_NESTING } from '../../../../src/automations/definition/liquid-nesting.ts';

/** Texts that are nested so many levels deep. The innermost value is a level. */
const nested: [string, (levels: number) => string][] = [
  ['brackets', (levels) => `{{ ${'chat['.repeat(levels - 1)}1${']'.repeat(levels - 1)} }}`],
  [
    'brackets around quoted brackets',
    (levels) => `{{ chat${'["]"'.repeat(levels - 1)}${']'.repeat(levels - 1)} }}`,
  ],
  [
    'brackets after a quote that is never closed',
    (levels) => `{% assign c = chat[message ']${'[chat'.repeat(levels - 2)}${']'.repeat(levels - 2)} %}`,
  ],
  ['ranges', (levels) => `{% assign a = ${'('.repeat(levels - 2)}1${'..2)'.repeat(levels - 2)} %}`],
  [
    'arguments of filters',
    (levels) => `{{ 1 | plus: ${'chat['.repeat(levels - 1)}1${']'.repeat(levels - 1)} }}`,
  ],
  ['tags', (levels) => `${'{% if chat %}'.repeat(levels - 1)}${'{% endif %}'.repeat(levels - 1)}`],
  [
    'tags around comments that seem to end them',
    (levels) =>
      `${'{% unless chat %}{% comment %}{% endunless %}{% endcomment %}'.repeat(levels - 1)}${'{% endunless %}'.repeat(levels - 1)}`,
  ],
  [
    'lines of a liquid tag',
    (levels) => `{% liquid\n${'if chat\n'.repeat(levels - 2)}${'endif\n'.repeat(levels - 2)}%}`,
  ],
  ['liquid tags in one line', (levels) => `{% ${'liquid '.repeat(levels - 2)}echo chat %}`],
  [
    'tags with brackets inside',
    (levels) =>
      `${'{% for b in chat %}'.repeat(50)}{{ ${'chat['.repeat(levels - 51)}1${']'.repeat(levels - 51)} }}${'{% endfor %}'.repeat(50)}`,
  ],
];
const refusal = `Liquid must not be nested deeper than ${MAX_LIQUID_NESTING} levels`;

describe('the nesting of Liquid', () => {
  it.each(nested)('%s are accepted up to the limit', (_, make) => {
    expect(validateLiquid(make(MAX_LIQUID_NESTING))).toBeUndefined();
  });

  it.each(nested)('%s are refused one level above the limit', (_, make) => {
    expect(validateLiquid(make(MAX_LIQUID_NESTING + 1))).toBe(refusal);
  });

  it.each(nested)('%s are refused far above the limit', (_, make) => {
    expect(validateLiquid(make(120))).toBe(refusal);
  });

  it('counts the levels of each text from the start, also after a refused one', () => {
    expect(validateLiquid('{{ a['.repeat(3_000))).toBeDefined();
    expect(validateLiquid('{% if a %}{% if a %}')).toContain('not closed');
    expect(render('{% if a %}{{ b[a] }}{% endif %}', { a: 'c', b: { c: 'yes' } })).toEqual({ text: 'yes' });
    const [, make] = nested[0] as (typeof nested)[number];
    expect(validateLiquid(make(MAX_LIQUID_NESTING))).toBeUndefined();
  });

  it('does not count what stands side by side', () => {
    const side = '{% if chat %}{{ message[0] }}{% endif %}'.repeat(200);
    expect(validateLiquid(side)).toBeUndefined();
    expect(validateLiquid(`{{ chat${'[0]'.repeat(500)} }}`)).toBeUndefined();
  });

  it('is limited when a text is rendered as well', () => {
    const [, make] = nested[0] as (typeof nested)[number];
    expect(render(make(MAX_LIQUID_NESTING + 1), {}).issue).toContain(refusal);
  });

  it('is limited in what the filter where is given', () => {
    const textOf = (levels: number) => `${'a['.repeat(levels - 1)}1${']'.repeat(levels - 1)}`;
    const rendered = (levels: number) =>
      render('{{ list | where: text | size }}', { list: [{ a: 1 }], text: textOf(levels) });
    expect(rendered(MAX_LIQUID_NESTING + 2).issue).toContain(refusal);
    expect(rendered(2).issue ?? '').not.toContain(refusal);
  });
});
