import { describe, expect, it } from 'vitest';
import type { Definition } from '../../../../src/automations/schema.ts';
import { definitionOf, issuesOf, keysOf, step, trigger, validate } from '../../../kit/definitions.ts';

const ID = '019a82a0-0000-7000-8000-00000000abcd';

describe('a definition', () => {
  it('without issues is kept without nulls, ids in one spelling', () => {
    const given = definitionOf(
      [
        step('add_label', { labelId: ID.toUpperCase() }),
        step('assign', { userId: null }),
        step('http_request', { method: 'GET', url: 'https://example.com/', headers: { Accept: '*/*' } }),
      ],
      { ...trigger('message_received', { keywords: ['hi'], channelId: null }) },
    );
    const { definition, issues, references } = validate(given);
    expect(issues).toEqual({});
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
    expect(issuesOf([{ type: 'end' }, step('send_message', { text: 'never' })])).toEqual({});
  });

  it('names every step by an id of its own, and only steps that it has', () => {
    const issues = issuesOf([
      { id: 'a', type: 'end', next: 'b' },
      { id: 'a', ...step('wait_for_reply', { timeout: 'PT1H', onTimeout: 'c' }) },
      { id: 'd', ...step('branch', { cases: [{ when: 'isNull(contact.email)', next: 'e' }], else: 'f' }) },
    ]);
    expect(keysOf(issues)).toEqual({
      'steps.0.next': 'custom',
      'steps.1.id': 'custom',
      'steps.1.parameters.onTimeout': 'custom',
      'steps.2.parameters.cases.0.next': 'custom',
      'steps.2.parameters.else': 'custom',
    });
    expect(issues['steps.2.parameters.cases.0.next']?.message).toBe('There is no step "e"');
  });

  it('declares variables once each, with defaults of their type', () => {
    const variables = [
      { name: 'a', type: 'string', default: 'x' },
      { name: 'b', type: 'number', default: 'x' },
      { name: 'c', type: 'boolean', default: 1 },
      { name: 'a', type: 'number' },
    ] as Definition['variables'];
    expect(keysOf(issuesOf([{}], { variables }))).toEqual({
      'variables.1.default': 'invalid_type',
      'variables.2.default': 'invalid_type',
      'variables.3.name': 'custom',
    });
  });

  it('over 200,000 characters is refused at once', () => {
    const steps = Array.from({ length: 30 }, () => step('send_message', { text: 'x'.repeat(9_000) }));
    expect(keysOf(issuesOf(steps))).toEqual({ steps: 'too_big' });
  });

  it('with more than 5,000 Liquid tags is refused at once', () => {
    const steps = Array.from({ length: 4 }, () => step('send_message', { text: '{{a}}'.repeat(1_500) }));
    expect(keysOf(issuesOf(steps))).toEqual({ steps: 'too_big' });
  });

  it('has at most a hundred faults named', () => {
    const steps = Array.from({ length: 200 }, () => step('add_label', { labelId: 'x' }));
    expect(Object.keys(issuesOf(steps))).toHaveLength(100);
  });
});
