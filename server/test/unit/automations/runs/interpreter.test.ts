import { describe, expect, it } from 'vitest';
import type { RunContext } from '../../../../src/automations/runs/context.ts';
import { evaluateTexts } from '../../../../src/automations/runs/evaluate-task.ts';
import { interpret } from '../../../../src/automations/runs/interpreter.ts';
import { compileProgram, type Program } from '../../../../src/automations/runs/program.ts';
import {
  type AnsweredCall,
  type Effect,
  type EffectResult,
  freshState,
  type RunState,
  type StepBatch,
} from '../../../../src/automations/runs/state.ts';
import type { Definition } from '../../../../src/automations/schema.ts';
import { exampleContact } from '../../../../src/contacts/example.ts';

const RUN = '019a82a0-0000-7000-8000-000000000001';
const START = new Date('2026-11-15T10:00:00.000Z');
const at = (minutes: number): Date => new Date(START.getTime() + minutes * 60_000);

const program = (steps: object[], variables: object[] = []): Program =>
  compileProgram({ trigger: { type: 'api', parameters: {} }, variables, steps } as Definition);

const context = (more: Partial<RunContext> = {}): RunContext => ({
  contact: exampleContact,
  attributes: { tier: 'gold', age: null },
  chat: null,
  message: null,
  unsubscribeUrl: '',
  ...more,
});

/** Runs a step batch; `answer` says what each request returns. */
function go(
  made: Program,
  place: { step?: string | null; state?: RunState; answered?: AnsweredCall },
  now = START,
  answer: (effect: Effect) => EffectResult = () => ({}),
): StepBatch & { asked: Effect[] } {
  const { step = null, state = freshState(RUN, {}), answered } = place;
  const pending = answered && state.pending ? { ...state.pending, answer: answered } : state.pending;
  const steps = interpret(made, { step, state: { ...state, pending } }, context(), now);
  const asked: Effect[] = [];
  let turn = steps.next();
  while (!turn.done) {
    asked.push(turn.value);
    turn = steps.next(answer(turn.value));
  }
  return { ...turn.value, asked };
}

const typed = (stepBatch: StepBatch) =>
  stepBatch.trace.map(({ number, step, status }) => [number, step, status]);

describe('a run', () => {
  it('goes from step to step, and is completed after the last', () => {
    const stepBatch = go(
      program([
        { id: 'a', type: 'add_label', parameters: { labelId: 'x' } },
        { id: 'b', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } },
      ]),
      {},
    );
    expect(stepBatch.asked).toMatchObject([
      { kind: 'add_label', labelId: 'x' },
      { kind: 'send', content: { text: `Hello ${exampleContact.firstName}` }, number: 2 },
    ]);
    expect(stepBatch).toMatchObject({ step: null, ending: { kind: 'completed' } });
    expect(typed(stepBatch)).toEqual([
      [1, 'a', 'completed'],
      [2, 'b', 'completed'],
    ]);
  });

  it('waits until its time, and goes on after it', () => {
    const made = program([
      { id: 'w', type: 'wait', parameters: { for: 'PT10M' } },
      { id: 's', type: 'send_message', parameters: { text: 'Late' } },
    ]);
    const first = go(made, {});
    expect(first).toMatchObject({ step: 'w', ending: { kind: 'waiting', until: at(10), forReply: false } });
    expect(typed(first)).toEqual([[1, 'w', 'waiting']]);
    const early = go(made, first, at(9));
    expect(early).toMatchObject({ ending: { kind: 'waiting', until: at(10) } });
    const second = go(made, early, at(10));
    expect(typed(second)).toEqual([
      [1, 'w', 'completed'],
      [2, 's', 'completed'],
    ]);
    expect(second.trace[0]).toMatchObject({ startedAt: START, endedAt: at(10) });
  });

  it('does not wait for what is past', () => {
    const made = program([{ id: 'w', type: 'wait', parameters: { until: '2026-11-15T09:00:00Z' } }]);
    expect(go(made, {}).ending).toEqual({ kind: 'completed' });
  });

  it('fails at a text with a hole in it, and sends nothing', () => {
    const stepBatch = go(
      program([{ id: 's', type: 'send_message', parameters: { text: 'Hi {{ contact.nickname }}' } }]),
      {},
    );
    expect(stepBatch.asked).toEqual([]);
    expect(stepBatch).toMatchObject({
      step: 's',
      ending: { kind: 'failed', failure: { code: 'liquid_error' } },
    });
    expect(stepBatch.trace).toMatchObject([{ status: 'failed', error: { code: 'liquid_error' } }]);
  });

  it('fails at what could not be done, and is tried again from there', () => {
    const made = program([
      { id: 'a', type: 'add_label', parameters: { labelId: 'x' } },
      { id: 'b', type: 'end' },
    ]);
    const failure = { code: 'invalid_body_params', message: 'There is no label x' };
    const failed = go(made, {}, START, () => ({ failure }));
    expect(failed).toMatchObject({ step: 'a', ending: { kind: 'failed', failure } });
    const again = go(made, failed, at(1));
    expect(again.ending).toEqual({ kind: 'completed' });
    expect(typed(again)).toEqual([
      [2, 'a', 'completed'],
      [3, 'b', 'completed'],
    ]);
  });

  it('ends as cancelled where the one who does it says so', () => {
    const made = program([{ id: 's', type: 'send_message', parameters: { text: 'Hi' } }]);
    const failure = { code: 'unsubscribed', message: 'No' };
    expect(go(made, {}, START, () => ({ failure, ends: 'cancelled' })).ending).toEqual({
      kind: 'cancelled',
      failure,
    });
  });

  it('rests after 100 steps and fails after 1000', () => {
    const made = program([{ id: 'a', type: 'add_label', parameters: { labelId: 'x' }, next: 'a' }]);
    let stepBatch: StepBatch = go(made, {});
    expect(stepBatch).toMatchObject({ step: 'a', ending: { kind: 'unfinished' }, state: { begun: 100 } });
    for (let count = 1; count < 10; count += 1) stepBatch = go(made, stepBatch);
    expect(stepBatch.ending).toEqual({ kind: 'unfinished' });
    expect(go(made, stepBatch).ending).toMatchObject({ kind: 'failed', failure: { code: 'too_many_steps' } });
  });
});

