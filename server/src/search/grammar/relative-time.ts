import { DateTime, Duration } from 'luxon';
import { isTimezone, timezoneOf } from '../../base/time-zones.ts';
import type { Token, Tokens } from './tokens.ts';

/** Functions whose value depends on when a filter is evaluated, and the names of their arguments. */
const relativeTimes: Record<string, readonly ('zone' | 'duration')[]> = {
  now: ['duration'],
  today: ['zone', 'duration'],
};

export const isRelativeTime = (token: Token): token is Token & { kind: 'name'; text: string } =>
  token.kind === 'name' && Object.hasOwn(relativeTimes, token.text);

/** Whether the value of a filter may depend on when it is evaluated. */
export const mayBeRelative = (text: string): boolean => /\b(?:now|today)\s*\(/.test(text);

const FIRST_YEAR = 1;
const LAST_YEAR = 9999;

/**
 * Reads the arguments of `now("-P7D")` or `today("Europe/Berlin","P1D")` and returns the time. A day begins at midnight of
 * its zone, and a duration of days is counted on the calendar of the zone. Without a zone it is UTC.
 */
export function readRelativeTime(tokens: Tokens, name: Token & { kind: 'name' }, now: Date): string {
  const expected = relativeTimes[name.text] as readonly ('zone' | 'duration')[];
  let zone = 'UTC';
  let offset: Duration = Duration.fromMillis(0);
  let last: Token = name;
  for (const [index, argument] of readArguments(tokens).entries()) {
    last = argument;
    if (argument.kind !== 'text') throw tokens.createExpectedError('text in quotes', argument);
    if (expected[index] === 'zone') {
      if (!isTimezone(argument.text))
        throw tokens.createError('Not a time zone', argument, ', such as "Europe/Berlin"');
      zone = argument.text;
    } else if (expected[index] === 'duration') {
      offset = readDuration(tokens, argument);
    } else
      throw tokens.createError(`${name.text} has at most ${expected.length} values, found another`, argument);
  }
  const local = DateTime.fromJSDate(now, { zone: timezoneOf(zone) });
  const time = (name.text === 'today' ? local.startOf('day') : local).plus(offset);
  if (!time.isValid || time.toUTC().year < FIRST_YEAR || time.toUTC().year > LAST_YEAR)
    throw tokens.createError('Time out of range', last);
  return time.toJSDate().toISOString();
}

function readArguments(tokens: Tokens): Token[] {
  tokens.takePunctuation('(');
  const next = tokens.peek();
  if (next.kind === 'punctuation' && next.character === ')') {
    tokens.take();
    return [];
  }
  const found: Token[] = [];
  do found.push(tokens.take());
  while (tokens.hasMore());
  return found;
}

function readDuration(tokens: Tokens, token: Token & { kind: 'text' | 'name'; text: string }): Duration {
  const duration = Duration.fromISO(token.text);
  // luxon accepts a P without a number.
  if (!duration.isValid || !/\d/.test(token.text))
    throw tokens.createError('Not an ISO 8601 duration', token, ', such as "P1D" or "-PT2H"');
  return duration;
}
