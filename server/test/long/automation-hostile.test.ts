import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stepTypes, triggerTypes } from '../../src/automations/definition/steps.ts';
import type { Definition } from '../../src/automations/schema.ts';
import { definitionOf, type Step, step, validate } from '../kit/definitions.ts';

const ID = '019a82a0-0000-7000-8000-00000000abcd';

describe('a hostile definition', () => {
  it('never ends in anything but faults at paths of its own, whatever its parameters are', () => {
    const names = [
      'text',
      'media',
      'url',
      'for',
      'until',
      'timeout',
      'onTimeout',
      'cases',
      'when',
      'next',
      'else',
    ];
    const more = ['externalId', 'value', 'labelId', 'userId', 'teamId', 'status', 'snoozedUntil', 'method'];
    const others = [
      'headers',
      'body',
      'saveAs',
      'rrule',
      'timezone',
      'audience',
      'keywords',
      'channelId',
      'templateId',
    ];
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .array(
          fc.constantFrom(
            '{{',
            '}}',
            '{%',
            '%}',
            ' if ',
            'raw',
            'a',
            '[',
            '|',
            '"',
            '\n',
            'eq(',
            ')',
            ',',
            ID,
          ),
        )
        .map((parts) => parts.join('')),
      fc.constantFrom(
        'GET',
        'PT1H',
        'P9999Y',
        'FREQ=DAILY',
        'FREQ=MINUTELY;BYHOUR=1',
        'snoozed',
        'https://x.y/',
        's0',
      ),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...names, ...more, ...others, 'toString', 'a b'), tie('value'), {
          maxKeys: 6,
        }),
      ),
    }));
    const parameters = fc.option(fc.dictionary(fc.constantFrom(...names, ...more, ...others), value), {
      nil: undefined,
    });
    const steps = fc.array(
      fc.record({ type: fc.constantFrom(...stepTypes), parameters, next: fc.constantFrom('s0', 'x') }),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    const triggers = fc.record({ type: fc.constantFrom(...triggerTypes), parameters });
    fc.assert(
      fc.property(triggers, steps, (given, list) => {
        const definition = JSON.parse(
          JSON.stringify(definitionOf(list as Partial<Step>[], { trigger: given as Definition['trigger'] })),
        );
        const { issues, definition: kept } = validate(definition);
        for (const [path, issue] of Object.entries(issues)) {
          expect(path).toMatch(/^(steps|trigger|variables)/);
          expect(issue.message.length).toBeLessThan(700);
        }
        if (Object.keys(issues).length === 0) expect(validate(kept).definition).toEqual(kept);
      }),
      { numRuns: 500 },
    );
  });

  /** An eighth of the size: more would have more tags than are read at all. */
  const texts = (text: string) => (size: number) =>
    Array.from({ length: 4 }, () => step('send_message', { text: text.repeat(size / 32 / text.length) }));
  const whens = (when: string) => (size: number) =>
    Array.from({ length: Math.max(1, Math.floor(size / (40 * (when.length + 24)))) }, () =>
      step('branch', { cases: Array.from({ length: 40 }, () => ({ when, next: 's0' })) }),
    ).slice(0, 200);
  const hostile: [string, (size: number) => Partial<Step>[]][] = [
    ['outputs', texts('{{a}}')],
    ['open tags', texts('{% if a %}')],
    ['open outputs', texts('{{')],
    ['raw without an end', texts('{% raw %}{{')],
    ['brackets', texts('{{ a[')],
    ['comments', texts('{% comment %}')],
    ['filters', texts('{{a|upcase}}')],
    ['unknown fields', whens(`eq(${'x'.repeat(64)},1)`)],
    ['known fields', whens('eq(contact.firstName,"x")')],
    ['attributes', whens('eq(attributes.x,"y")')],
    ['nested conditions', whens(`${'and('.repeat(15)}eq(chat.isUnread,true)${')'.repeat(15)}`)],
    ['durations', () => Array.from({ length: 200 }, () => step('wait', { for: `P${'1'.repeat(60)}D` }))],
    ['steps of one name', () => Array.from({ length: 200 }, () => ({ id: 'x', next: 'y' }))],
    [
      'addresses',
      (size) =>
        Array.from({ length: size / 2_100 }, () =>
          step('http_request', { method: 'GET', url: `http://${'a.'.repeat(1000)}` }),
        ),
    ],
    [
      'headers',
      (size) =>
        Array.from({ length: size / 5_500 }, () =>
          step('http_request', {
            method: 'GET',
            url: 'https://example.com',
            headers: Object.fromEntries(
              Array.from({ length: 50 }, (_, index) => [`${'h'.repeat(90)}${index}`, '{{a}}']),
            ),
          }),
        ),
    ],
  ];
  const variables = Array.from({ length: 50 }, (_, index) => ({
    name: `${'v'.repeat(60)}${index}`,
    type: 'string' as const,
  }));

  it.each(hostile)('D3: %s take work in proportion to their number', (_, make) => {
    const costOf = (size: number): number => {
      const given = definitionOf(make(size), { variables });
      const start = performance.now();
      validate(given);
      return performance.now() - start;
    };
    if (costOf(190_000) < 500) return;
    /** Whatever else the machine does only ever adds. */
    const bestOf = (size: number): number => Math.min(...Array.from({ length: 3 }, () => costOf(size)));
    const [once, twice] = [bestOf(95_000), bestOf(190_000)];
    expect(twice).toBeLessThan(10 * once + 500);
  });
});
