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

/** The session is in UTC: PostgreSQL sends `2026-11-15 01:02:03.456+00`. Parsing by position is faster than a pattern. */
function parseTime(text: string): Date {
  const fraction = text.charCodeAt(19) === 46 ? Number(`0${text.slice(19, text.indexOf('+', 20))}`) : 0;
  const year = Number(text.slice(0, 4));
  const time = new Date(
    Date.UTC(
      year,
      Number(text.slice(5, 7)) - 1,
      Number(text.slice(8, 10)),
      Number(text.slice(11, 13)),
      Number(text.slice(14, 16)),
      Number(text.slice(17, 19)),
      Math.floor(fraction * 1000 + 0.0005),
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
