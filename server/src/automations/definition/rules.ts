import { Duration, IANAZone } from 'luxon';
import { isDateTime } from '../../http/validation.ts';
import { validateUrl } from '../../outbound/validate-url.ts';
import type { Searchable } from '../../search/fields.ts';
import { type Filter, parseFilter } from '../../search/grammar.ts';
import { ExpressionError } from '../../search/tokens.ts';
import { attributeOf, audienceFields, withoutNames } from './conditions.ts';
import { liquidAt, validateLiquid } from './liquid.ts';
import { validateRule } from './recurrence.ts';
import type { Reader, ReferenceKind } from './schema-walker.ts';

const YEAR_MS = 365 * 24 * 3600_000;

/** The id, or for an attribute the externalId, of something that must be there. */
export const refersTo =
  (kind: ReferenceKind): Reader<string | null> =>
  (value, at, reading) => {
    if (value !== null) reading.refer({ kind, value, at });
  };

/** The id of a step of the same definition. */
export const step: Reader<string> = (value, at, { stepIds, issue }) => {
  if (!stepIds.has(value)) issue(at, 'custom', `There is no step "${value}"`);
};

export const template: Reader<string> = (value, at, { issue }) => {
  const problem = validateLiquid(value);
  if (problem !== undefined) issue(at, 'invalid_string', problem);
};

/** A time, or Liquid that becomes one when the run gets there. */
export const time: Reader<string> = (value, at, reading) => {
  if (liquidAt(value) >= 0) template(value, at, reading);
  else if (!isDateTime(value))
    reading.issue(
      at,
      'invalid_string',
      'Must be an ISO 8601 date-time with a zone, such as 2026-11-15T01:02:03.456Z, or Liquid',
    );
};

export const duration: Reader<string> = (value, at, { issue }) => {
  const length = Duration.fromISO(value);
  if (!length.isValid) issue(at, 'invalid_string', 'Must be an ISO 8601 duration, such as PT10M or P2D');
  else if (!(length.toMillis() > 0 && length.toMillis() <= YEAR_MS))
    issue(at, 'custom', 'Must be longer than nothing and at most a year');
};

/** The part of a URL before its Liquid, if that part names the whole host. */
const FIXED_HOST = /^[a-z][a-z0-9+.-]*:[/\\]*[^/\\?#]+[/\\?#]/i;

/** Where Liquid decides about the host, the connection that is made when the run gets there is judged instead. */
export const url: Reader<string> = (value, at, reading) => {
  const liquid = liquidAt(value);
  if (liquid >= 0) template(value, at, reading);
  const fixed = liquid < 0 ? value : value.slice(0, liquid);
  if (liquid >= 0 && !FIXED_HOST.test(fixed)) return;
  const decision = validateUrl(fixed, reading.policy);
  if (!decision.ok) reading.issue(at, 'invalid_string', decision.reason);
};

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** These say how the request itself travels, which is not for a definition to say. */
const OWN_HEADERS = new Set(
  'connection content-length expect host keep-alive proxy-authorization te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
);

export const headers: Reader<object> = (value, at, { issue }) => {
  for (const name of Object.keys(value)) {
    if (!HEADER_NAME.test(name)) issue(`${at}.${name}`, 'invalid_string', 'This is not the name of a header');
    else if (OWN_HEADERS.has(name.toLowerCase()))
      issue(`${at}.${name}`, 'custom', 'This header is not yours to set');
  }
};

export const headerValue: Reader<string> = (value, at, reading) => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what would end the header
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    reading.issue(at, 'invalid_string', 'A header must not contain control characters');
  else template(value, at, reading);
};

/** The filter that a text says, or a fault with the column. */
function readFilter(
  value: string,
  fields: Searchable,
  refuse: (message: string) => void,
): Filter | undefined {
  try {
    return parseFilter(value, fields);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    refuse(error.message);
    return undefined;
  }
}

// The recursion is bounded by the grammar's own levels.
function* fieldsOf(filter: Filter): Generator<string> {
  if ('field' in filter) yield filter.field;
  else for (const one of [filter.of].flat()) yield* fieldsOf(one);
}

/** Finding the name that was meant costs more than all the rest of a condition: some are told, not thousands. */
const SUGGESTIONS = 10;

export const condition: Reader<string> = (value, at, { conditions, issue, refer }) => {
  const isTerse = conditions.invalid >= SUGGESTIONS;
  const refuse = (message: string): void => {
    conditions.invalid += 1;
    issue(at, 'invalid_string', isTerse ? message.replace(/; did you mean .*$/s, '') : message);
  };
  const filter = readFilter(value, isTerse ? withoutNames(conditions.fields) : conditions.fields, refuse);
  for (const name of filter ? fieldsOf(filter) : []) {
    const externalId = attributeOf(name);
    if (externalId !== undefined) refer({ kind: 'attribute', value: externalId, at });
    // Every resource that is searched has an id; a run, which conditions are about, has none to ask for.
    if (name === 'id') refuse('Unknown field "id"; did you mean "contact.id"?');
  }
};

export const audience: Reader<string> = (value, at, { issue, refer }) => {
  const filter = readFilter(value, audienceFields, (message) => issue(at, 'invalid_string', message));
  for (const name of filter ? fieldsOf(filter) : []) {
    const externalId = attributeOf(name);
    if (externalId !== undefined) refer({ kind: 'attribute', value: externalId, at });
  }
};

export const rule: Reader<string> = (value, at, { issue }) => {
  const problem = validateRule(value);
  if (problem !== undefined) issue(at, 'invalid_string', problem);
};

export const zone: Reader<string> = (value, at, { issue }) => {
  if (!IANAZone.isValidZone(value))
    issue(at, 'invalid_string', 'Must be the name of a time zone, such as Europe/Berlin');
};

const given = (value: Record<string, unknown>, names: readonly string[]): number =>
  names.filter((name) => Object.hasOwn(value, name)).length;

export const exactlyOne =
  (...names: string[]): Reader<Record<string, unknown>> =>
  (value, at, { issue }) => {
    if (given(value, names) !== 1) issue(at, 'custom', `Must have exactly one of ${names.join(', ')}`);
  };

export const atLeastOne =
  (...names: string[]): Reader<Record<string, unknown>> =>
  (value, at, { issue }) => {
    if (given(value, names) === 0) issue(at, 'custom', `Must have at least one of ${names.join(', ')}`);
  };

/** As for a chat's status in the API: a snooze must say when it ends, and nothing else may. */
export const snooze: Reader<{ status?: unknown; snoozedUntil?: unknown }> = (value, at, { issue }) => {
  const path = `${at}.snoozedUntil`;
  if (value.status === 'snoozed' && value.snoozedUntil === undefined) issue(path, 'invalid_type', 'Required');
  if (value.status !== 'snoozed' && value.snoozedUntil !== undefined)
    issue(path, 'custom', 'Only the status "snoozed" has an end');
};
