import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../../src/automations/check-definition.ts';
import type { Definition } from '../../src/automations/schema.ts';
import { stepTypes, triggerTypes } from '../../src/automations/steps.ts';
import type { InvalidParams } from '../../src/base/errors.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';

const policy = { allow: parseAllowList(''), loopback: false };
const ID = '019a82a0-0000-7000-8000-00000000abcd';

type Step = Definition['steps'][number];
const definitionOf = (steps: Partial<Step>[], more: Partial<Definition> = {}): Definition => ({
  trigger: { type: 'api' },
  variables: [],
  steps: steps.map((step, index) => ({ id: `s${index}`, type: 'end', ...step }) as Step),
  ...more,
});
const faultsOf = (steps: Partial<Step>[], more?: Partial<Definition>): InvalidParams =>
  checkDefinition(definitionOf(steps, more), policy).found.faults;
const keysOf = (faults: InvalidParams): Record<string, string> =>
  Object.fromEntries(Object.entries(faults).map(([path, { key }]) => [path, key]));
const step = (type: Step['type'], parameters?: unknown): Partial<Step> =>
  ({ type, ...(parameters === undefined ? {} : { parameters }) }) as Partial<Step>;
const trigger = (type: string, parameters?: unknown): Partial<Definition> =>
  ({ trigger: { type, ...(parameters === undefined ? {} : { parameters }) } }) as Partial<Definition>;

describe('a definition', () => {
  it('without faults is kept without what is not part of it, ids in one spelling', () => {
    const given = definitionOf(
      [
        { ...step('add_label', { labelId: ID.toUpperCase(), color: 'red' }), note: 'mine' } as Partial<Step>,
        step('assign', { userId: null }),
        step('http_request', { method: 'GET', url: 'https://example.com/', headers: { Accept: '*/*' } }),
      ],
      { ...trigger('message_received', { keywords: ['hi'], labelId: ID }) },
    );
    const { definition, found, references } = checkDefinition(given, policy);
    expect(found.faults).toEqual({});
    expect(definition).toEqual({
      trigger: { type: 'message_received', parameters: { keywords: ['hi'] } },
      variables: [],
      steps: [
        { id: 's0', type: 'add_label', parameters: { labelId: ID } },
        { id: 's1', type: 'assign', parameters: { userId: null } },
        {
          id: 's2',
          type: 'http_request',
          parameters: { method: 'GET', url: 'https://example.com/', headers: { Accept: '*/*' } },
        },
      ],
    });
    expect(references).toMatchObject([{ kind: 'label', at: 'steps.0.parameters.labelId' }]);
  });

  it('may have steps that nothing leads to', () => {
    expect(faultsOf([{ type: 'end' }, step('send_message', { text: 'never' })])).toEqual({});
  });

  it('names every step by an id of its own, and only steps that it has', () => {
    const faults = faultsOf([
      { id: 'a', type: 'end', next: 'b' },
      { id: 'a', ...step('wait_for_reply', { timeout: 'PT1H', onTimeout: 'c' }) },
      { id: 'd', ...step('branch', { cases: [{ when: 'isNull(contact.email)', next: 'e' }], else: 'f' }) },
    ]);
    expect(keysOf(faults)).toEqual({
      'steps.0.next': 'custom',
      'steps.1.id': 'custom',
      'steps.1.parameters.onTimeout': 'custom',
      'steps.2.parameters.cases.0.next': 'custom',
      'steps.2.parameters.else': 'custom',
    });
    expect(faults['steps.2.parameters.cases.0.next']?.message).toBe('There is no step "e"');
  });

  it('declares variables once each, with defaults of their type', () => {
    const variables = [
      { name: 'a', type: 'string', default: 'x' },
      { name: 'b', type: 'number', default: 'x' },
      { name: 'c', type: 'boolean', default: 1 },
      { name: 'a', type: 'number' },
    ] as Definition['variables'];
    expect(keysOf(faultsOf([{}], { variables }))).toEqual({
      'variables.1.default': 'invalid_type',
      'variables.2.default': 'invalid_type',
      'variables.3.name': 'custom',
    });
  });

  it('over 200,000 characters is refused at once', () => {
    const steps = Array.from({ length: 30 }, () => step('send_message', { text: 'x'.repeat(9_000) }));
    expect(keysOf(faultsOf(steps))).toEqual({ steps: 'too_big' });
  });

  it('with more than 5,000 Liquid tags is refused at once', () => {
    const steps = Array.from({ length: 4 }, () => step('send_message', { text: '{{a}}'.repeat(1_500) }));
    expect(keysOf(faultsOf(steps))).toEqual({ steps: 'too_big' });
  });

  it('has at most a hundred faults named', () => {
    const steps = Array.from({ length: 200 }, () => step('add_label', { labelId: 'x' }));
    expect(Object.keys(faultsOf(steps))).toHaveLength(100);
  });
});

