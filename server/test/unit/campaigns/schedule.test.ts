import { describe, expect, it } from 'vitest';
import type { InvalidParams } from '../../../src/base/errors.ts';
import { collectIssues } from '../../../src/base/issues.ts';
import { validateTimes } from '../../../src/campaigns/schedule.ts';
import { type GivenVariable, validateVariables } from '../../../src/campaigns/variables.ts';

const now = new Date('2026-11-15T01:02:03.456Z');
const later = '2026-12-24T09:00:00Z';
const RULE = 'RRULE:FREQ=WEEKLY;BYDAY=SA';
function issuesOf(times: Parameters<typeof validateTimes>[0]): InvalidParams {
  const issues = collectIssues();
  validateTimes(times, now, issues);
  return issues.params;
}
const keys = (times: Parameters<typeof validateTimes>[0]) =>
  Object.fromEntries(Object.entries(issuesOf(times)).map(([path, { key }]) => [path, key]));

describe('the time of a campaign', () => {
  it.each([
    {},
    { isScheduled: false },
    { isScheduled: true, scheduledAt: later },
    { scheduledAt: later },
    { scheduledAt: '2026-11-15T02:02:03.457+01:00' },
    { isReoccurring: false },
    { isReoccurring: false, recurrenceRules: [] },
    { recurrenceRules: [] },
    { isReoccurring: true, recurrenceRules: [RULE] },
    { recurrenceRules: ['FREQ=DAILY'] },
    { recurrenceRules: ['rrule:freq=daily;byhour=17,8,17', 'exdate:20261226t090000z'] },
    { recurrenceRules: [RULE], timezone: 'Europe/Berlin' },
    { recurrenceRules: [RULE, 'EXDATE:20261226T090000Z,20270102T090000Z'] },
    { recurrenceRules: ['EXDATE:20261226T090000Z', 'RRULE:FREQ=MINUTELY;INTERVAL=15'] },
    { scheduledAt: later, recurrenceRules: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=12'] },
  ])('is good: %j', (times) => {
    expect(issuesOf(times)).toEqual({});
  });

  it.each([
    [{ isScheduled: true }, { scheduledAt: 'invalid_type' }],
    [{ isScheduled: false, scheduledAt: later }, { scheduledAt: 'custom' }],
    [{ scheduledAt: now.toISOString() }, { scheduledAt: 'custom' }],
    [{ scheduledAt: '2026-11-15T02:02:03.456+01:00' }, { scheduledAt: 'custom' }],
    [{ scheduledAt: '0000-01-01T00:00:00Z' }, { scheduledAt: 'custom' }],
    [{ scheduledAt: '9999-12-31T23:59:59-12:00' }, { scheduledAt: 'custom' }],
    [{ isReoccurring: true }, { recurrenceRules: 'invalid_type' }],
    [{ isReoccurring: true, recurrenceRules: [] }, { recurrenceRules: 'too_small' }],
    [{ isReoccurring: false, recurrenceRules: [RULE] }, { recurrenceRules: 'custom' }],
    [{ recurrenceRules: ['EXDATE:20261226T090000Z'] }, { recurrenceRules: 'custom' }],
    [{ recurrenceRules: [''] }, { 'recurrenceRules.0': 'invalid_string' }],
    [{ recurrenceRules: ['RRULE:FREQ=NEVER'] }, { 'recurrenceRules.0': 'invalid_string' }],
    [{ recurrenceRules: ['RRULE:FREQ=MINUTELY;INTERVAL=14'] }, { 'recurrenceRules.0': 'invalid_string' }],
    [{ recurrenceRules: ['RRULE:FREQ=SECONDLY'] }, { 'recurrenceRules.0': 'invalid_string' }],
    [{ recurrenceRules: ['RRULE:FREQ=HOURLY;BYMINUTE=0,10'] }, { 'recurrenceRules.0': 'invalid_string' }],
    [{ recurrenceRules: [RULE, RULE] }, { 'recurrenceRules.1': 'custom' }],
    [{ recurrenceRules: [RULE, 'EXDATE:20260230T090000Z'] }, { 'recurrenceRules.1': 'invalid_string' }],
    [{ recurrenceRules: [RULE, 'EXDATE:2026-12-26'] }, { 'recurrenceRules.1': 'invalid_string' }],
    [{ recurrenceRules: [RULE, 'EXDATE:'] }, { 'recurrenceRules.1': 'invalid_string' }],
    [{ recurrenceRules: [RULE, 'DTSTART:20261226T090000Z'] }, { 'recurrenceRules.1': 'invalid_string' }],
    [
      { isScheduled: true, isReoccurring: true, recurrenceRules: ['x', RULE, 'y'] },
      {
        scheduledAt: 'invalid_type',
        'recurrenceRules.0': 'invalid_string',
        'recurrenceRules.2': 'invalid_string',
      },
    ],
  ])('is refused where it is wrong: %j', (times, expected) => {
    expect(keys(times)).toEqual(expected);
  });
});

describe('the variables of a campaign', () => {
  const declared = [
    { name: 'discount', type: 'number' as const, required: true },
    { name: 'vip', type: 'boolean' as const },
    { name: 'city', type: 'string' as const, required: true, default: 'Rome' },
  ];
  const given = (...pairs: [string, string][]) => pairs.map(([name, value]) => ({ name, value }));
  const variableIssues = (variables: GivenVariable[]): InvalidParams => {
    const issues = collectIssues();
    validateVariables(declared, variables, issues);
    return issues.params;
  };

  it.each([
    [['discount', '20']],
    [['discount', '-1.5e3']],
    [['discount', ' .5 ']],
    [
      ['discount', '0'],
      ['vip', 'TRUE'],
    ],
    [
      ['vip', 'false'],
      ['discount', '1'],
      ['unknown', 'is kept'],
    ],
  ] as [string, string][][])('are read as their types: %j', (...pairs) => {
    expect(variableIssues(given(...pairs))).toEqual({});
  });

  it.each(['', 'x', '1,5', '0x10', '1e999', 'Infinity', 'NaN', '1 2', '٣'])('%j is no number', (value) => {
    expect(variableIssues(given(['discount', value]))).toEqual({
      'variables.0.value': {
        key: 'invalid_string',
        message: `"discount" must be a number, received ${JSON.stringify(value)}`,
      },
    });
  });

  it('are refused where one is missing, is no boolean, or is there twice', () => {
    expect(variableIssues(given(['vip', 'yes'], ['vip', 'true'], ['constructor', 'x']))).toMatchObject({
      'variables.0.value': { key: 'invalid_string' },
      'variables.1.name': { key: 'custom' },
      variables: { key: 'custom', message: 'The automation needs "discount"' },
    });
  });
});
