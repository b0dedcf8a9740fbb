import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateRule } from '../../src/automations/definition/recurrence.ts';
import { parseRule } from '../../src/automations/definition/recurrence-rule.ts';
import { occurrencesOf } from '../../src/automations/definition/recurrence-search.ts';

/** Another implementation, in another language: python3-dateutil. It reads lists in any order. */
const hasDateutil = spawnSync('python3', ['-c', 'import dateutil.rrule']).status === 0;
if (!hasDateutil)
  process.stdout.write('python3-dateutil is not installed: recurrence rules are not compared with it\n');

const PROGRAM = `
import json, sys
from datetime import datetime, timedelta
from dateutil.rrule import rrulestr
for line in sys.stdin:
    text, start = json.loads(line)
    begin = datetime.utcfromtimestamp(start)
    end = begin + timedelta(days=1500)
    times = []
    for time in rrulestr(text, dtstart=begin):
        if time > end or len(times) == 12: break
        if time > begin: times.append(int((time - datetime(1970, 1, 1)).total_seconds()))
    print(json.dumps(times))
`;
const RULES = 300;

/** In any order, with repetitions: libraries that follow lists as they are written lose occurrences. */
const anyOrder = (values: readonly (string | number)[]) =>
  fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 4 }).map((list) => list.join(','));
const part = (name: string, value: fc.Arbitrary<string | number>) =>
  fc.option(value, { nil: undefined, freq: 1 }).map((one) => (one === undefined ? '' : `;${name}=${one}`));
const join = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
const weekdays = ['SU', 'WE', 'MO', 'FR', 'TU', 'SA', 'TH'];
const times = [
  part('BYHOUR', anyOrder([17, 8, 0, 23, 12])),
  part('BYMINUTE', fc.constantFrom('0', '30,0', '45,15,15')),
];
const interval = part('INTERVAL', fc.integer({ min: 1, max: 4 }));
const rules = fc.oneof(
  join(
    fc.constant('FREQ=DAILY'),
    part('BYMONTH', anyOrder([12, 3, 7])),
    part('BYDAY', anyOrder(weekdays)),
    ...times,
  ),
  join(fc.constant('FREQ=DAILY'), interval, ...times),
  join(fc.constant('FREQ=WEEKLY'), interval, part('BYDAY', anyOrder(weekdays)), ...times),
  join(fc.constant('FREQ=MONTHLY'), interval, part('BYMONTHDAY', anyOrder([28, 1, -1, 15])), ...times),
  join(
    fc.constant('FREQ=MONTHLY'),
    anyOrder(['3TU', '-1FR', '1MO']).map((days) => `;BYDAY=${days}`),
    ...times,
  ),
  join(
    fc.constant('FREQ=YEARLY'),
    part('BYMONTH', anyOrder([11, 2, 6])),
    anyOrder([28, 1, -1]).map((days) => `;BYMONTHDAY=${days}`),
    ...times,
  ),
);
const starts = fc.integer({ min: Date.UTC(2024, 0, 1) / 1000, max: Date.UTC(2028, 0, 1) / 1000 });

describe.skipIf(!hasDateutil)('the occurrences of recurrence rules', () => {
  it('are those of an independent implementation, in whatever order lists are written', () => {
    const cases = fc
      .sample(fc.tuple(rules, starts), { numRuns: RULES, seed: 2026 })
      .filter(([text]) => validateRule(text) === undefined);
    expect(cases.length).toBeGreaterThan(RULES / 2);
    const input = cases.map((one) => JSON.stringify(one)).join('\n');
    const { stdout, stderr } = spawnSync('python3', ['-W', 'ignore', '-c', PROGRAM], {
      input,
      encoding: 'utf8',
    });
    const listed = stdout.trim().split('\n');
    expect(listed.length, stderr).toBe(cases.length);
    for (const [index, [text, start]] of cases.entries()) {
      const expected = JSON.parse(listed[index] as string) as number[];
      const none = { until: Number.POSITIVE_INFINITY, count: null, excluded: new Set<number>() };
      const found = occurrencesOf(parseRule(text), start * 1000, none);
      const own: number[] = [];
      for (let at: number | null = start * 1000; own.length < expected.length; ) {
        at = found.after(at);
        if (at === null) break;
        own.push(at / 1000);
      }
      expect([text, start, own]).toEqual([text, start, expected]);
    }
  });
});
