import { describe, expect, it } from 'vitest';
import { type FlowDefinition, type FlowStep, outletsOf } from '../../../../console/src/flow/definition.ts';
import { TRIGGER_ID } from '../../../../console/src/flow/graph.ts';
import { compareDefinitions, isSameDefinition } from '../../../../console/src/screens/automations/diff.ts';
import {
  addCase,
  insertStep,
  removeStep,
  renameStep,
  setTarget,
} from '../../../../console/src/screens/automations/edit.ts';
import {
  pushChange,
  redoChange,
  startHistory,
  undoChange,
} from '../../../../console/src/screens/automations/history.ts';

const definitionOf = (...steps: FlowStep[]): FlowDefinition => ({
  trigger: { type: 'chat_opened', parameters: {} },
  variables: [],
  steps,
});
const message = (id: string, next?: string): FlowStep => ({
  id,
  type: 'send_message',
  parameters: { text: id },
  ...(next === undefined ? {} : { next }),
});
const end: FlowStep = { id: 'done', type: 'end', parameters: {} };

/** Where every way leads, whatever the order of the steps is. */
const waysOf = ({ steps }: FlowDefinition): Record<string, string | undefined> =>
  Object.fromEntries(
    steps.flatMap((step, index) =>
      outletsOf(steps, index).map(({ outlet, to }) => [
        `${step.id}:${outlet}`,
        steps.find(({ id }) => id === to)?.type === 'end' ? 'END' : (to ?? 'END'),
      ]),
    ),
  );

describe('inserting a step', () => {
  it('between two others changes only the way between them', () => {
    const before = definitionOf(message('a'), message('b'), end);
    const { definition, stepId } = insertStep(before, { from: 'a', outlet: 'next' }, 'wait');
    expect(definition.steps.map(({ id }) => id)).toEqual(['a', 'wait', 'b', 'done']);
    expect(stepId).toBe('wait');
    expect(definition.steps[0]).toBe(before.steps[0]);
    expect(waysOf(definition)).toEqual({ 'a:next': 'wait', 'wait:next': 'b', 'b:next': 'END' });
  });

  it('at the beginning makes it the first', () => {
    const { definition } = insertStep(
      definitionOf(message('a')),
      { from: TRIGGER_ID, outlet: 'next' },
      'wait',
    );
    expect(definition.steps.map(({ id }) => id)).toEqual(['wait', 'a']);
  });

  it('into a case leaves the other ways alone, although steps now come between them', () => {
    const branch: FlowStep = {
      id: 'which',
      type: 'branch',
      parameters: {
        cases: [
          { when: 'x', next: 'done' },
          { when: 'y', next: 'done' },
        ],
      },
    };
    const first = insertStep(definitionOf(branch, end), { from: 'which', outlet: 'case:0' }, 'add_label');
    const second = insertStep(first.definition, { from: 'which', outlet: 'case:1' }, 'remove_label');
    const third = insertStep(second.definition, { from: 'which', outlet: 'else' }, 'assign');
    expect(waysOf(third.definition)).toEqual({
      'which:case:0': 'add_label',
      'which:case:1': 'remove_label',
      'which:else': 'assign',
      'add_label:next': 'END',
      'remove_label:next': 'END',
      'assign:next': 'END',
    });
    expect(third.definition.steps.map(({ id }) => id)).toEqual([
      'which',
      'add_label',
      'remove_label',
      'assign',
      'done',
    ]);
  });

  it('on the way of a missing reply keeps the way of a reply', () => {
    const wait: FlowStep = { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } };
    const { definition } = insertStep(definitionOf(wait), { from: 'reply', outlet: 'timeout' }, 'assign');
    expect(waysOf(definition)).toEqual({
      'reply:next': 'END',
      'reply:timeout': 'assign',
      'assign:next': 'END',
    });
  });

  it('adds an end where a run could not end otherwise', () => {
    const { definition } = insertStep(definitionOf(message('a')), { from: 'a', outlet: 'next' }, 'branch');
    expect(definition.steps.at(-1)?.type).toBe('end');
    expect(waysOf(definition)).toEqual({
      'a:next': 'decision',
      'decision:case:0': 'END',
      'decision:else': 'END',
    });
  });
});

