import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { InvalidParamKey } from '../../base/errors.ts';
import type { HandleType } from '../../providers/adapter.ts';

export interface HandleIssue {
  key: InvalidParamKey;
  message: string;
}

/** A handle in the one spelling in which it is stored, or what is wrong with it. */
export type ValidatedHandle =
  | { value: string; issue?: undefined }
  | { value?: undefined; issue: HandleIssue };

const LONGEST_PHONE = 50;
export const LONGEST_EMAIL = 254;
export const LONGEST_ID = 255;

const refused = (message: string, key: InvalidParamKey = 'invalid_string'): ValidatedHandle => ({
  issue: { key, message },
});

function validatePhoneNumber(given: string): ValidatedHandle {
  const text = given.trim();
  if (!text.startsWith('+') || text.length > LONGEST_PHONE)
    return refused('Must be a phone number written with + and the country code, such as +15550001111');
  const phone = parsePhoneNumberFromString(text, { extract: false });
  if (phone === undefined || phone.ext !== undefined || !phone.isPossible())
    return refused(
      `No country has a number such as ${text}: check the country code after the + and the number of digits`,
    );
  return { value: phone.number };
}

// A local part without blanks or quotes, and a domain of at least two names. Each character is looked at once.
const LOCAL = /^[^\s@"(),:;<>[\]\\]{1,64}$/u;
const DOMAIN_NAME = /^[\p{L}\p{N}\p{M}_-]{1,63}$/u;

function validateEmail(given: string): ValidatedHandle {
  const text = given.trim();
  if (text.length > LONGEST_EMAIL)
    return refused(`Must have at most ${LONGEST_EMAIL} characters, received ${text.length}`, 'too_big');
  const at = text.lastIndexOf('@');
  const names = text.slice(at + 1).split('.');
  if (!LOCAL.test(text.slice(0, Math.max(at, 0))) || names.length < 2 || !names.every(isDomainName))
    return refused('Must be an email address such as ada@example.com');
  return { value: text.toLowerCase() };
}

const isDomainName = (name: string): boolean => DOMAIN_NAME.test(name);

function validateId(given: string): ValidatedHandle {
  const text = given.trim();
  if (text === '') return refused("Must be the vendor's id of the person");
  if (text.length > LONGEST_ID)
    return refused(`Must have at most ${LONGEST_ID} characters, received ${text.length}`, 'too_big');
  return { value: text };
}

const validators: Record<HandleType, (given: string) => ValidatedHandle> = {
  phone_number: validatePhoneNumber,
  email: validateEmail,
  instagram_id: validateId,
  whatsapp_id: validateId,
};

/** Judges a handle that a client wrote: a phone number becomes E.164, an email address lower case. */
export const validateHandle = (type: HandleType, given: string): ValidatedHandle => validators[type](given);

/** A handle as a vendor writes it, in our spelling. Vendors know whom they carry messages for: it is not judged. */
export function vendorHandle(type: HandleType, given: string): string {
  if (type === 'phone_number') return given.startsWith('+') ? given : `+${given}`;
  return type === 'email' ? given.trim().toLowerCase() : given;
}
