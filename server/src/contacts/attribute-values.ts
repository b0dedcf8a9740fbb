import type { AttributeType } from '../attributes/schema.ts';
import { parseTime } from '../search/fields.ts';

/** The longest value of an attribute. A cursor of a search sorted by it must be able to hold it. */
export const LONGEST_VALUE = 2000;

/** A value as a client may write it. */
export type GivenValue = string | number | boolean;

/** A value as it is stored: the text that the API shows, and what it is compared by where that is not the text. */
export interface StoredValue {
  value: string;
  number: number | null;
  time: Date | null;
}

export interface ValueIssue {
  key: 'invalid_string' | 'invalid_type' | 'invalid_enum_value' | 'too_big';
  message: string;
}
export type ValidatedValue =
  | { stored: StoredValue; issue?: undefined }
  | { stored?: undefined; issue: ValueIssue };

const refused = (message: string, key: ValueIssue['key'] = 'invalid_string'): ValidatedValue => ({
  issue: { key, message },
});
const stored = (value: string, more: Partial<StoredValue> = {}): ValidatedValue => ({
  stored: { value, number: null, time: null, ...more },
});

const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

function validateNumber(text: string): ValidatedValue {
  const number = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(number)) return refused('Must be a number such as 42 or -0.5');
  // The text stays as it was given: it may have more digits than a number can hold. Adding zero turns -0 into 0.
  return stored(text, { number: number + 0 });
}

function validateDate(text: string): ValidatedValue {
  const time = DATE.test(text) ? parseTime(text) : undefined;
  return time ? stored(text, { time }) : refused('Must be a date such as 2026-11-15');
}

function validateDateTime(text: string): ValidatedValue {
  const time = parseTime(text);
  return time
    ? stored(time.toISOString(), { time })
    : refused('Must be an ISO 8601 time such as 2026-11-15T01:02:03Z');
}

function validateUrl(text: string): ValidatedValue {
  const isWeb = /^https?:/i.test(text) && URL.canParse(text);
  return isWeb ? stored(text) : refused('Must be a URL that begins with http:// or https://');
}

const validators: Record<AttributeType, (text: string, options: readonly string[]) => ValidatedValue> = {
  text: (text) => stored(text),
  number: validateNumber,
  boolean: (text) =>
    text === 'true' || text === 'false' ? stored(text) : refused('Must be true or false', 'invalid_type'),
  date: validateDate,
  datetime: validateDateTime,
  url: validateUrl,
  select: (text, options) =>
    options.includes(text)
      ? stored(text)
      : refused(
          `Must be one of ${options.map((option) => JSON.stringify(option)).join(', ')}`,
          'invalid_enum_value',
        ),
};

/** Judges a value by the type of its attribute. Numbers and booleans may come as such or as text. */
export function validateValue(
  attribute: { type: AttributeType; options: readonly string[] },
  given: GivenValue,
): ValidatedValue {
  const text = attribute.type === 'text' ? String(given) : String(given).trim();
  if (text.length > LONGEST_VALUE && [...text].length > LONGEST_VALUE)
    return refused(`Must have at most ${LONGEST_VALUE} characters`, 'too_big');
  return validators[attribute.type](text, attribute.options);
}

/** A stored value as filters and conditions compare it: the counterpart of what SQL does with the columns. */
export function valueToCompare(type: AttributeType, value: string): GivenValue {
  if (type === 'number') return Number(value);
  if (type === 'boolean') return value === 'true';
  return value;
}
