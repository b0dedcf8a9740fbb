import { ApiError, isUnavailable } from '../base/errors.ts';

/** Codes for a lost connection or a stopping server. */
const LOST_CODES = new Set([
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
  '25P03', // idle_in_transaction_session_timeout: this process was stopped inside a transaction
]);
/** Codes of a server that answers but cannot store anything. The same statement may succeed later. */
const UNWRITABLE_CODES = new Set([
  '25006', // read_only_sql_transaction
  '53100', // disk_full
  '53200', // out_of_memory
  '58030', // io_error
]);
const LOST_MESSAGE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout e(xpired|xceeded)|timeout exceeded when trying|Cannot use a pool after)/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Whether PostgreSQL answers but cannot store anything: its disk is full, or it is read-only. */
export const isUnwritable = (error: unknown): boolean => UNWRITABLE_CODES.has(codeOf(error));

/** Whether PostgreSQL could not be reached, as opposed to an error in a statement. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return (
    LOST_CODES.has(code) ||
    code.startsWith('08') ||
    (error instanceof Error && LOST_MESSAGE.test(error.message))
  );
}

/** A prepared statement whose plan no longer fits the schema: the connection must be replaced. */
export const isStalePlan = (error: unknown): boolean => {
  const code = codeOf(error);
  return (
    code === '26000' || (code === '0A000' && error instanceof Error && error.message.includes('cached plan'))
  );
};

/** PostgreSQL aborted the transaction because of a conflict with another one. It can be repeated. */
export const isRetryable = (error: unknown): boolean => ['40P01', '40001'].includes(codeOf(error));

/** Thrown to repeat a transaction as after a conflict that PostgreSQL has found itself. */
export class TransactionConflict extends Error {
  readonly code = '40001';
}

/** An earlier statement of the transaction has failed. */
export const isFollowingFailure = (error: unknown): boolean => codeOf(error) === '25P02';

const violates = (error: unknown, code: string, constraint: string): boolean =>
  codeOf(error) === code &&
  error instanceof Error &&
  'constraint' in error &&
  error.constraint === constraint;
export const isUniqueViolation = (error: unknown, constraint: string): boolean =>
  violates(error, '23505', constraint);
export const isForeignKeyViolation = (error: unknown, constraint: string): boolean =>
  violates(error, '23503', constraint);

export const isCheckViolation = (error: unknown): boolean => codeOf(error) === '23514';

/** A lock was not available within `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** A statement took longer than `statement_timeout`; also as the error of the API that it becomes. */
export const isStatementTimeout = (error: unknown): boolean =>
  codeOf(error) === '57014' || (error instanceof ApiError && codeOf(error.cause) === '57014');

const isOutOfConnections = (error: unknown): boolean => codeOf(error) === '53300';

/** Converts an error of the database to an error of the API where there is one. */
export function asProgramError(error: unknown): unknown {
  if (isUnwritable(error))
    return new ApiError('service_unavailable', {
      detail: 'the database cannot store anything at the moment, try again later',
      cause: error,
    });
  if (isOutOfConnections(error))
    return new ApiError('service_unavailable', {
      detail: 'the database has no free connection, try again',
      cause: error,
    });
  if (isConnectionLoss(error))
    return new ApiError('service_unavailable', {
      detail: 'the database cannot be reached, try again',
      cause: error,
    });
  if (isStatementTimeout(error))
    return new ApiError('service_unavailable', {
      detail: 'the database took too long, try again or ask for less',
      cause: error,
    });
  return error;
}

/** Classes and codes of errors for which no row is to blame: resources, the operator, the system, conflicts, locks. */
const TROUBLE =
  /^(?:53|57|58|40)[0-9A-Z]{3}$|^55P03$|^(?:ENOSPC|EDQUOT|EROFS|EIO|EMFILE|ENFILE|ENOMEM|EACCES|EPERM|EBUSY)$/;

/** A failure with a vendor's own code, such as 53000. It says itself whether a retry may succeed. */
const isOfVendor = (error: unknown): boolean => error instanceof Error && 'isTemporary' in error;

/**
 * Whether the server or the machine is in trouble, as opposed to an error that a row causes each time. Handlers throw
 * such an error without counting an attempt, and the ordering key pauses for a second. Only jobs, and
 * campaigns whose audience is gathered, count statements that took too long.
 */
export const isServerTrouble = (error: unknown): boolean =>
  isUnavailable(error) || (!isOfVendor(error) && TROUBLE.test(codeOf(error)));