/** The parameters of a step, and the faults they have by their path below `steps.0.parameters`. */
const parameterCases: [Step['type'], unknown, Record<string, string>][] = [
  ['send_message', { text: 'Hello' }, {}],
  ['send_message', { media: { fileId: ID } }, {}],
  ['send_message', { text: 'Hi', media: { url: 'https://example.com/a.png' }, channelId: ID }, {}],
  ['send_message', undefined, { '': 'custom' }],
  ['send_message', { text: '' }, { '.text': 'too_small' }],
  ['send_message', { text: 5 }, { '.text': 'invalid_type' }],
  ['send_message', { text: 'x'.repeat(10_001) }, { '.text': 'too_big' }],
  ['send_message', { text: 'a', channelId: 'x' }, { '.channelId': 'invalid_string' }],
  ['send_message', { media: {} }, { '.media': 'custom' }],
  ['send_message', { media: { fileId: ID, url: 'https://example.com' } }, { '.media': 'custom' }],
  ['send_message', { media: { url: 'http://10.0.0.1/x' } }, { '.media.url': 'invalid_string' }],
  ['send_template', { templateId: ID, variables: { name: '{{ contact.firstName }}' } }, {}],
  ['send_template', {}, { '.templateId': 'invalid_type' }],
  ['send_template', { templateId: ID, variables: { a: '{{' } }, { '.variables.a': 'invalid_string' }],
  ['send_template', { templateId: ID, variables: { a: 1 } }, { '.variables.a': 'invalid_type' }],
  ['wait', { for: 'PT10M' }, {}],
  ['wait', { for: 'P1Y' }, {}],
  ['wait', { until: '2027-01-01T00:00:00Z' }, {}],
  ['wait', { until: '{{ variables.date }}' }, {}],
  ['wait', {}, { '': 'custom' }],
  ['wait', { for: 'PT1M', until: '2027-01-01T00:00:00Z' }, { '': 'custom' }],
  ['wait', { for: '10 minutes' }, { '.for': 'invalid_string' }],
  ['wait', { for: 'PT0S' }, { '.for': 'custom' }],
  ['wait', { for: '-PT5M' }, { '.for': 'custom' }],
  ['wait', { for: 'P1Y1D' }, { '.for': 'custom' }],
  ['wait', { until: 'tomorrow' }, { '.until': 'invalid_string' }],
  ['wait', { until: '2026-02-30T00:00:00Z' }, { '.until': 'invalid_string' }],
  ['wait', { until: '{{ variables.date' }, { '.until': 'invalid_string' }],
  ['wait_for_reply', { timeout: 'P1D' }, {}],
  ['wait_for_reply', { timeout: 'P1D', onTimeout: 's0' }, {}],
  ['wait_for_reply', {}, { '.timeout': 'invalid_type' }],
  ['branch', { cases: [{ when: 'eq(contact.firstName,"Ada")', next: 's0' }] }, {}],
  ['branch', { cases: [] }, { '.cases': 'too_small' }],
  [
    'branch',
    { cases: [{ when: 'eq(' }] },
    { '.cases.0.when': 'invalid_string', '.cases.0.next': 'invalid_type' },
  ],
  ['branch', {}, { '.cases': 'invalid_type' }],
  ['set_attribute', { externalId: 'city', value: '{{ message.text }}' }, {}],
  ['set_attribute', { externalId: 'city', value: '' }, {}],
  ['set_attribute', {}, { '.externalId': 'invalid_type', '.value': 'invalid_type' }],
  ['add_label', {}, { '.labelId': 'invalid_type' }],
  ['remove_label', { labelId: 7 }, { '.labelId': 'invalid_type' }],
  ['assign', { userId: ID, teamId: null }, {}],
  ['assign', {}, { '': 'custom' }],
  ['set_chat_status', { status: 'closed' }, {}],
  ['set_chat_status', { status: 'snoozed', snoozedUntil: '{{ variables.until }}' }, {}],
  ['set_chat_status', { status: 'snoozed' }, { '.snoozedUntil': 'invalid_type' }],
  [
    'set_chat_status',
    { status: 'open', snoozedUntil: '2027-01-01T00:00:00Z' },
    { '.snoozedUntil': 'custom' },
  ],
  ['set_chat_status', { status: 'gone' }, { '.status': 'invalid_enum_value' }],
  ['http_request', { method: 'TRACE', url: 'https://example.com' }, { '.method': 'invalid_enum_value' }],
  ['http_request', { method: 'GET', url: 'nowhere' }, { '.url': 'invalid_string' }],
  ['http_request', { method: 'GET', url: 'ftp://example.com/' }, { '.url': 'invalid_string' }],
  [
    'http_request',
    { method: 'POST', url: 'https://example.com/{{ contact.id }}', body: '{{ contact | json }}' },
    {},
  ],
  ['http_request', { method: 'GET', url: '{{ variables.url }}' }, {}],
  ['http_request', { method: 'GET', url: 'https://{{ variables.host }}/x' }, {}],
  [
    'http_request',
    { method: 'GET', url: 'https://example.com/', saveAs: 'a b' },
    { '.saveAs': 'invalid_string' },
  ],
  [
    'http_request',
    { method: 'GET', url: 'https://example.com/', saveAs: 'constructor' },
    { '.saveAs': 'invalid_string' },
  ],
  [
    'http_request',
    {
      method: 'GET',
      url: 'https://example.com/',
      headers: { 'X-Key': '{{ variables.key }}', 'a b': '', Host: 'x', B: 'a\r\nc' },
    },
    { '.headers.a b': 'invalid_string', '.headers.Host': 'custom', '.headers.B': 'invalid_string' },
  ],
  ['end', undefined, {}],
  ['end', { anything: true }, {}],
  ['end', [], { '': 'invalid_type' }],
];

