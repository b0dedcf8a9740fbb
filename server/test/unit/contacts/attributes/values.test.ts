import { describe, expect, it } from 'vitest';
import { validateValue, valueToCompare } from '../../../../src/contacts/attributes/values.ts';

describe('the value of an attribute', () => {
  const validate = (type: Parameters<typeof validateValue>[0]['type'], given: string | number | boolean) =>
    validateValue({ type, options: ['a', 'b'] }, given);

  it.each([
    ['text', ' as it is ', { value: ' as it is ' }],
    ['text', 5, { value: '5' }],
    ['number', '44.50', { value: '44.50', number: 44.5 }],
    ['number', -3, { value: '-3', number: -3 }],
    [
      'number',
      '12345678901234567890',
      { value: '12345678901234567890', number: Number('12345678901234567890') },
    ],
    ['boolean', true, { value: 'true' }],
    ['boolean', 'false', { value: 'false' }],
    ['date', '2026-11-15', { value: '2026-11-15', time: new Date('2026-11-15T00:00:00Z') }],
    [
      'datetime',
      '2026-11-15T01:02:03+01:00',
      { value: '2026-11-15T00:02:03.000Z', time: new Date('2026-11-15T00:02:03Z') },
    ],
    ['url', 'https://example.com/?a=b', { value: 'https://example.com/?a=b' }],
    ['select', 'a', { value: 'a' }],
  ] as const)('%s takes %j', (type, given, expected) => {
    expect(validate(type, given)).toEqual({ stored: { number: null, time: null, ...expected } });
  });

  it.each([
    ['number', 'many', 'invalid_string'],
    ['number', '', 'invalid_string'],
    ['number', '0x10', 'invalid_string'],
    ['number', '1e999', 'invalid_string'],
    ['boolean', 'yes', 'invalid_type'],
    ['date', '2026-02-30', 'invalid_string'],
    ['date', '2026-11-15T00:00:00Z', 'invalid_string'],
    ['datetime', 'tomorrow', 'invalid_string'],
    ['url', 'javascript:alert(1)', 'invalid_string'],
    ['url', 'http://[', 'invalid_string'],
    ['select', 'c', 'invalid_enum_value'],
    ['text', 'x'.repeat(2001), 'too_big'],
  ] as const)('%s refuses %j', (type, given, key) => {
    expect(validate(type, given).issue?.key).toBe(key);
  });

  it('is compared by its type', () => {
    expect(valueToCompare('number', '44.50')).toBe(44.5);
    expect(valueToCompare('boolean', 'true')).toBe(true);
    expect(valueToCompare('date', '2026-11-15')).toBe('2026-11-15');
  });
});
