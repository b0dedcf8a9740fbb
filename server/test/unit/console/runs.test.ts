import { ParleyError } from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import type { FlowDefinition } from '../../../../console/src/flow/definition.ts';
import {
  findTakenWays,
  paintFunnel,
  paintRun,
} from '../../../../console/src/screens/automations/runs/paint.ts';
import {
  emptyForm,
  findIssuesByNode,
  writeTryBody,
} from '../../../../console/src/screens/automations/runs/try-body.ts';

const entry = (step: string, status: string, detail: object = {}) => ({ step, status, detail }) as never;

describe('a run on the picture', () => {
  it('shows how each step ended, what was sent, and how often it was there', () => {
    const trace = [
      entry('ask', 'completed', { text: 'Well?' }),
      entry('wait', 'completed'),
      entry('ask', 'completed', { text: 'Again?' }),
      entry('wait', 'waiting'),
    ];
    expect(paintRun(trace, true)).toEqual({
      $trigger: { state: 'done' },
      ask: { state: 'done', count: 2, text: 'Again?' },
      wait: { state: 'waiting', count: 2 },
    });
  });

  it('shows where it failed, and nothing before it has started', () => {
    expect(paintRun([entry('send', 'failed')], true)).toMatchObject({ send: { state: 'failed' } });
    expect(paintRun([entry('wait', 'cancelled')], true)).toMatchObject({ wait: { state: 'cancelled' } });
    expect(paintRun([], false)).toEqual({});
  });
});

describe('the ways that a run took', () => {
  const flow: FlowDefinition = {
    trigger: { type: 'api' },
    variables: [],
    steps: [
      { id: 'ask', type: 'send_message', parameters: { text: 'Well?' } },
      { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'bye' } },
      {
        id: 'which',
        type: 'branch',
        parameters: {
          cases: [
            { when: 'a', next: 'bye' },
            { when: 'b', next: 'bye' },
          ],
          else: 'ask',
        },
      },
      { id: 'bye', type: 'send_message', parameters: { text: 'Bye' } },
    ],
  };
  const ways = (isCompleted: boolean, ...trace: never[]) => [...findTakenWays(trace, flow, isCompleted)];

  it('are those between its steps: one of several cases, a reply, a timeout, the end', () => {
    const asked = [entry('ask', 'completed'), entry('wait', 'completed', { reply: {} })];
    const bye = entry('bye', 'completed');
    expect(ways(true, ...asked, entry('which', 'completed', { case: 1 }), bye)).toEqual([
      '$trigger:next',
      'ask:next',
      'wait:next',
      'which:case:1',
      'bye:next',
    ]);
    expect(
      ways(false, ...asked, entry('which', 'completed', { case: null }), entry('ask', 'running')),
    ).toEqual(['$trigger:next', 'ask:next', 'wait:next', 'which:else']);
    expect(
      ways(true, entry('ask', 'completed'), entry('wait', 'completed', { timedOut: true }), bye),
    ).toEqual(['$trigger:next', 'ask:next', 'wait:timeout', 'bye:next']);
  });

  it('end where it waits, failed, or was cancelled; a step that was retried is left once', () => {
    expect(ways(false)).toEqual([]);
    expect(ways(false, entry('ask', 'failed'))).toEqual(['$trigger:next']);
    expect(ways(false, entry('ask', 'failed'), entry('ask', 'completed'), entry('wait', 'waiting'))).toEqual([
      '$trigger:next',
      'ask:next',
    ]);
    expect(ways(false, entry('ask', 'completed'), entry('wait', 'cancelled'))).toEqual([
      '$trigger:next',
      'ask:next',
    ]);
    // A step that no version has any more leads nowhere.
    expect(ways(true, entry('gone', 'completed'), entry('ask', 'completed'))).toEqual(['$trigger:next']);
  });
});

describe('results on the picture', () => {
  const counts = { left: 0, waiting: 0, failed: 0, ended: 0, type: 'end' };
  it('say how many came to each step, and what became of the worst of them', () => {
    const funnel = {
      runs: 9,
      steps: [
        { ...counts, step: 'a', entered: 9, failed: 1, waiting: 2 },
        { ...counts, step: 'b', entered: 8, waiting: 2 },
        { ...counts, step: 'c', entered: 6 },
        { ...counts, step: 'd', entered: 0 },
      ],
    };
    expect(paintFunnel(funnel as never)).toEqual({
      $trigger: { state: 'done', count: 9 },
      a: { state: 'failed', count: 9 },
      b: { state: 'waiting', count: 8 },
      c: { state: 'done', count: 6 },
      d: { state: 'skipped', count: 0 },
    });
  });
});

const definition: FlowDefinition = {
  trigger: { type: 'message_received' },
  variables: [
    { name: 'order', type: 'string', required: true },
    { name: 'count', type: 'number' },
    { name: 'isNew', type: 'boolean' },
  ],
  steps: [
    { id: 'ask', type: 'send_message', parameters: { text: '{{' } },
    { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
  ],
};

describe('what is sent to try an automation', () => {
  it('leaves out what nobody has filled in', () => {
    expect(writeTryBody('x', emptyForm(definition, 'Hello'), definition, false)).toEqual({
      contactId: 'x',
      replies: [{}],
    });
  });

  it('has values of their types, and the definition if it is not saved', () => {
    const form = {
      message: 'Hi',
      variables: { order: '007', count: '4.5', isNew: 'false', gone: 'x' },
      replies: ['', 'Yes'],
      at: '2026-11-17T10:00',
    };
    expect(writeTryBody('x', form, definition, true)).toEqual({
      contactId: 'x',
      message: { text: 'Hi' },
      variables: { order: '007', count: 4.5, isNew: false },
      replies: [{}, { text: 'Yes' }],
      at: new Date('2026-11-17T10:00').toISOString(),
      definition,
    });
  });

  it('has a text where somebody wrote no number, so that the server says so', () => {
    const form = { ...emptyForm(definition, 'Hello'), variables: { count: 'many' } };
    expect(writeTryBody('x', form, definition, false).variables).toEqual({ count: 'many' });
  });
});

describe('what is wrong with the definition', () => {
  it('is shown at its step, or at the trigger', () => {
    const error = Object.assign(Object.create(ParleyError.prototype), {
      issues: [
        { parameter: 'definition.steps.0.parameters.text', message: 'not closed' },
        { parameter: 'definition.steps.0.next', message: 'no such step' },
        { parameter: 'definition.trigger.parameters.keywords', message: 'too many' },
        { parameter: 'definition.steps.9', message: 'beyond' },
        { parameter: 'contactId', message: 'unknown' },
      ],
    });
    expect(findIssuesByNode(error, definition)).toEqual(
      new Map([
        ['ask', ['not closed', 'no such step']],
        ['$trigger', ['too many', 'beyond']],
      ]),
    );
    expect(findIssuesByNode(new Error('x'), definition)).toBeUndefined();
  });
});
