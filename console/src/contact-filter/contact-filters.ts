import { called, type FilterTexts, oneOf, written } from '../ui/filter.ts';

export const PERIODS = ['P1D', 'P7D', 'P30D'] as const;

/** How conditions about contacts are written. */
export const contactFilters = {
  label: written('in', 'labelIds'),
  segment: called('segment'),
  subscribed: oneOf({ true: 'eq(isSubscribed,true)', false: 'eq(isSubscribed,false)' }),
  name: written('contains', 'fullName'),
  email: written('contains', 'email'),
  phone: written('startsWith', 'phoneNumber'),
  language: written('eq', 'language'),
  created: oneOf(Object.fromEntries(PERIODS.map((period) => [period, `ge(createdAt,now("-${period}"))`]))),
} satisfies FilterTexts;

/** A filter that everybody matches. */
export const EVERYBODY = 'ge(createdAt,"1970-01-01T00:00:00Z")';
