import type { AttributeType } from '../../attributes/schema.ts';
import { isLongerThan } from '../../base/characters.ts';
import type { Issue } from '../../base/issues.ts';
import { parseTime } from '../../search/fields.ts';

/** How many characters a value may have. The cursor of a search that is sorted by an attribute contains a value. */
export const MAX_VALUE_LENGTH = 2000;

/** A value as a client may send it. */
export type GivenValue = string | number | boolean;

/** A value as it is stored: the text that the API shows, and the number or time by which it is compared. */
export interface StoredValue {
  value: string;
  number: number | null;
  time: Date | null;
}

type ValidatedValue = { stored: StoredValue; issue?: undefined } | { stored?: undefined; issue: Issue };

const invalid = (message: string, key: Issue['key'] = 'invalid_string'): ValidatedValue => ({
  issue: { key, message },
});
const stored = (value: string, more: Partial<StoredValue> = {}): ValidatedValue => ({
  stored: { value, number: null, time: null, ...more },
});

const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

function validateNumber(text: string): ValidatedValue {
  const number = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(number)) return invalid('Must be a number such as 42 or -0.5');
  // The text is stored as given: it may have more digits than a number can hold. Adding zero turns -0 into 0.
  return stored(text, { number: number + 0 });
}

function validateDate(text: string): ValidatedValue {
  const time = DATE.test(text) ? parseTime(text) : undefined;
  return time ? stored(text, { time }) : invalid('Must be a date such as 2026-11-15');
}

function validateDateTime(text: string): ValidatedValue {
  const time = parseTime(text);
  return time
    ? stored(time.toISOString(), { time })
    : invalid('Must be an ISO 8601 time such as 2026-11-15T01:02:03Z');
}

function validateUrl(text: string): ValidatedValue {
  const isWeb = /^https?:/i.test(text) && URL.canParse(text);
  return isWeb ? stored(text) : invalid('Must be a URL that begins with http:// or https://');
}

const validators: Record<AttributeType, (text: string, options: readonly string[]) => ValidatedValue> = {
  text: (text) => stored(text),
  number: validateNumber,
  boolean: (text) =>
    text === 'true' || text === 'false' ? stored(text) : invalid('Must be true or false', 'invalid_type'),
  date: validateDate,
  datetime: validateDateTime,
  url: validateUrl,
  select: (text, options) =>
    options.includes(text)
      ? stored(text)
      : invalid(
          `Must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}`,
          'invalid_enum_value',
        ),
};

/** Validates a value by the type of its attribute. Numbers and booleans may also be given as text. */
export function validateValue(
  attribute: { type: AttributeType; options: readonly string[] },
  given: GivenValue,
): ValidatedValue {
  const text = attribute.type === 'text' ? String(given) : String(given).trim();
  if (isLongerThan(text, MAX_VALUE_LENGTH))
    return invalid(`Must have at most ${MAX_VALUE_LENGTH} characters`, 'too_big');
  return validators[attribute.type](text, attribute.options);
}

/** A stored value as conditions compare it, the same way as SQL compares the columns. */
export function valueToCompare(type: AttributeType, value: string): GivenValue {
  if (type === 'number') return Number(value);
  if (type === 'boolean') return value === 'true';
  return value;
}
