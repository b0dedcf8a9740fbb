import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listCauses } from '../../../../console/src/explain/causes.ts';
import { formatDuration } from '../../../../console/src/explain/duration.ts';
import { eventTypes } from '../../../../console/src/explain/event-types.ts';
import { traceAddress } from '../../../../console/src/explain/links.ts';
import { sortByRelevance } from '../../../../console/src/explain/reasons.ts';
import { keyInTree, type TraceNode, visibleRows } from '../../../../console/src/explain/tree.ts';
import { de } from '../../../../console/src/i18n/de.ts';
import { en } from '../../../../console/src/i18n/en.ts';
import { aboutOf } from '../../../../console/src/screens/events/event-line.ts';
import { eventFilters, matchesChips } from '../../../../console/src/screens/events/filter.ts';
import { readFilter, writeFilter } from '../../../../console/src/ui/filter.ts';

const text = readFileSync(new URL('../../../../openapi/v3.json', import.meta.url), 'utf8');
const openapi = JSON.parse(text);
const reasons = openapi.components.schemas.AutomationExplanation.properties.reasons.items.properties.code
  .enum as string[];

describe('the reasons why an automation did not start', () => {
  it.each(reasons)('%s has a sentence and what to do, in both languages', (reason) => {
    for (const catalogue of [en, de] as Record<string, unknown>[])
      for (const key of [`why.reason.${reason}`, `why.todo.${reason}`])
        expect(catalogue[key], key).toEqual(expect.stringMatching(/^.+\.$/));
  });

  it('have no sentence for what the server never says', () => {
    const known = Object.keys(en).flatMap((key) => /^why\.reason\.(.+)$/.exec(key)?.[1] ?? []);
    expect(known.filter((reason) => !reasons.includes(reason))).toEqual([]);
  });

  it('stand below those that started, the nearest first', () => {
    const of = (...codes: string[]) =>
      ({
        reasons: codes.map((code) => ({ code })),
        started: codes.length === 0,
        continuedRunId: null,
      }) as never;
    const sorted = sortByRelevance([of('other_trigger'), of('no_keyword'), of(), of('not_active')]);
    expect(sorted.map((one) => one.reasons[0]?.code)).toEqual([
      undefined,
      'no_keyword',
      'not_active',
      'other_trigger',
    ]);
  });

  it('matter less than that a run went on with the message', () => {
    const [first] = sortByRelevance([
      { reasons: [{ code: 'no_keyword' }], started: false, continuedRunId: null },
      { reasons: [{ code: 'other_trigger' }], started: false, continuedRunId: 'r1' },
    ] as never);
    expect(first?.continuedRunId).toBe('r1');
  });
});

describe('what may have started automations', () => {
  const at = (second: number): string => `2026-11-15T01:02:0${second}.000Z`;
  const message = (id: string, second: number) => ({ id, createdAt: at(second), text: id });
  const event = (type: string, second: number) => ({
    id: type,
    createdAt: at(second),
    type: type as (typeof eventTypes)[number],
  });

  it('is the latest first, and what a message opened belongs to the message', () => {
    const causes = listCauses(
      [message('second', 5), message('first', 1)],
      [
        event('contact.labels_added', 5),
        event('chat.status_changed', 3),
        event('message.received', 1),
        event('chat.created', 1),
        event('contact.created', 1),
      ],
    );
    expect(causes.map(({ id }) => id)).toEqual([
      'second',
      'contact.labels_added',
      'chat.status_changed',
      'first',
    ]);
  });

  it('is there without any message', () => {
    const causes = listCauses([], [event('contact.labels_added', 2), event('contact.created', 1)]);
    expect(causes.map(({ type }) => type)).toEqual(['contact.labels_added', 'contact.created']);
  });
});

