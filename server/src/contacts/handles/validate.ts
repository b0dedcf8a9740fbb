import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { InvalidParamKey } from '../../base/errors.ts';
import type { Issue } from '../../base/issues.ts';
import type { HandleType } from '../../providers/kinds.ts';
import { isPlainE164 } from './e164.ts';

/** A handle in the form in which it is stored, or what is wrong with it. */
type ValidatedHandle = { value: string; issue?: undefined } | { value?: undefined; issue: Issue };

/** A country by its code, such as `DE`. */
export type Country = CountryCode;
export const isCountry = (code: string): code is Country => isSupportedCountry(code);

/** How many handles a contact may be given. They are part of the contact, and of each of its events. */
export const MAX_HANDLES = 100;
const MAX_PHONE_LENGTH = 50;
const MAX_EMAIL_LENGTH = 254;
const MAX_ID_LENGTH = 255;

const invalid = (message: string, key: InvalidParamKey = 'invalid_string'): ValidatedHandle => ({
  issue: { key, message },
});

/** Invisible marks of the direction of writing, which address books and spreadsheets put around copied numbers. */
const INVISIBLE = /[\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu;

/** With a country, numbers may also be written as people there dial them. */
function validatePhoneNumber(given: string, country: Country | null): ValidatedHandle {
  if (isPlainE164(given)) return { value: given };
  return parsePhoneNumber(given, country);
}

/** Exported for the test that compares both ways. */
export function parsePhoneNumber(given: string, country: Country | null): ValidatedHandle {
  const text = given.replaceAll(INVISIBLE, '').trim();
  const isInternational = text.startsWith('+');
  if ((!isInternational && country === null) || text.length > MAX_PHONE_LENGTH)
    return invalid('Must be a phone number written with + and the country code, such as +15550001111');
  const phone = parsePhoneNumberFromString(text, {
    extract: false,
    ...(isInternational || country === null ? {} : { defaultCountry: country }),
  });
  if (phone === undefined || phone.ext !== undefined || !phone.isPossible())
    return invalid(
      isInternational
        ? `No country has a number such as ${text}: check the country code after the + and the number of digits`
        : `${country} has no number such as ${text}: check the number of digits`,
    );
  return { value: phone.number };
}

// A local part without spaces or quotes, and a domain of at least two names. Linear: each character is read once.
const LOCAL = /^[^\s@"(),:;<>[\]\\]{1,64}$/u;
const DOMAIN_NAME = /^[\p{L}\p{N}\p{M}_-]{1,63}$/u;

function validateEmail(given: string): ValidatedHandle {
  const text = given.trim();
  if (text.length > MAX_EMAIL_LENGTH)
    return invalid(`Must have at most ${MAX_EMAIL_LENGTH} characters, received ${text.length}`, 'too_big');
  const at = text.lastIndexOf('@');
  const names = text.slice(at + 1).split('.');
  if (!LOCAL.test(text.slice(0, Math.max(at, 0))) || names.length < 2 || !names.every(isDomainName))
    return invalid('Must be an email address such as ada@example.com');
  return { value: text.toLowerCase() };
}

const isDomainName = (name: string): boolean => DOMAIN_NAME.test(name);

function validateId(given: string): ValidatedHandle {
  const text = given.trim();
  if (text === '') return invalid("Must be the vendor's id of the person");
  if (text.length > MAX_ID_LENGTH)
    return invalid(`Must have at most ${MAX_ID_LENGTH} characters, received ${text.length}`, 'too_big');
  return { value: text };
}

const validators: Record<HandleType, (given: string, country: Country | null) => ValidatedHandle> = {
  phone_number: validatePhoneNumber,
  email: validateEmail,
  instagram_id: validateId,
  whatsapp_id: validateId,
};

/** Validates a handle given by a client. A phone number is stored as E.164, an email address in lower case. */
export const validateHandle = (
  type: HandleType,
  given: string,
  country: Country | null = null,
): ValidatedHandle => validators[type](given, country);

/** A handle given by a vendor, in the form in which it is stored. Vendors know their addresses: it is not validated. */
export function vendorHandle(type: HandleType, given: string): string {
  if (type === 'phone_number') return given.startsWith('+') ? given : `+${given}`;
  return type === 'email' ? given.trim().toLowerCase() : given;
}