describe('the parameters of a step', () => {
  it.each(parameterCases)('%s %j', (type, parameters, expected) => {
    const faults = keysOf(faultsOf([step(type, parameters)]));
    const named = Object.entries(expected).map(([path, key]) => [`steps.0.parameters${path}`, key]);
    expect(faults).toEqual(Object.fromEntries(named));
  });

  it.each([
    'http://127.0.0.1/{{ contact.id }}',
    'http://127.1/?x={{ contact.id }}',
    'http:\\\\10.0.0.1\\{{ contact.id }}',
    'https://[::1]/#{{ contact.id }}',
    'http:192.168.1.1/{{ contact.id }}',
    'http://user:secret@example.com/{{ contact.id }}',
    'http://169.254.169.254/latest',
  ])('S1: %s names a host that is never called, whatever its Liquid says', (url) => {
    expect(keysOf(faultsOf([step('http_request', { method: 'GET', url })]))).toEqual({
      'steps.0.parameters.url': 'invalid_string',
    });
  });

  it('an address that the operator has opened may be called', () => {
    const open = { allow: parseAllowList('10.0.0.0/8'), loopback: false };
    const given = definitionOf([step('http_request', { method: 'GET', url: 'http://10.0.0.1/' })]);
    expect(checkDefinition(given, open).found.faults).toEqual({});
  });
});

