import rrule from 'rrule';
import { describe, expect, it } from 'vitest';
import { validateRule } from '../../../../src/automations/definition/recurrence.ts';

const START = new Date('2026-11-15T01:02:03Z');
const MINUTE = 60_000;

const good = [
  'FREQ=DAILY',
  'RRULE:FREQ=DAILY;INTERVAL=3',
  'FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=9;BYMINUTE=30',
  'FREQ=MINUTELY;INTERVAL=15',
  'FREQ=HOURLY',
  'FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,15,30,45',
  'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,10,11;BYMINUTE=0,20,40',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
  'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;BYHOUR=8',
  'FREQ=MONTHLY;BYDAY=1MO,-1FR',
  'FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1;COUNT=10',
  'FREQ=WEEKLY;UNTIL=20271231T235959Z;WKST=SU',
  'FREQ=WEEKLY;UNTIL=20271231',
];

const bad: [string, string][] = [
  ['', 'NAME=VALUE'],
  ['FREQ', 'NAME=VALUE'],
  ['FREQ=DAILY;', 'NAME=VALUE'],
  ['FREQ=DAILY;FREQ=WEEKLY', 'each name once'],
  ['every day', 'NAME=VALUE'],
  ['FREQ=SECONDLY', 'FREQ must be one of MINUTELY'],
  ['FREQ=constructor', 'FREQ must be one of'],
  ['INTERVAL=2', 'FREQ must be one of'],
  ['DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY', 'FREQ must be one of'],
  ['FREQ=DAILY\nEXDATE:20260101', 'FREQ must be one of'],
  ['FREQ=DAILY;DTSTART=20260101T000000Z', 'cannot have "DTSTART"'],
  ['FREQ=DAILY;TZID=Europe/Berlin', 'cannot have "TZID"'],
  ['FREQ=DAILY;BYSECOND=0,30', 'cannot have "BYSECOND"'],
  ['FREQ=DAILY;__PROTO__=1', 'cannot have'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL must be 1 to 1000'],
  ['FREQ=DAILY;INTERVAL=-1', 'INTERVAL must be'],
  ['FREQ=DAILY;INTERVAL=1e3', 'INTERVAL must be'],
  ['FREQ=DAILY;INTERVAL=', 'INTERVAL must be'],
  ['FREQ=DAILY;COUNT=0', 'COUNT must be'],
  ['FREQ=DAILY;BYHOUR=24', 'BYHOUR must be'],
  ['FREQ=DAILY;BYHOUR=1,,2', 'BYHOUR must be'],
  ['FREQ=DAILY;BYHOUR=1.5', 'BYHOUR must be'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH must be'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY must be'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY must be'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'cannot have numbered days'],
  ['FREQ=MONTHLY;BYDAY=6MO', 'BYDAY must be'],
  ['FREQ=WEEKLY;UNTIL=soon', 'UNTIL must be'],
  ['FREQ=WEEKLY;UNTIL=20270230', 'UNTIL must be'],
  ['FREQ=MINUTELY', 'at most every 15 minutes'],
  ['FREQ=MINUTELY;INTERVAL=14', 'at most every 15 minutes'],
  ['FREQ=HOURLY;BYMINUTE=0,10', 'at most every 15 minutes'],
  ['FREQ=DAILY;BYHOUR=1,2;BYMINUTE=0,50', 'at most every 15 minutes'],
  ['FREQ=DAILY;BYMINUTE=7,7,21', 'at most every 15 minutes'],
  ['FREQ=MONTHLY;BYDAY=5MO;BYSETPOS=2', 'no occurrence within ten years'],
  ['FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=-2', 'no occurrence within ten years'],
  ['FREQ=YEARLY;INTERVAL=11', 'no occurrence within ten years'],
  ['FREQ=WEEKLY;INTERVAL=530', 'no occurrence within ten years'],
  // Rules that keep the rrule library searching for seconds, or for ever.
  ['FREQ=MINUTELY;INTERVAL=15;BYHOUR=3', 'cannot have "BYHOUR"'],
  ['FREQ=HOURLY;INTERVAL=2;BYHOUR=1', 'cannot have "BYHOUR"'],
  ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 'cannot have "BYMONTHDAY"'],
  ['FREQ=DAILY;INTERVAL=7;BYDAY=MO', 'use FREQ=WEEKLY'],
  ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'no such day'],
  ['FREQ=MONTHLY;BYMONTH=4,6;BYMONTHDAY=-31', 'no such day'],
];

describe('a recurrence rule', () => {
  it.each(good)('%s is fine, comes soon, and never twice within 15 minutes', (text) => {
    expect(validateRule(text)).toBeUndefined();
    const rule = new rrule.RRule({ ...rrule.RRule.parseString(text), dtstart: START });
    const times = rule.all((_, count) => count < 200).map((time) => time.getTime());
    expect(times.length).toBeGreaterThan(0);
    for (const [index, time] of times.slice(1).entries())
      expect(time - Number(times[index])).toBeGreaterThanOrEqual(15 * MINUTE);
  });

  it.each(bad)('%j is refused: %s', (text, words) => {
    expect(validateRule(text)).toContain(words);
  });
});
