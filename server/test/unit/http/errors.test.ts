import { expect, it } from 'vitest';
import { asApiError } from '../../../src/http/errors.ts';

it.each([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
])('I14: a disk that stores no more files (%s) is a temporary condition and not an internal error', (code) => {
  const answer = asApiError(Object.assign(new Error('write'), { code }));
  expect([answer.status, answer.key]).toEqual([503, 'service_unavailable']);
});