const triggerCases: [string, unknown, Record<string, string>][] = [
  ['api', undefined, {}],
  ['api', { channelId: ID }, {}],
  ['api', { channelId: 'x' }, { '.channelId': 'invalid_string' }],
  ['message_received', { keywords: ['hi', 'hello'] }, {}],
  ['message_received', { keywords: [] }, { '.keywords': 'too_small' }],
  ['message_received', { keywords: ['', 5] }, { '.keywords.0': 'too_small', '.keywords.1': 'invalid_type' }],
  ['label_added', {}, { '.labelId': 'invalid_type' }],
  ['label_added', { labelId: ID }, {}],
  ['schedule', {}, { '.rrule': 'invalid_type', '.audience': 'invalid_type' }],
  ['schedule', { rrule: 'FREQ=DAILY', audience: 'contains(labelIds,"x")', timezone: 'Europe/Berlin' }, {}],
  ['schedule', { rrule: 'FREQ=DAILY', audience: 'eq(' }, { '.audience': 'invalid_string' }],
  ['schedule', { rrule: 'FREQ=DAILY', audience: '' }, { '.audience': 'too_small' }],
  ['schedule', { rrule: 'daily', audience: 'eq(isSubscribed,true)' }, { '.rrule': 'invalid_string' }],
  [
    'schedule',
    { rrule: 'FREQ=DAILY', audience: 'eq(isSubscribed,true)', timezone: 'Mars/Olympus' },
    { '.timezone': 'invalid_string' },
  ],
];

describe('the parameters of a trigger', () => {
  it.each(triggerCases)('%s %j', (type, parameters, expected) => {
    const faults = keysOf(faultsOf([{}], trigger(type, parameters)));
    const named = Object.entries(expected).map(([path, key]) => [`trigger.parameters${path}`, key]);
    expect(faults).toEqual(Object.fromEntries(named));
  });
});

describe('Liquid', () => {
  const faultOf = (text: string) => faultsOf([step('send_message', { text })])['steps.0.parameters.text'];

  it.each([
    'Hello {{ contact.firstName | default: "you" }}',
    '{% if variables.plan == "gold" %}Gold{% else %}{{ attributes.city | upcase }}{% endif %}',
    '{% for label in contact.labels %}{{ label.name }}{% endfor %}',
    'No Liquid } here { at all }}',
    '{{ steps.order.body.items[0].name }}',
  ])('%s is fine', (text) => {
    expect(faultOf(text)).toBeUndefined();
  });

  it.each([
    ['Hello {{ contact.firstName', 'line:1, col:7'],
    ['One\nTwo {{ contact.firstName | shout }}', 'undefined filter: shout, line:2, col:5'],
    ['{% if a %}', 'line:1, col:1'],
    ['{% include "secrets" %}', 'tag "include" not found'],
    ['{% render "secrets" %}', 'tag "render" not found'],
    ['{% layout "secrets" %}', 'tag "layout" not found'],
    ['{% nothing %}', 'tag "nothing" not found'],
    ['{{ }}', 'line:1'],
  ])('%j is refused with its place: %s', (text, words) => {
    expect(faultOf(text)).toMatchObject({ key: 'invalid_string', message: expect.stringContaining(words) });
  });

  it('nested too deeply is refused', () => {
    expect(faultOf(`{{ ${'a['.repeat(3_300)}1${']'.repeat(3_300)} }}`)?.key).toBe('invalid_string');
  });
});

