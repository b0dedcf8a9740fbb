import { describe, expect, it } from 'vitest';
import { validateValue, valueToCompare } from '../../../../src/contacts/attribute-values.ts';
import { validateHandle, vendorHandle } from '../../../../src/contacts/handles/validate.ts';

describe('a phone number', () => {
  it.each([
    ['+15550001111', '+15550001111'],
    [' +1 (555) 000-1111 ', '+15550001111'],
    ['+49 171 2345678', '+491712345678'],
    ['+44 (0)20 7946 0958', '+442079460958'],
  ])('%j is kept as %s', (given, value) => {
    expect(validateHandle('phone_number', given)).toEqual({ value });
  });

  it.each([
    ['5550001111', 'with + and the country code'],
    ['0049 171 2345678', 'with + and the country code'],
    ['', 'with + and the country code'],
    [`+${'1'.repeat(60)}`, 'with + and the country code'],
    ['+', 'check the country code'],
    ['+1', 'check the country code'],
    ['+999123456789', 'check the country code'],
    ['+1555000', 'check the country code'],
    ['+49 171 23456789012345', 'check the country code'],
    ['+15550001111 ext. 5', 'check the country code'],
    ['call me at +15550001111', 'with + and the country code'],
  ])('%j is refused in words that say what to do', (given, words) => {
    expect(validateHandle('phone_number', given).issue).toEqual({
      key: 'invalid_string',
      message: expect.stringContaining(words),
    });
  });

  it('from a vendor gets its + and is not judged', () => {
    expect(vendorHandle('phone_number', '15550001111')).toBe('+15550001111');
    expect(vendorHandle('phone_number', '+123')).toBe('+123');
  });
});

describe('an email address', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['a.b+c@mail.example.co.uk', 'a.b+c@mail.example.co.uk'],
    ['jörg@müller.example', 'jörg@müller.example'],
  ])('%j is kept as %s', (given, value) => {
    expect(validateHandle('email', given)).toEqual({ value });
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example',
    'a b@example.com',
    'a@b@example.com',
    'a@.com',
    'a@b..c',
  ])('%j is none', (given) => {
    expect(validateHandle('email', given).issue?.key).toBe('invalid_string');
  });

  it('has at most 254 characters', () => {
    const long = `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`;
    expect(validateHandle('email', long.slice(-254)).issue?.key).not.toBe('too_big');
    expect(validateHandle('email', `a${long}`.padStart(255, 'a')).issue?.key).toBe('too_big');
  });

  it('from a vendor is folded too', () => {
    expect(vendorHandle('email', 'Ada@Example.com')).toBe('ada@example.com');
  });
});

describe('an id of a vendor', () => {
  it('is taken as it is, but not blank and not endless', () => {
    for (const type of ['instagram_id', 'whatsapp_id'] as const) {
      expect(validateHandle(type, 'US.13491208655302741918')).toEqual({ value: 'US.13491208655302741918' });
      expect(validateHandle(type, ' ').issue?.key).toBe('invalid_string');
      expect(validateHandle(type, 'x'.repeat(256)).issue?.key).toBe('too_big');
    }
  });
});

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
