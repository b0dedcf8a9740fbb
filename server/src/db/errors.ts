import { ApiError } from '../base/errors.ts';

/** Conditions under which a connection, or the server behind it, is gone or going. */
const LOST = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EHOSTUNREACH',
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  '25006', // read_only_sql_transaction: a standby, while a primary is being promoted
]);
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout e(xpired|xceeded)|timeout exceeded when trying|Cannot use a pool after)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether the error says that PostgreSQL is out of reach, rather than that it refused a statement. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return (
    LOST.has(code) || code.startsWith('08') || (error instanceof Error && LOST_MESSAGE.test(error.message))
  );
}

/** A prepared statement whose plan no longer fits the schema: the connection must be replaced. */
export const isStalePlan = (error: unknown): boolean => {
  const code = codeOf(error);
  return (
    code === '26000' || (code === '0A000' && error instanceof Error && error.message.includes('cached plan'))
  );
};

/** PostgreSQL chose this transaction as the victim; the same work may simply be tried again. */
export const isRetryable = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error));

export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  codeOf(error) === '23505' &&
  error instanceof Error &&
  'constraint' in error &&
  error.constraint === constraint;

export const isCheckViolation = (error: unknown): boolean => codeOf(error) === '23514';

/** A lock was not to be had within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

const isStatementTimeout = (error: unknown): boolean => codeOf(error) === '57014';

/** Gives what the database threw the shape in which the rest of the program knows it. */
export function asProgramError(error: unknown): unknown {
  if (isConnectionLoss(error))
    return new ApiError('service_unavailable', {
      detail: 'the database is out of reach, try again',
      cause: error,
    });
  if (isStatementTimeout(error))
    return new ApiError('service_unavailable', {
      detail: 'the database took too long, try again or ask for less',
      cause: error,
    });
  return error;
}