describe('a reply', () => {
  const made = program([
    { id: 'ask', type: 'send_message', parameters: { text: 'Well?' } },
    { id: 'r', type: 'wait_for_reply', parameters: { timeout: 'PT1H', onTimeout: 'late' } },
    { id: 'thanks', type: 'send_message', parameters: { text: 'You said {{ message.text }}' }, next: 'end' },
    { id: 'late', type: 'send_message', parameters: { text: 'Still there?{{ message.text }}' } },
    { id: 'end', type: 'end' },
  ]);
  const reply = { id: 'reply', text: 'Yes' };
  const answering =
    (found: boolean) =>
    (effect: Effect): EffectResult =>
      effect.kind === 'send'
        ? { messageId: `sent-${effect.number}` }
        : effect.kind === 'find_reply' && found
          ? { messageId: 'reply', context: { message: reply as never } }
          : {};

  it('that came before the step began is taken at once', () => {
    const stepBatch = go(made, {}, START, answering(true));
    expect(stepBatch.asked[1]).toEqual({ kind: 'find_reply', after: 'sent-1' });
    expect(stepBatch.asked[2]).toMatchObject({ kind: 'send', content: { text: 'You said Yes' } });
    expect(stepBatch.state).toMatchObject({ messageId: 'reply', after: 'sent-3' });
    expect(stepBatch.trace[1]).toMatchObject({ detail: { reply: { messageId: 'reply', text: 'Yes' } } });
  });

  it('that comes while it waits is taken then', () => {
    const waiting = go(made, {}, START, answering(false));
    expect(waiting).toMatchObject({ step: 'r', ending: { kind: 'waiting', until: at(60), forReply: true } });
    const nudged = go(made, waiting, at(5), answering(true));
    expect(nudged.asked[1]).toMatchObject({ content: { text: 'You said Yes' } });
    expect(nudged.ending).toEqual({ kind: 'completed' });
  });

  it('counts also in the instant of the time-out', () => {
    const waiting = go(made, {}, START, answering(false));
    expect(go(made, waiting, at(60), answering(true)).asked[1]).toMatchObject({
      content: { text: 'You said Yes' },
    });
  });

  it('that never comes leads elsewhere, with no message to speak of', () => {
    const waiting = go(made, {}, START, answering(false));
    const late = go(made, waiting, at(60), answering(false));
    expect(late.asked[1]).toMatchObject({ kind: 'send', content: { text: 'Still there?' } });
    expect(late.trace[0]).toMatchObject({ detail: { timedOut: true } });
  });
});