describe('a condition', () => {
  const more: Partial<Definition> = {
    variables: [
      { name: 'plan', type: 'string' },
      { name: 'seats', type: 'number' },
    ],
  };
  const http = step('http_request', { method: 'GET', url: 'https://example.com/', saveAs: 'order' });
  const check = (when: string) =>
    checkDefinition(definitionOf([step('branch', { cases: [{ when, next: 's0' }] }), http], more), policy);
  const at = 'steps.0.parameters.cases.0.when';

  it.each([
    'and(eq(contact.firstName,"Ada"),not(isNull(contact.email)))',
    'contains(contact.labelIds,"x")',
    'eq(contact.metadata.crm.id,7)',
    'gt(variables.seats,10)',
    'in(variables.plan,"gold","silver")',
    'contains(message.text,"yes")',
    'eq(message.content.id,"button-1")',
    'eq(chat.status,"open")',
    'ge(steps.order.status,400)',
    'eq(steps.order.body,"ok")',
    'eq(steps.order.body.items.0.sku,"A1")',
    'eq("attributes.city","Berlin")',
  ])('%s is fine', (when) => {
    expect(check(when).found.faults).toEqual({});
  });

  it.each([
    [
      'eq(contact.fristName,"Ada")',
      'Unknown field "contact.fristName" at column 4; did you mean "contact.firstName"?',
    ],
    ['eq(variables.plam,"x")', 'did you mean "variables.plan"?'],
    ['eq(steps.other.status,1)', 'Unknown field "steps.other.status"'],
    ['eq(steps.order.body.,1)', 'Unknown field'],
    ['eq(attributes.,1)', 'Unknown field'],
    ['eq(id,"x")', 'Unknown field "id"'],
    ['eq(tenantId,"x")', 'Unknown field'],
    ['eq(constructor,"x")', 'Unknown field'],
    ['gt(variables.seats,"many")', 'Expected a number for "variables.seats"'],
    ['eq(chat.status,"gone")', 'Expected one of "open", "snoozed", "closed"'],
    ['eq(contact.firstName,"Ada"', 'column'],
    ['', 'at least 1'],
  ])('%s is refused: %s', (when, words) => {
    expect(check(when).found.faults[at]?.message).toContain(words);
  });

  it('is told the nearest name ten times, and then only that the name is unknown', () => {
    const cases = Array.from({ length: 12 }, () => ({ when: 'eq(contact.emial,"x")', next: 's0' }));
    const messages = Object.values(faultsOf([step('branch', { cases })])).map(({ message }) => message);
    expect(messages.slice(0, 10)).toEqual(
      Array(10).fill('Unknown field "contact.emial" at column 4; did you mean "contact.email"?'),
    );
    expect(messages.slice(10)).toEqual(Array(2).fill('Unknown field "contact.emial" at column 4'));
  });

  it('names the attributes that must be there', () => {
    const { references } = check(
      'or(eq(attributes.city,"x"),and(isNull(attributes.size),eq(variables.plan,"x")))',
    );
    expect(references).toEqual([
      { kind: 'attribute', value: 'city', at },
      { kind: 'attribute', value: 'size', at },
    ]);
  });
});

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
        const { found, definition: kept } = checkDefinition(definition, policy);
        for (const [path, fault] of Object.entries(found.faults)) {
          expect(path).toMatch(/^(steps|trigger|variables)/);
          expect(fault.message.length).toBeLessThan(700);
        }
        if (Object.keys(found.faults).length === 0)
          expect(checkDefinition(kept, policy).definition).toEqual(kept);
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
      return Math.min(
        ...Array.from({ length: 3 }, () => {
          const start = performance.now();
          checkDefinition(given, policy);
          return performance.now() - start;
        }),
      );
    };
    const [once, twice] = [costOf(95_000), costOf(190_000)];
    expect(twice).toBeLessThan(10 * once + 500);
  });
});
