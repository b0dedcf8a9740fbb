import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../../src/automations/schema.ts';
import { definitionOf, issuesOf, step, validate } from '../../../kit/definitions.ts';

describe('Liquid', () => {
  const issueOf = (text: string) => issuesOf([step('send_message', { text })])['steps.0.parameters.text'];

  it.each([
    'Hello {{ contact.firstName | default: "you" }}',
    '{% if variables.plan == "gold" %}Gold{% else %}{{ attributes.city | upcase }}{% endif %}',
    '{% for label in contact.labels %}{{ label.name }}{% endfor %}',
    'No Liquid } here { at all }}',
    '{{ steps.order.body.items[0].name }}',
    '{% assign city = attributes.city %}{% capture x %}{{ city }}{% endcapture %}{{ x }}',
  ])('%s is fine', (text) => {
    expect(issueOf(text)).toBeUndefined();
  });

  it.each([
    ['Hello {{ contact.firstName', 'line:1, col:7'],
    ['One\nTwo {{ contact.firstName | shout }}', 'undefined filter: shout, line:2, col:5'],
    ['{% if a %}', 'line:1, col:1'],
    ['Hi {{ contct.firstName }}', 'There is no "contct"; did you mean "contact"?'],
    ['{% for l in label %}{{ l }}{% endfor %}', 'There is no "label"'],
    ['{% include "secrets" %}', 'tag "include" not found'],
    ['{% render "secrets" %}', 'tag "render" not found'],
    ['{% layout "secrets" %}', 'tag "layout" not found'],
    ['{% nothing %}', 'tag "nothing" not found'],
    ['{{ }}', 'line:1'],
  ])('%j is refused with its place: %s', (text, words) => {
    expect(issueOf(text)).toMatchObject({ key: 'invalid_string', message: expect.stringContaining(words) });
  });

  it('nested too deeply is refused', () => {
    expect(issueOf(`{{ ${'a['.repeat(3_300)}1${']'.repeat(3_300)} }}`)?.key).toBe('invalid_string');
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
    validate(definitionOf([step('branch', { cases: [{ when, next: 's0' }] }), http], more));
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
    expect(check(when).issues).toEqual({});
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
    expect(check(when).issues[at]?.message).toContain(words);
  });

  it('suggests the nearest name ten times, and then only that the name is unknown', () => {
    const cases = Array.from({ length: 12 }, () => ({ when: 'eq(contact.emial,"x")', next: 's0' }));
    const messages = Object.values(issuesOf([step('branch', { cases })])).map(({ message }) => message);
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
