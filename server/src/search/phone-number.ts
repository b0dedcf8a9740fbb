/** Only what people write into a phone number. */
const SPELLING = /^[+\d\s()./-]{5,50}$/;
const MIN_DIGITS = 5;

/**
 * The part of a stored number (+491701234567) that a text in another spelling means: 0170 123 45 67, 0049 170…, +49 (0)170….
 * Undefined if it is no number, or spelt as numbers are stored.
 */
export function storedNumberPart(text: string): string | undefined {
  const number = text.trim();
  if (!SPELLING.test(number)) return undefined;
  const digits = number.replace('(0)', '').replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS) return undefined;
  const part = number.startsWith('+') ? `+${digits}` : digits.replace(/^00/, '+').replace(/^0/, '');
  return part === text ? undefined : part;
}