describe('the line of an event', () => {
  const words = {
    t: (key: keyof typeof de) => String(de[key]),
    translate: (text: string) => ({ 'a colleague has taken over': 'jemand hat übernommen' })[text] ?? text,
  } as never;
  const about = (data: object): string => aboutOf({ data } as never, words);

  it('says the status of a run in the language of the reader', () => {
    for (const status of ['scheduled', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const) {
      expect(about({ id: 'r1', automationId: 'a1', status })).toBe(de[`trace.status.${status}`]);
      expect(about({ status })).not.toBe(status);
    }
  });

  it('says why, as the server does, and leaves what people wrote as it is', () => {
    expect(about({ status: 'cancelled', error: { message: 'a colleague has taken over' } })).toBe(
      'jemand hat übernommen',
    );
    expect(about({ text: 'a colleague has taken over' })).toBe('a colleague has taken over');
    expect(about({ status: 'something new' })).toBe('something new');
  });
});

describe('the types of events', () => {
  it('are all known', () => {
    expect(eventTypes).toEqual(Object.keys(openapi.webhooks));
  });

  it('have a name in both languages', () => {
    for (const catalogue of [en, de] as Record<string, unknown>[])
      expect(Object.keys(openapi.webhooks).filter((type) => !(`eventType.${type}` in catalogue))).toEqual([]);
  });
});

it('the address of a trace is one part of a path, also with the id of a vendor', () => {
  for (const id of [
    '019a82a0-0000-7000-8000-00000000ffff',
    'wamid.HBgL/a+b==',
    '<a/b#c?d%25e@example.com>',
  ]) {
    const parts = traceAddress(id).to.split('/');
    expect([parts.length, parts[1], decodeURIComponent(parts[2] ?? '')]).toEqual([3, 'trace', id]);
    expect(new URL(traceAddress(id).to, 'https://parley.test').pathname).toBe(traceAddress(id).to);
  }
});

const node = (id: string, causedBy: string | null, depth: number, ms: number): TraceNode =>
  ({ id, causedBy, depth, at: new Date(ms).toISOString(), type: 'event' }) as TraceNode;
const trace = {
  root: 'a',
  isComplete: true,
  nodes: [
    node('a', null, 0, 1_000),
    node('b', 'a', 1, 1_250),
    node('c', 'b', 2, 900),
    node('d', 'a', 1, 3_000),
  ],
};
const idsOf = (closed: string[]): string[] => visibleRows(trace, new Set(closed)).map((row) => row.node.id);

describe('the tree of a trace', () => {
  it('hides all that is inside a closed row', () => {
    expect(idsOf([])).toEqual(['a', 'b', 'c', 'd']);
    expect(idsOf(['b'])).toEqual(['a', 'b', 'd']);
    expect(idsOf(['a', 'b'])).toEqual(['a']);
    expect(idsOf(['c'])).toEqual(['a', 'b', 'c', 'd']);
  });

  it('says how long after its cause something happened, and never before', () => {
    expect(visibleRows(trace, new Set()).map(({ sinceCause }) => sinceCause)).toEqual([
      undefined,
      250,
      0,
      2_000,
    ]);
  });

  it.each([
    ['ArrowDown', 1, [], { focus: 2 }],
    ['ArrowDown', 3, [], { focus: 3 }],
    ['ArrowUp', 0, [], { focus: 0 }],
    ['ArrowRight', 1, [], { focus: 2 }],
    ['ArrowRight', 1, ['b'], { toggle: 'b' }],
    ['ArrowRight', 2, [], undefined],
    ['ArrowLeft', 1, [], { toggle: 'b' }],
    ['ArrowLeft', 1, ['b'], { focus: 0 }],
    ['ArrowLeft', 3, [], { focus: 0 }],
    ['End', 0, [], { focus: 3 }],
    ['x', 0, [], undefined],
  ] as const)('%s on row %i', (key, index, closed, action) => {
    const set = new Set<string>(closed);
    expect(keyInTree(key, visibleRows(trace, set), index, set)).toEqual(action);
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_440, '1.4 sec'],
    [59_000, '59 sec'],
    [90_000, '1.5 min'],
    [86_400_000 * 30, '30 days'],
  ])('%i', (ms, text) => {
    expect(formatDuration(ms, 'en')).toBe(text);
  });
});

describe('the chips of events', () => {
  const chips = [
    { field: 'type', value: 'message.*' },
    { field: 'contact', value: '019a82a0-0000-7000-8000-000000000001' },
    { field: 'chat', value: '019a82a0-0000-7000-8000-000000000002' },
    { field: 'text', value: 'a "quoted", \\ and) odd' },
  ];
  const event = {
    type: 'message.received',
    channelId: null,
    data: {
      id: 'x',
      contactId: '019a82a0-0000-7000-8000-000000000001',
      chatId: '019a82a0-0000-7000-8000-000000000002',
      text: 'This is A "QUOTED", \\ and) odd text',
    },
  } as never;

  it('become a filter and come back', () => {
    expect(readFilter(eventFilters, writeFilter(eventFilters, chips))).toEqual(chips);
    expect(readFilter(eventFilters, 'eq(type,"chat.read")')).toEqual([{ field: 'type', value: 'chat.read' }]);
  });

  it('choose events as the server does', () => {
    expect(matchesChips(event, chips)).toBe(true);
    expect(matchesChips(event, [{ field: 'type', value: 'message.sent' }])).toBe(false);
    expect(matchesChips(event, [{ field: 'text', value: 'teapot' }])).toBe(false);
    expect(matchesChips(event, [{ field: 'contact', value: 'x' }])).toBe(false);
    expect(
      matchesChips({ type: 'contact.created', data: { id: chips[1]?.value } } as never, [chips[1] as never]),
    ).toBe(true);
  });
});
