import type { Logger } from 'pino';
import type { PeopleSettings } from './app.ts';
import type { RealClock, SystemClock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import type { InFlightLimits } from './channels/bytes-in-flight.ts';
import type { Connection } from './db/client-config.ts';
import type { SearchLimits } from './db/searches.ts';
import type { Settings } from './http/api.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import type { Lookup } from './outbound/connector.ts';
import type { Adapters } from './providers/adapters.ts';

export type Role = 'api' | 'worker' | 'all';

export interface SystemOptions {
  connection: Connection;
  /** How long a request waits for a connection to the database before it is 503. */
  databaseWaitMs?: number;
  /** The time of day; test tenants have clocks of their own beside it. A system clock is kept on the database's time. */
  clock: RealClock | SystemClock;
  keys: Keys;
  log: Logger;
  policy: OutboundPolicy;
  /** Where uploaded files are kept: one folder for all processes on this database. */
  filesFolder: string;
  maxFileBytes: number;
  /** How long signed URLs of files are valid; 7 days when left out. */
  fileUrlMs?: number;
  /** How many connections to mailboxes may wait for new mail; 200 when left out. */
  maxKeptMailboxes?: number;
  /** What public URLs begin with; asked for when one is read. */
  baseUrl: () => string;
  operatorToken: string;
  /** Where the built console is; `console/dist` when left out. */
  consoleFolder?: string;
  corsOrigins: string[];
  /** The settings of versions of the API that have any. */
  apiSettings: Settings;
  /** How long events and deliveries are kept. */
  retentionDays: number;
  /** How long entries of the audit log are kept; as long as events when left out. */
  auditDays?: number;
  /** How people log in; with passwords when left out. */
  people?: PeopleSettings;
  role: Role;
  /** No other process works on this database, so all work is taken at once. */
  isSoleProcess: boolean;
  /** Without timers nothing happens by itself: tests move the clock and call `worker.settle()`. */
  timers: boolean;
  /** How long a process must have lived before it tries again what may have ended others: ten seconds. */
  settledMs?: number;
  /** How names are resolved and whose certificates are trusted, if not as the operating system does. */
  outbound?: { lookup?: Lookup; ca?: string };
  /** The vendors that channels can have; those of adapters.ts when left out. */
  adapters?: Adapters;
  /** How many connections to the database there are at most, for requests and for work. */
  connections?: { api: number; worker: number };
  /** How many searches run at the same time, and how long one may take. */
  searches?: Partial<SearchLimits>;
  trustedProxies?: string[];
  /** Required by /metrics, if set. */
  metricsToken?: string | undefined;
  /** /metrics is not a route of the app: see `startMetrics`. */
  hasMetricsPort?: boolean;
  /** Whether assistants can connect to /mcp; they can by default. */
  hasMcp?: boolean;
  /** How long an answer of /metrics is used again. */
  metricsCacheMs?: number;
  /** How many bytes of vendors' requests may be in memory at the same time. */
  inFlightLimits?: InFlightLimits;
  /** How long one attempt at a delivery may take; 15 seconds when left out. */
  deliveryDeadlineMs?: number;
  /** How long one attempt at sending a message may take; 30 seconds when left out. */
  sendDeadlineMs?: number;
  /** The program of worker threads for untrusted texts; the built one when left out. */
  taskProgram?: URL;
  /** Called when a connection to the database is lost. */
  onLoss?: (error: unknown) => void;
}
