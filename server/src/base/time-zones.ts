import { IANAZone } from 'luxon';

/** Excludes offsets such as `+01:00`, which newer versions of Node know as well. */
const NAME = /^[A-Za-z][\w+\-/]{0,63}$/;
/** The names that were found to be zones, in small letters: a few hundred at most. To find out takes half a millisecond. */
const known = new Set<string>();

/** Whether a text is the name of a time zone, whatever its capitals. */
export function isTimezone(name: string): boolean {
  if (!NAME.test(name)) return false;
  const small = name.toLowerCase();
  if (known.has(small)) return true;
  const isValid = IANAZone.isValidZone(small);
  if (isValid) known.add(small);
  return isValid;
}

/**
 * A time zone by its name. Luxon keeps 57 kB for each spelling that it is asked for, for ever, and a name has thousands of them:
 * so each zone is asked for in small letters.
 */
export const timezoneOf = (name: string): IANAZone => IANAZone.create(name.toLowerCase());
