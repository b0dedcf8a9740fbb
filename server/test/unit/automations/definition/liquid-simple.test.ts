import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { render, renderSimple } from '../../../../src/automations/definition/liquid.ts';

const scope = {
  contact: { firstName: 'Ada', lastName: null, labelIds: ['a', 'b'], labels: [{ id: 'a' }] },
  message: { text: 'x'.repeat(70_000) },
  variables: { name: 'firstName', list: ['x'.repeat(70_000)] },
};

describe('a text', () => {
  it.each([
    'Hello',
    'Hello {{ contact.firstName }}',
    'Hello {{ contact.firstName | default: "you" | capitalize }}, {{ contact["lastName"] | default: "there" }}',
    '{% if contact.firstName == "Ada" and contact.lastName == nil %}yes{% elsif contact.firstName %}no{% else %}-{% endif %}',
    '{% unless contact.lastName %}no name{% endunless %}',
    '{% case contact.firstName %}{% when "Ada", "Bob" %}1{% else %}2{% endcase %}',
    '{{ contact.labelIds | first }} {{ contact.labelIds | size }}{% if contact.labelIds contains "a" %}!{% endif %}',
    '{{ "2026-11-15" | date: "%d.%m.%Y" }}',
  ])('%s is rendered at once', (text) => {
    expect(renderSimple(text, scope)).toEqual(render(text, scope));
    expect(renderSimple(text, scope)?.text).toBeTypeOf('string');
  });

  it.each([
    '{% for a in contact.labelIds %}{{ a }}{% endfor %}',
    '{% assign a = contact.firstName %}{{ a }}',
    '{% capture a %}b{% endcapture %}{{ a }}',
    '{{ contact.firstName | replace: "a", "b" }}',
    '{{ contact.firstName | json | json | json }}',
    '{{ contact[variables.name] }}',
    '{{ (1..9) | join: "" }}',
    '{{ message.text | upcase }}',
    '{{ variables.list.first }}',
    '{{ variables.list }}',
    '{{ contact.labels }}',
    '{{ "a" | date: "%9999999d" }}{{ "2026-11-15" | date: "%9999999d" }}',
    `{{ contact.firstName ${'| upcase '.repeat(11)} }}`,
  ])('%s needs a worker thread', (text) => {
    expect(renderSimple(text, scope)).toBeUndefined();
  });

  it('that is not valid, or names something unknown, is refused with the same words', () => {
    for (const text of ['{{ contact.', '{% if %}', '{{ contact.nobody }}', '{{ a | nofilter }}'])
      expect(renderSimple(text, scope)).toEqual(render(text, scope));
  });

  it('is the same from here and from a thread, whatever it is made of', () => {
    const pieces = fc.constantFrom(
      '{{ contact.firstName }}',
      '{{ contact.lastName | default: "x" }}',
      '{% if contact.firstName contains "d" %}',
      '{% else %}',
      '{% endif %}',
      '{% unless contact.lastName %}',
      '{% endunless %}',
      '{{- " a " -}}',
      ' text ',
      '{{ contact.labelIds | last | upcase }}',
      '{{ contact.labels | size }}',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (all) => {
        const simple = renderSimple(all.join(''), scope);
        if (simple) expect(simple).toEqual(render(all.join(''), scope));
      }),
    );
  });
});