describe('removing a step', () => {
  it('leads everything that led to it to what came after it', () => {
    const branch: FlowStep = {
      id: 'which',
      type: 'branch',
      parameters: { cases: [{ when: 'x', next: 'b' }], else: 'c' },
    };
    const after = removeStep(definitionOf(branch, message('b', 'done'), message('c'), end), 'b');
    expect(waysOf(after)).toEqual({ 'which:case:0': 'END', 'which:else': 'c', 'c:next': 'END' });
  });

  it('starts runs with what the first step led to', () => {
    const after = removeStep(definitionOf(message('a', 'c'), message('b'), message('c')), 'a');
    expect(after.steps[0]?.id).toBe('c');
    expect(waysOf(after)).toEqual({ 'c:next': 'END', 'b:next': 'c' });
  });

  it('survives loops, and leaves an end if nothing is left', () => {
    expect(removeStep(definitionOf(message('a', 'a')), 'a').steps).toEqual([
      { id: 'end', type: 'end', parameters: {} },
    ]);
    const loop = removeStep(definitionOf(message('a'), message('b', 'a')), 'b');
    expect(waysOf(loop)).toEqual({ 'a:next': 'a' });
  });
});

it('renames a step wherever it is used', () => {
  const definition = definitionOf(
    { id: 'wait', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'x' }, next: 'x' },
    { id: 'which', type: 'branch', parameters: { cases: [{ when: 'w', next: 'x' }], else: 'x' } },
    message('x', 'wait'),
  );
  const renamed = renameStep(definition, 'x', 'y');
  expect(JSON.stringify(renamed)).toBe(
    JSON.stringify(definition).replaceAll('"x"', '"y"').replace('"text":"y"', '"text":"x"'),
  );
});

it('a new case leads to where the others lead', () => {
  const branch: FlowStep = {
    id: 'which',
    type: 'branch',
    parameters: { cases: [{ when: 'x', next: 'a' }], else: 'b' },
  };
  const after = addCase(definitionOf(branch, message('a'), message('b')), 'which');
  expect(waysOf(after)).toMatchObject({ 'which:case:0': 'a', 'which:case:1': 'b', 'which:else': 'b' });
});

it('writes a way only if it does not lead there by itself', () => {
  const definition = definitionOf(message('a', 'b'), message('b'), end);
  expect(setTarget(definition, { from: 'a', outlet: 'next' }, 'b').steps[0]).toBe(definition.steps[0]);
  const skipped = setTarget(definition, { from: 'a', outlet: 'next' }, 'done');
  expect(skipped.steps[0]?.next).toBe('done');
  expect(setTarget(skipped, { from: 'a', outlet: 'next' }, 'b').steps[0]).toEqual(message('a'));
});

describe('undo', () => {
  it('takes back what was typed at once, and other changes one by one', () => {
    let history = startHistory('');
    history = pushChange(history, 'H', 'text', 0);
    history = pushChange(history, 'Hi', 'text', 500);
    history = pushChange(history, 'Hi!', 'text', 3_000);
    history = pushChange(history, 'other', '', 3_100);
    const seen = [history.present];
    for (let count = 0; count < 4; count += 1) {
      history = undoChange(history);
      seen.push(history.present);
    }
    expect(seen).toEqual(['other', 'Hi!', 'Hi', '', '']);
    history = redoChange(redoChange(redoChange(redoChange(history))));
    expect(history.present).toBe('other');
  });

  it('forgets what was undone after another change', () => {
    const history = pushChange(undoChange(pushChange(startHistory(1), 2, '', 0)), 3, '', 1);
    expect(redoChange(history).present).toBe(3);
    expect(undoChange(history).present).toBe(1);
  });
});

describe('the difference of two definitions', () => {
  const before = definitionOf(message('a'), message('b'), end);

  it('is nothing for the same definition in other words', () => {
    const same = definitionOf(
      { type: 'send_message', id: 'a', parameters: { text: 'a' } },
      message('b', 'done'),
      { id: 'done', type: 'end' },
    );
    expect(compareDefinitions(before, same)).toEqual([]);
    expect(
      isSameDefinition(before, definitionOf(message('a'), message('b'), { id: 'done', type: 'end' })),
    ).toBe(true);
  });

  it('names what was added, removed and changed, and where steps lead now', () => {
    const after: FlowDefinition = {
      ...definitionOf(
        { ...message('a'), parameters: { text: 'Hello' } },
        { id: 'nap', type: 'wait', parameters: { for: 'PT1H' } },
        end,
      ),
      trigger: { type: 'label_added', parameters: { labelId: 'x' } },
      variables: [{ name: 'plan', type: 'string' }],
    };
    expect(compareDefinitions(before, after)).toMatchObject([
      { what: 'purpose', from: 'service', to: 'marketing' },
      { what: 'trigger', fields: [{ path: ['type'] }, { path: ['labelId'] }] },
      { what: 'variable', from: undefined, to: { name: 'plan' } },
      {
        what: 'step',
        from: { id: 'a' },
        fields: [{ path: ['text'], from: 'a', to: 'Hello' }],
        ways: [{ outlet: 'next', from: 'b', to: 'nap' }],
      },
      { what: 'step', from: undefined, to: { id: 'nap' } },
      { what: 'step', from: { id: 'b' }, to: undefined },
    ]);
  });
});
