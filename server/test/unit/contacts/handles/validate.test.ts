import { describe, expect, it } from 'vitest';
import { validateHandle, vendorHandle } from '../../../../src/contacts/handles/validate.ts';

describe('a phone number', () => {
  it.each([
    ['+15550001111', '+15550001111'],
    [' +1 (555) 000-1111 ', '+15550001111'],
    ['+49 171 2345678', '+491712345678'],
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['\u202a+49 171 2345678\u202c', '+491712345678'],
    ['\u200e+49\u2060171 2345678\ufeff', '+491712345678'],
  ])('%j is stored as %s', (given, value) => {
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
  ])('%j is refused with a message that says what to do', (given, words) => {
    expect(validateHandle('phone_number', given).issue).toEqual({
      key: 'invalid_string',
      message: expect.stringContaining(words),
    });
  });

  it('from a vendor gets its + and is not validated', () => {
    expect(vendorHandle('phone_number', '15550001111')).toBe('+15550001111');
    expect(vendorHandle('phone_number', '+123')).toBe('+123');
  });
});

describe('an email address', () => {
  it.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['a.b+c@mail.example.co.uk', 'a.b+c@mail.example.co.uk'],
    ['jörg@müller.example', 'jörg@müller.example'],
  ])('%j is stored as %s', (given, value) => {
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
  ])('%j is invalid', (given) => {
    expect(validateHandle('email', given).issue?.key).toBe('invalid_string');
  });

  it('has at most 254 characters', () => {
    const long = `ada@${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`;
    expect(validateHandle('email', long.slice(-254)).issue?.key).not.toBe('too_big');
    expect(validateHandle('email', `a${long}`.padStart(255, 'a')).issue?.key).toBe('too_big');
  });

  it('from a vendor is stored in lower case too', () => {
    expect(vendorHandle('email', 'Ada@Example.com')).toBe('ada@example.com');
  });
});

describe('an id of a vendor', () => {
  it('is stored as given, if it is neither empty nor too long', () => {
    for (const type of ['instagram_id', 'whatsapp_id'] as const) {
      expect(validateHandle(type, 'US.13491208655302741918')).toEqual({ value: 'US.13491208655302741918' });
      expect(validateHandle(type, ' ').issue?.key).toBe('invalid_string');
      expect(validateHandle(type, 'x'.repeat(256)).issue?.key).toBe('too_big');
    }
  });
});
