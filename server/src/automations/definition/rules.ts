import { Duration } from 'luxon';
import { isTimezone } from '../../base/time-zones.ts';
import { isDateTime } from '../../http/validation.ts';
import { validateUrl } from '../../outbound/validate-url.ts';
import type { Searchable } from '../../search/fields.ts';
import { type Filter, listFields, parseFilter, parseRowFilter } from '../../search/grammar/filter.ts';
import { ExpressionError } from '../../search/grammar/tokens.ts';
import { attributeOf, audienceFields, withoutNames } from './conditions.ts';
import { isBlank } from './keywords.ts';
import { liquidAt, rootNamesOf, validateLiquid } from './liquid.ts';
import { SCOPE_NAMES } from './liquid-scope.ts';
import { validateRule } from './recurrence.ts';
import type { ReferenceKind, Rule } from './schema-walker.ts';

const YEAR_MS = 365 * 24 * 3600_000;

/** The id, or for an attribute the externalId, of something that must exist. */
export const refersTo =
  (kind: ReferenceKind): Rule<string | null> =>
  (value, at, context) => {
    if (value !== null) context.refer({ kind, value, at });
  };

/** The id of a step of the same definition. */
export const step: Rule<string> = (value, at, { stepIds, issues }) => {
  if (!stepIds.has(value)) issues.add(at, 'custom', `There is no step "${value}"`);
};

const templateOf =
  (names: readonly string[]): Rule<string> =>
  (value, at, { issues, later, see }) =>
    later(() => {
      const problem = validateLiquid(value, names);
      if (problem !== undefined) issues.add(at, 'invalid_string', problem);
      else if (see) for (const name of rootNamesOf(value) ?? [undefined]) see(name, at);
    });

export const template = templateOf(SCOPE_NAMES);

