import { afterEach, expect, it, vi } from 'vitest';
import { isTimezone } from '../../../src/base/time-zones.ts';
import { localTime } from '../../../src/hours/local-time.ts';
import { dividePeriod } from '../../../src/reports/periods.ts';
import { parseFilter } from '../../../src/search/grammar/filter.ts';

afterEach(() => void vi.restoreAllMocks());

/** One of the thousands of ways to write the name of a zone. */
const spell = (name: string, seed: number): string =>
  [...name].map((letter, index) => ((seed >> (index % 16)) & 1 ? letter.toUpperCase() : letter)).join('');

it('a time zone is kept once, however its name is spelled', () => {
  const { DateTimeFormat } = Intl;
  const created = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function create(...given) {
    return new DateTimeFormat(...given);
  });
  const period = { from: '2026-11-01T00:00:00Z', to: '2026-11-04T00:00:00Z', interval: 'day' } as const;
  const fields = { fields: { at: { type: 'time', sql: 'at' } }, names: [], id: 'id' } as const;
  for (let seed = 0; seed < 100; seed += 1) {
    const name = spell('america/argentina/ushuaia', seed);
    expect(localTime(name).shownAt(0)).toBe(-3 * 3600_000);
    expect(dividePeriod({ ...period, timezone: name }, 'UTC').starts).toHaveLength(4);
    expect(parseFilter(`gt(at,today("${name}"))`, fields, new Date('2026-11-17T01:00:00Z'))).toMatchObject({
      value: '2026-11-16T03:00:00.000Z',
    });
  }
  expect(created.mock.calls.length).toBeLessThan(10);
});

it.each([
  ['Europe/Berlin', true],
  ['EST5EDT', true],
  ['Etc/GMT+12', true],
  ['utc', true],
  ['+01:00', false],
  ['Europe/Nowhere', false],
  // The sign of Kelvin is a k in small letters.
  ['Asia/To\u212ayo', false],
  ['', false],
])('%s: is it a time zone? %s', (name, isOne) => {
  expect(isTimezone(name)).toBe(isOne);
});
