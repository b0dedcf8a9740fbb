import { describe, expect, it } from 'vitest';
import { findNeighbour } from '../../../../console/src/flow/arrow-keys.ts';
import { parseCondition } from '../../../../console/src/flow/condition.ts';
import type { FlowDefinition, FlowStep } from '../../../../console/src/flow/definition.ts';
import { describeDuration, readDuration, writeDuration } from '../../../../console/src/flow/duration.ts';
import { END_ID, graphOf, TRIGGER_ID } from '../../../../console/src/flow/graph.ts';
import { layOut } from '../../../../console/src/flow/layout.ts';
import { readRecurrence, writeRecurrence } from '../../../../console/src/flow/recurrence.ts';
import { areaOf, reveal, showAll, showBeginning } from '../../../../console/src/flow/view.ts';
import { readJson, writeJson } from '../../../../console/src/screens/automations/json.ts';

const definitionOf = (...steps: FlowStep[]): FlowDefinition => ({
  trigger: { type: 'api', parameters: {} },
  variables: [],
  steps,
});
const branch: FlowStep = {
  id: 'which',
  type: 'branch',
  parameters: {
    cases: [
      { when: 'a', next: 'left' },
      { when: 'b', next: 'middle' },
    ],
    else: 'right',
  },
};
const send = (id: string, next?: string): FlowStep => ({
  id,
  type: 'send_message',
  parameters: { text: id },
  ...(next === undefined ? {} : { next }),
});
const three = definitionOf(branch, send('left', 'end'), send('middle', 'end'), send('right'), {
  id: 'end',
  type: 'end',
});

describe('the graph', () => {
  it('has the trigger, every step and every way out', () => {
    const { nodes, edges } = graphOf(three);
    expect(nodes.map(({ id }) => id)).toEqual([TRIGGER_ID, 'which', 'left', 'middle', 'right', 'end']);
    expect(edges.map(({ id, to }) => `${id}>${to}`)).toEqual([
      '$trigger:next>which',
      'which:case:0>left',
      'which:case:1>middle',
      'which:else>right',
      'left:next>end',
      'middle:next>end',
      'right:next>end',
    ]);
  });

  it('shows an end after the last step, steps that do not exist, and ids that are used twice', () => {
    const { nodes, edges } = graphOf(definitionOf(send('a', 'gone'), send('a')));
    expect(nodes.map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      '$trigger trigger',
      'a step',
      'a#1 step',
      '$missing:gone missing',
      '$end end',
    ]);
    expect(edges.at(-1)).toMatchObject({ from: 'a#1', to: END_ID });
  });

  it.each([
    [{ cases: 'no list' }],
    [{ cases: [null, 7, { next: {} }] }],
    [{}],
  ])('survives parameters of any kind: %j', (parameters) => {
    expect(graphOf(definitionOf({ id: 'b', type: 'branch', parameters })).nodes.length).toBeGreaterThan(1);
  });
});

