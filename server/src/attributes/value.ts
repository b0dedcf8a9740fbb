import { isDateTime } from '../http/validation.ts';
import type { Attribute } from './schema.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Why a value does not fit its attribute, in words; undefined when it does. Values are always written as text. */
export function faultOfValue(
  attribute: Pick<Attribute, 'type' | 'options'>,
  value: string,
): string | undefined {
  switch (attribute.type) {
    case 'number':
      return NUMBER.test(value) ? undefined : 'Must be a number such as 12.5';
    case 'boolean':
      return value === 'true' || value === 'false' ? undefined : 'Must be true or false';
    case 'date':
      return DATE.test(value) && isDateTime(`${value}T00:00:00Z`)
        ? undefined
        : 'Must be a date such as 2026-11-15';
    case 'datetime':
      return isDateTime(value) ? undefined : 'Must be an ISO 8601 date-time with a zone';
    case 'url':
      return URL.canParse(value) && /^https?:/i.test(value) ? undefined : 'Must be an http or https URL';
    case 'select':
      return attribute.options.includes(value) ? undefined : `Must be one of ${attribute.options.join(', ')}`;
    default:
      return undefined;
  }
}
