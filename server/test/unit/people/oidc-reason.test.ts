import { expect, it } from 'vitest';
import { ApiError } from '../../../src/base/errors.ts';
import { oidcReasonOf } from '../../../src/people/oidc.ts';

it.each([
  [new ApiError('forbidden', { reason: 'not_invited' }), 'not_invited'],
  [new ApiError('service_unavailable', { reason: 'no_answer' }), 'no_answer'],
  [new ApiError('too_many_attempts'), 'too_many_attempts'],
  [new ApiError('unauthorized'), 'not_valid'],
  // Not about the login: the database is out of reach, or the program has a fault.
  [new ApiError('service_unavailable'), undefined],
  [new ApiError('route_not_found'), undefined],
  [new TypeError('x is not a function'), undefined],
])('the page after a login that did not succeed says why: %s', (error, reason) => {
  expect(oidcReasonOf(error)).toBe(reason);
});