describe('the layout', () => {
  const graph = graphOf(three);
  const layout = layOut(graph, ({ outlet }) => (outlet === 'next' ? '' : 'some text'));
  const at = (id: string) => layout.boxes.get(id) as { x: number; y: number; width: number; height: number };

  it('puts cases beside each other in their order, below the branch, and nothing on top of anything', () => {
    expect(at('left').x).toBeLessThan(at('middle').x);
    expect(at('middle').x).toBeLessThan(at('right').x);
    expect(at('left').y).toBeGreaterThan(at('which').y);
    const boxes = [...layout.boxes.values()];
    for (const [index, a] of boxes.entries())
      for (const b of boxes.slice(index + 1))
        expect(
          a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
        ).toBe(true);
  });

  it('arrow keys follow the lines, over the pluses if there are any', () => {
    const walk = (hasPluses: boolean, ...keys: ('Down' | 'Up' | 'Left' | 'Right')[]): string[] => {
      let here = TRIGGER_ID;
      return keys.map((key) => {
        here = findNeighbour(graph, layout, here, `Arrow${key}`, hasPluses) ?? here;
        return here;
      });
    };
    expect(walk(false, 'Down', 'Down', 'Right', 'Right', 'Right', 'Down', 'Down')).toEqual([
      'which',
      'left',
      'middle',
      'right',
      'right',
      'end',
      'end',
    ]);
    expect(walk(true, 'Down', 'Down', 'Down', 'Right', 'Down', 'Up')).toEqual([
      '$trigger:next',
      'which',
      'which:case:0',
      'which:case:1',
      'middle',
      'which:case:1',
    ]);
  });

  it('places 200 steps with loops', () => {
    const steps = Array.from(
      { length: 200 },
      (_, index): FlowStep =>
        index % 7 === 3
          ? {
              id: `s${index}`,
              type: 'branch',
              parameters: { cases: [{ when: 'x', next: `s${(index * 13) % 200}` }] },
            }
          : send(`s${index}`),
    );
    const { boxes } = layOut(graphOf(definitionOf(...steps)), () => 'x');
    expect(boxes.size).toBe(202);
    expect([...boxes.values()].every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
  });
});

describe('conditions', () => {
  it.each([
    'hasWord(message.text,"a \\"quoted\\" \\\\ text)")',
    'and(eq(contact.isSubscribed,true), not(in(x.y-z,"a",-1.5,null)),ge(createdAt,now("-P7D")))',
  ])('are read: %s', (text) => {
    expect(parseCondition(text)).toMatchObject({ call: expect.any(String) });
  });

  it.each([
    '',
    'word',
    'eq(',
    'eq(a,"open',
    'eq(a,1))',
    'eq(a 1)',
    'a(b)c(d)',
    'eq(a,1',
    `${'not('.repeat(50)}a`,
  ])('are left as they are written if they are none: %s', (text) => {
    expect(parseCondition(text)).toBeUndefined();
  });

  it('read a long text in proportion to its length', () => {
    expect(parseCondition(`${'a('.repeat(100_000)}`)).toBeUndefined();
    expect(parseCondition(`eq(a,"${'\\\\'.repeat(100_000)}`)).toBeUndefined();
  });
});

it.each([
  ['PT2H', '2 hours'],
  ['P1D', '1 day'],
  ['P1DT2H30M', '1 day 2 hours 30 minutes'],
  ['P1M', '1 month'],
  ['PT1M', '1 minute'],
])('the duration %s is %s', (text, words) => {
  const parts = readDuration(text);
  expect(parts && describeDuration(parts, 'en')).toBe(words);
  if (parts?.length === 1) expect(writeDuration(parts[0] as (typeof parts)[number])).toBe(text);
});

it.each(['', 'P', 'PT', '1D', 'P1.5D', 'PT1H ', 'P-1D'])('%j is no duration', (text) => {
  expect(readDuration(text)).toBeUndefined();
});

it.each([
  'FREQ=HOURLY;BYMINUTE=30',
  'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
  'FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=5',
  'FREQ=MONTHLY;BYMONTHDAY=31;BYHOUR=0;BYMINUTE=59',
])('the rule %s can be chosen and comes back', (rule) => {
  const read = readRecurrence(rule);
  expect(read && writeRecurrence(read)).toBe(rule);
});

it.each([
  '',
  'FREQ=YEARLY',
  'FREQ=DAILY;BYHOUR=24;BYMINUTE=0',
  'FREQ=WEEKLY;BYDAY=1MO;BYHOUR=9;BYMINUTE=0',
  'FREQ=DAILY;INTERVAL=2;BYHOUR=9;BYMINUTE=0',
  'FREQ=constructor',
])('the rule %j says more than can be chosen', (rule) => {
  expect(readRecurrence(rule)).toBeUndefined();
});

describe('JSON', () => {
  it('becomes the same definition again', () => {
    expect(readJson(writeJson(three)).definition).toEqual(three);
  });

  it.each([
    ['{', false],
    ['null', true],
    ['{"trigger":{"type":"api"},"steps":[]}', true],
    ['{"trigger":{"type":"constructor"},"steps":[{"id":"a","type":"end"}]}', true],
    ['{"trigger":{"type":"api"},"steps":[{"id":1,"type":"end"}]}', true],
    ['{"trigger":{"type":"api"},"steps":[{"id":"a","type":"end","parameters":[]}]}', true],
    ['{"trigger":{"type":"api"},"steps":[{"id":"a","type":"end","next":{}}]}', true],
  ])('that is no definition is not shown: %s', (text, isJson) => {
    expect(readJson(text)).toEqual({ isJson });
  });
});

describe('the view of the picture', () => {
  const graph = graphOf(three);
  const layout = layOut(graph, () => 'a label');
  const size = { width: 600, height: 400 };

  it('begins with the trigger in sight', () => {
    const view = showBeginning(layout, size, 'edit');
    expect(reveal(layout.boxes.get(TRIGGER_ID) as never, view, size)).toBeUndefined();
  });

  it.each([
    'left',
    'which',
    'end',
    'right:next',
    TRIGGER_ID,
  ])('moves to %s and its pluses, no more than needed', (id) => {
    const area = areaOf(id, graph, layout) as NonNullable<ReturnType<typeof areaOf>>;
    const far = { x: -5_000, y: 5_000, zoom: 0.5 };
    const view = reveal(area, far, size) as NonNullable<ReturnType<typeof reveal>>;
    expect(view.zoom).toBe(0.5);
    expect(reveal(area, view, size)).toBeUndefined();
  });

  it('shows everything at once', () => {
    const view = showAll(layout, size);
    for (const box of layout.boxes.values()) expect(reveal(box, view, size)).toBeUndefined();
  });

  it('shows the beginning of what is larger than the window, and knows no area of what does not exist', () => {
    const view = reveal({ x: 100, y: 100, width: 5_000, height: 10 }, { x: 0, y: 0, zoom: 1 }, size);
    expect(view?.x).toBeGreaterThan(-100);
    expect(areaOf('nothing', graph, layout)).toBeUndefined();
  });
});
