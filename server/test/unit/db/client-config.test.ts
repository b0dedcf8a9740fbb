import { expect, it } from 'vitest';
import { parseTime } from '../../../src/db/client-config.ts';

it.each([
  ['2026-11-15 01:02:03+00', '2026-11-15T01:02:03.000Z'],
  ['2026-11-15 01:02:03.4+00', '2026-11-15T01:02:03.400Z'],
  ['2026-11-15 01:02:03.45+00', '2026-11-15T01:02:03.450Z'],
  ['2026-11-15 01:02:03.456+00', '2026-11-15T01:02:03.456Z'],
  ['2026-12-31 23:59:59.999999+00', '2026-12-31T23:59:59.999Z'],
  ['0044-03-15 12:00:00.05+00', '0044-03-15T12:00:00.050Z'],
  ['9999-12-31 23:59:59.999+00', '9999-12-31T23:59:59.999Z'],
])('parses %s', (text, expected) => {
  expect(parseTime(text).toISOString()).toBe(expected);
});

it.each(['infinity', '-infinity'])('parses %s as an invalid date', (text) => {
  expect(parseTime(text).getTime()).toBeNaN();
});
