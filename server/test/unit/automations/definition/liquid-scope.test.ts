import { describe, expect, it } from 'vitest';
import { render } from '../../../../src/automations/definition/liquid.ts';

const scope = {
  contact: {
    firstName: 'Ada',
    lastName: null,
    metadata: { plan: { name: 'gold' }, tags: ['a', 'b'], none: null },
  },
  message: { text: 'hi', content: {} },
  attributes: { 'city.home': 'Paris', age: null },
  variables: { order: 'A-1' },
  steps: { crm: { status: 200, body: { customer: { id: 7 } } } },
};
const rendered = (text: string) => render(text, scope);

describe('a key that nobody declares', () => {
  it.each([
    ['{{ contact.metadata.nickname | default: "you" }}', 'you'],
    ['{{ contact.metadata.a.b.c | default: "deep" }}', 'deep'],
    ['{{ contact.metadata.plan.name }} {{ contact.metadata.plan.since | default: "ever" }}', 'gold ever'],
    ['{% if contact.metadata.vip %}yes{% else %}no{% endif %}', 'no'],
    ['{{ attributes["city.home"] }}', 'Paris'],
    ['{{ attributes.shoe | default: "?" }}', '?'],
    ['{{ variables.coupon | default: "none" }}', 'none'],
    [
      '{{ steps.crm.body.customer.email | default: "unknown" }} {{ steps.crm.body.customer.id }}',
      'unknown 7',
    ],
    ['{{ message.content.subject | default: "no subject" }}', 'no subject'],
    [
      '{{ contact.metadata.tags | join: "+" }} {{ contact.metadata.tags.size }} {{ contact.metadata.tags[5] | default: "-" }}',
      'a+b 2 -',
    ],
    ['{{ contact.metadata.size }}', '3'],
    ['{{ contact.metadata.plan | json }}', '{"name":"gold"}'],
    ['{% for pair in contact.metadata.plan %}{{ pair[0] }}={{ pair[1] }}{% endfor %}', 'name=gold'],
    ['{{ contact.metadata.constructor | default: "nothing" }}', 'nothing'],
    ['{{ contact.metadata.__proto__ | default: "nothing" }}', 'nothing'],
  ])('%s is nil: %j', (text, expected) => {
    expect(rendered(text)).toEqual({ text: expected });
  });

  it.each([
    '{{ contact.nickname }}',
    '{{ contct.firstName }}',
    '{{ message.txt }}',
    '{{ steps.crm.stats }}',
  ])('is not one of the known objects: %s is an error that names it', (text) => {
    const name = /\{\{ (\S+)/.exec(text)?.[1] as string;
    expect(rendered(text).issue).toContain(name.split('.')[0] === 'contct' ? 'contct' : name);
  });
});

describe('a text', () => {
  it('has bounds: 64 kB of output, 256 kB in all', () => {
    const long = { ...scope, message: { text: 'x'.repeat(60_000), content: {} } };
    expect(render('{{ message.text }}', long).text).toHaveLength(60_000);
    expect(render('{{ message.text }}{{ message.text }}', long).issue).toContain('65536');
    expect(
      render(
        '{% capture a %}{{ message.text }}{{ message.text }}{{ message.text }}{% endcapture %}{{ a | size }}{{ a | size }}',
        long,
      ).text,
    ).toBe('180000180000');
    expect(render(`{% capture a %}${'{{ message.text }}'.repeat(6)}{% endcapture %}`, long).issue).toContain(
      'memory',
    );
    expect(render('{% for i in (1..300000) %}{% endfor %}', scope).issue).toContain('memory');
  });
});
