import pg from 'pg';
import { QUERY_TIMEOUT_MS } from './session.ts';

/** How to reach PostgreSQL: a URL, or its parts for the socket of the embedded server. */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

export interface ClientOptions {
  connection: Connection;
  applicationName: string;
  /** After how long an unanswered statement breaks its connection; longer than `statement_timeout` of the settings. */
  queryTimeoutMs?: number;
  /** How long is waited for a free connection, and for the answer to a read by primary key. */
  waitMs?: number;
}

/** Much longer than a request waits for a free connection, or a read by primary key for its answer. */
export const WAIT_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;

const digit = (text: string, index: number): number => text.charCodeAt(index) - 48;
const twoDigits = (text: string, index: number): number => digit(text, index) * 10 + digit(text, index + 1);

/** The milliseconds in `.4`, `.45` or `.456789`, of which no digit has to be there. */
function fractionMs(text: string): number {
  if (text.charCodeAt(19) !== 46) return 0;
  let ms = 0;
  let unit = 100;
  for (let index = 20; unit >= 1 && digit(text, index) >= 0 && digit(text, index) <= 9; index += 1) {
    ms += digit(text, index) * unit;
    unit /= 10;
  }
  return ms;
}

/**
 * The session is in UTC: PostgreSQL sends `2026-11-15 01:02:03.456+00`. By the codes of its digits a time takes 0.22 µs, by
 * numbers of its parts 0.57. An infinity is an invalid date.
 */
export function parseTime(text: string): Date {
  if (text[4] !== '-') return new Date(Number.NaN);
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const time = new Date(
    Date.UTC(
      year,
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      fractionMs(text),
    ),
  );
  // Date.UTC takes the years 1 to 99 for 1901 to 1999.
  if (year < 100) time.setUTCFullYear(year);
  return time;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [TIMESTAMPTZ, parseTime],
]);

/** How a connection is opened; the settings of its session follow (session.ts). */
export function clientConfig(options: ClientOptions): pg.ClientConfig {
  return {
    ...options.connection,
    application_name: options.applicationName,
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: options.waitMs ?? WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  };
}
