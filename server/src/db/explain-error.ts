import { OperatorError } from '../base/errors.ts';
import { isConnectionLoss, isLockTimeout } from './errors.ts';

/** The sentence for the operator, if a database could not be opened or prepared for a reason that is known. */
export function explainError(error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const message =
    error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
  const code = (error as { code?: string }).code ?? '';
  if (isLockTimeout(error))
    return new OperatorError(
      'The schema could not be changed, because a long query or an open transaction uses its tables. End it (see pg_stat_activity) and start again.',
    );
  if (code === '53300')
    return new OperatorError(
      `The database has no free connection for Parley (${message}). Raise the limit, or close other connections.`,
    );
  // The error itself has the URL, with the password.
  if (code === 'ERR_INVALID_URL' || error instanceof URIError)
    return new OperatorError(
      'DATABASE_URL is not a valid URL. Check its host and port, and write special characters of the password as in %23 for #.',
    );
  if ((error as { syscall?: string }).syscall === 'open')
    return new OperatorError(
      `A file that DATABASE_URL names cannot be read (${message}). Check sslrootcert, sslcert and sslkey in it.`,
    );
  if (/CERT|TLS|SSL|SELF_SIGNED/.test(code) || /does not support SSL/.test(message))
    return new OperatorError(
      `The database server and Parley do not agree about TLS (${message}). Check sslmode and sslrootcert in DATABASE_URL.`,
    );
  if (isConnectionLoss(error))
    return new OperatorError(
      `The database cannot be reached (${message}). Check DATABASE_URL and that PostgreSQL is running.`,
    );
  if (code === '3D000' || code.startsWith('28'))
    return new OperatorError(
      `The database refused the connection (${message}). Check user, password and database name in DATABASE_URL.`,
    );
  if (code === '0A000' && message.includes('extension'))
    return new OperatorError(
      `The database server lacks a part of PostgreSQL (${message}). Install PostgreSQL's contrib package on it.`,
    );
  if (code === '42501')
    return new OperatorError(
      `The database user may not create Parley's tables (${message}). Grant it CREATE on the database and its schema.`,
    );
  return error;
}