describe('a branch', () => {
  const made = program(
    [
      {
        id: 'b',
        type: 'branch',
        parameters: {
          cases: [
            { when: 'gt(attributes.age,18)', next: 'old' },
            { when: 'and(eq(attributes.tier,"gold"),eq(variables.plan,"x"))', next: 'gold' },
          ],
          else: 'other',
        },
      },
      { id: 'old', type: 'end' },
      { id: 'gold', type: 'end' },
      { id: 'other', type: 'end' },
    ],
    [{ name: 'plan', type: 'string' }],
  );

  it('takes the first case that is true, and says why', () => {
    const stepBatch = go(made, { state: freshState(RUN, { plan: 'x' }) });
    expect(stepBatch.trace).toMatchObject([
      {
        detail: {
          case: 1,
          when: 'and(eq(attributes.tier,"gold"),eq(variables.plan,"x"))',
          values: { 'attributes.age': null, 'attributes.tier': 'gold', 'variables.plan': 'x' },
        },
      },
      { step: 'gold' },
    ]);
  });

  it('goes elsewhere where none is', () => {
    expect(go(made, {}).trace[1]).toMatchObject({ step: 'other' });
  });
});

describe('a call to another server', () => {
  const made = program([
    {
      id: 'h',
      type: 'http_request',
      parameters: {
        method: 'POST',
        url: 'https://example.com/{{ contact.id }}',
        headers: { authorization: 'Bearer secret' },
        body: '{"name":"{{ contact.firstName }}"}',
        saveAs: 'crm',
      },
    },
    { id: 's', type: 'send_message', parameters: { text: '{{ steps.crm.body.greeting }}' } },
  ]);

  it('is made between two step batches, and later steps see the answer', () => {
    const calling = go(made, {});
    expect(calling).toMatchObject({
      step: 'h',
      ending: { kind: 'calling' },
      state: {
        pending: {
          call: {
            url: `https://example.com/${exampleContact.id}`,
            body: `{"name":"${exampleContact.firstName}"}`,
          },
        },
      },
    });
    expect(JSON.stringify(calling.trace)).not.toContain('secret');
    const saved = { status: 200, body: { greeting: 'Welcome' } };
    const stepBatch = go(made, { ...calling, answered: { saved, url: 'https://example.com/' } });
    expect(stepBatch.asked).toMatchObject([{ kind: 'send', content: { text: 'Welcome' }, number: 2 }]);
    expect(typed(stepBatch)).toEqual([
      [1, 'h', 'completed'],
      [2, 's', 'completed'],
    ]);
  });

  it('is asked for again after a crash, under the same number', () => {
    const calling = go(made, {});
    expect(go(made, calling)).toMatchObject({ state: { begun: 1 }, ending: { kind: 'calling' } });
  });

  it('that brings nothing back fails the step', () => {
    const failure = { code: 'http_failed', message: 'refused' };
    const answered = { failure, url: 'https://example.com/' };
    expect(go(made, { ...go(made, {}), answered }).ending).toEqual({ kind: 'failed', failure });
  });
});

describe('a text that is rendered in a worker thread', () => {
  const made = program([
    { id: 'a', type: 'add_label', parameters: { labelId: 'x' } },
    {
      id: 's',
      type: 'send_message',
      parameters: {
        text: '{% for n in (1..3) %}{{ n }}{% endfor %}',
        media: { url: 'https://example.com/{{ contact.id }}' },
      },
    },
  ]);
  const postpone = (effect: Effect): EffectResult =>
    effect.kind === 'evaluate' ? { isPostponed: true } : {};

  it('postpones its step, which begins again as if it had not begun', () => {
    const first = go(made, {}, START, postpone);
    expect(first).toMatchObject({
      step: 's',
      ending: { kind: 'unfinished' },
      state: { begun: 1, pending: null },
    });
    expect(typed(first)).toEqual([[1, 'a', 'completed']]);
    const second = go(made, first, START, (effect) =>
      effect.kind === 'evaluate' ? { evaluated: evaluateTexts(effect.input) } : {},
    );
    expect(second.asked).toMatchObject([
      { kind: 'evaluate', input: { texts: ['{% for n in (1..3) %}{{ n }}{% endfor %}'] } },
      {
        kind: 'send',
        content: { text: '123', media: { url: `https://example.com/${exampleContact.id}` } },
        number: 2,
      },
    ]);
    expect(typed(second)).toEqual([[2, 's', 'completed']]);
  });

  it('fails its step with the reason', () => {
    const failure = { code: 'liquid_error', message: 'It takes longer than 1 s' };
    const failed = go(made, { step: 's' }, START, () => ({ failure }));
    expect(failed).toMatchObject({ step: 's', ending: { kind: 'failed', failure } });
  });

  it('gets the parts of the scope that it names, without the rest', () => {
    const other = program([
      { id: 's', type: 'send_message', parameters: { text: '{% for a in attributes %}{{ a }}{% endfor %}' } },
    ]);
    const { asked } = go(other, {}, START, postpone);
    const [effect] = asked as Extract<Effect, { kind: 'evaluate' }>[];
    expect(effect?.input).toMatchObject({ scope: { attributes: { tier: 'gold' }, contact: {}, steps: {} } });
  });
});
