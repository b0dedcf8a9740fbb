import fc from 'fast-check';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { expect, it } from 'vitest';
import { isPlainE164 } from '../../../../src/contacts/handles/e164.ts';
import { parsePhoneNumber } from '../../../../src/contacts/handles/validate.ts';

const codes = [...new Set(getCountries().map((country) => getCountryCallingCode(country) as string))];
const digits = (from: number, to: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: from, maxLength: to }).map((all) => all.join(''));
/** Numbers of every country, with beginnings that some countries dial before a number. */
const numbers = fc
  .tuple(
    fc.constantFrom(...codes),
    fc.constantFrom('', '0', '1', '8', '9', '00', '06', '15', '044'),
    digits(2, 13),
  )
  .map((parts) => `+${parts.join('')}`);

it('a number that is not parsed is one that the library takes as it is', () => {
  let plain = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        numbers,
        digits(1, 17).map((all) => `+${all}`),
      ),
      (text) => {
        if (!isPlainE164(text)) return;
        plain += 1;
        expect(parsePhoneNumber(text, null)).toEqual({ value: text });
      },
    ),
    { numRuns: 5_000 },
  );
  expect(plain).toBeGreaterThan(500);
});

it('mobile numbers as most people have them need not be parsed', () => {
  for (const number of ['+15550001111', '+491701234567', '+447911123456', '+5511912345678', '+919876543210'])
    expect([number, isPlainE164(number)]).toEqual([number, true]);
  for (const text of ['+49 170 1234567', '0170 1234567', '+440791112345', '+1', '+999123456789', '+', ''])
    expect([text, isPlainE164(text)]).toEqual([text, false]);
});