const withSecrets = templateOf([...SCOPE_NAMES, 'secrets']);
const SECRET = /\bsecrets(?:\.|\[\s*["'])([A-Za-z]\w*)/g;

/** What goes to another server, and to nobody else. */
export const templateWithSecrets: Rule<string> = (value, at, context) => {
  withSecrets(value, at, context);
  if (liquidAt(value) >= 0)
    for (const [, name = ''] of value.matchAll(SECRET)) context.refer({ kind: 'secret', value: name, at });
};

/** Every text in an object, at any depth. */
export const templatesWithin: Rule<object> = (value, at, context) => {
  for (const [name, part] of Object.entries(value)) {
    if (typeof part === 'string') template(part, `${at}.${name}`, context);
    else if (typeof part === 'object' && part !== null) templatesWithin(part, `${at}.${name}`, context);
  }
};

/** A time, or Liquid that becomes one when the run gets there. */
export const time: Rule<string> = (value, at, context) => {
  if (liquidAt(value) >= 0) template(value, at, context);
  else if (!isDateTime(value))
    context.issues.add(
      at,
      'invalid_string',
      'Must be an ISO 8601 date-time with a zone, such as 2026-11-15T01:02:03.456Z, or Liquid',
    );
};

export const duration: Rule<string> = (value, at, { issues }) => {
  const length = Duration.fromISO(value);
  if (!length.isValid) issues.add(at, 'invalid_string', 'Must be an ISO 8601 duration, such as PT10M or P2D');
  else if (!(length.toMillis() > 0 && length.toMillis() <= YEAR_MS))
    issues.add(at, 'custom', 'Must be longer than nothing and at most a year');
};

/** Matches the part of a URL before its Liquid if that part contains the whole host. */
const FIXED_HOST = /^[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#]+[/\\?#]/i;

/** If Liquid decides about the host, only the connection is checked, when the run gets there. */
export const url: Rule<string> = (value, at, context) => {
  const liquid = liquidAt(value);
  if (liquid >= 0) template(value, at, context);
  const fixed = liquid < 0 ? value : value.slice(0, liquid);
  if (liquid >= 0 && !FIXED_HOST.test(fixed)) return;
  const decision = validateUrl(fixed, context.policy);
  if (!decision.ok) context.issues.add(at, 'invalid_string', decision.reason);
};

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** Headers of the connection, which only the HTTP client sets. */
const OWN_HEADERS = new Set(
  'connection content-length expect host keep-alive proxy-authorization te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export const headers: Rule<object> = (value, at, { issues }) => {
  for (const name of Object.keys(value)) {
    if (!HEADER_NAME.test(name))
      issues.add(`${at}.${name}`, 'invalid_string', 'This is not the name of a header');
    else if (OWN_HEADERS.has(name.toLowerCase()))
      issues.add(`${at}.${name}`, 'custom', 'This header cannot be set');
  }
};

export const headerValue: Rule<string> = (value, at, context) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what would end the header
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    context.issues.add(at, 'invalid_string', 'A header must not contain control characters');
  else templateWithSecrets(value, at, context);
};

/** Parses a filter. Reports an issue with the column and returns undefined if it is invalid. */
function parseOrReport(
  value: string,
  fields: Searchable,
  report: (message: string) => void,
  parse = parseFilter,
): Filter | undefined {
  try {
    return parse(value, fields, new Date());
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    report(error.message);
    return undefined;
  }
}

/** Finding a similar name costs more than the rest of a condition, so that only the first invalid ones get a suggestion. */
const MAX_SUGGESTIONS = 10;

export const condition: Rule<string> = (value, at, context) =>
  context.later(() => validateCondition(value, at, context));

const validateCondition: Rule<string> = (value, at, { conditions, issues, refer, see }) => {
  const isTerse = conditions.invalid >= MAX_SUGGESTIONS;
  const report = (message: string): void => {
    conditions.invalid += 1;
    issues.add(at, 'invalid_string', isTerse ? message.replace(/; did you mean .*$/s, '') : message);
  };
  const filter = parseOrReport(value, isTerse ? withoutNames(conditions.fields) : conditions.fields, report);
  for (const name of filter ? listFields(filter) : []) {
    const externalId = attributeOf(name);
    if (externalId !== undefined) refer({ kind: 'attribute', value: externalId, at });
    see?.(name.split('.', 1)[0], at);
    // The grammar always knows `id`, but a run has no id that a condition could use.
    if (name === 'id') report('Unknown field "id"; did you mean "contact.id"?');
  }
};

export const audience: Rule<string> = (value, at, { issues, refer, see }) => {
  see?.('contact', at);
  const report = (message: string): void => issues.add(at, 'invalid_string', message);
  const filter = parseOrReport(value, audienceFields, report, parseRowFilter);
  for (const name of filter ? listFields(filter) : []) {
    const externalId = attributeOf(name);
    if (externalId !== undefined) refer({ kind: 'attribute', value: externalId, at });
  }
};

export const keyword: Rule<string> = (value, at, { issues }) => {
  if (isBlank(value)) issues.add(at, 'too_small', 'Must not be blank');
};

export const recurrenceRule: Rule<string> = (value, at, { issues }) => {
  const problem = validateRule(value);
  if (problem !== undefined) issues.add(at, 'invalid_string', problem);
};

export const zone: Rule<string> = (value, at, { issues }) => {
  if (!isTimezone(value))
    issues.add(at, 'invalid_string', 'Must be the name of a time zone, such as Europe/Berlin');
};

const given = (value: Record<string, unknown>, names: readonly string[]): number =>
  names.filter((name) => Object.hasOwn(value, name)).length;

export const exactlyOne =
  (...names: string[]): Rule<Record<string, unknown>> =>
  (value, at, { issues }) => {
    if (given(value, names) !== 1) issues.add(at, 'custom', `Must have exactly one of ${names.join(', ')}`);
  };

export const atLeastOne =
  (...names: string[]): Rule<Record<string, unknown>> =>
  (value, at, { issues }) => {
    if (given(value, names) === 0) issues.add(at, 'custom', `Must have at least one of ${names.join(', ')}`);
  };

/** Who gets a chat: given ones, or a member of a team in turn. */
export const assignment: Rule<Record<string, unknown>> = (value, at, context) => {
  const { issues } = context;
  if (value.strategy === undefined) {
    atLeastOne('userId', 'teamId')(value, at, context);
    if (value.maxOpenChats !== undefined)
      issues.add(`${at}.maxOpenChats`, 'custom', 'Only allowed with strategy');
    return;
  }
  if (typeof value.teamId !== 'string')
    issues.add(`${at}.teamId`, 'invalid_type', 'Required: the team whose members take turns');
  if (value.userId !== undefined)
    issues.add(`${at}.userId`, 'custom', 'Must be left out: strategy chooses the user');
};

/** As for a chat's status in the API: `snoozed` needs an end, other statuses must not have one. */
export const snooze: Rule<{ status?: unknown; snoozedUntil?: unknown }> = (value, at, { issues }) => {
  const path = `${at}.snoozedUntil`;
  if (value.status === 'snoozed' && value.snoozedUntil === undefined)
    issues.add(path, 'invalid_type', 'Required');
  if (value.status !== 'snoozed' && value.snoozedUntil !== undefined)
    issues.add(path, 'custom', 'Only the status "snoozed" has an end');
};
