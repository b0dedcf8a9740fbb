import { ParleyError } from '@parley/sdk';

/** Whether the password was right, and a code is missing. */
export const needsCode = (error: unknown): boolean =>
  error instanceof ParleyError && error.messageKey === 'totp_required';
