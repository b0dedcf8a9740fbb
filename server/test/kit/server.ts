import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { LightMyRequestResponse as InjectResponse } from 'fastify';
import { expect, inject } from 'vitest';
import type { OwnLimits } from '../../src/access/limits.ts';
import { createTenant } from '../../src/access/tenants.ts';
import { issueToken } from '../../src/access/tokens.ts';
import { type ManualClock, manualClock } from '../../src/base/clock.ts';
import { type Keys, keysFrom } from '../../src/base/crypto.ts';
import { createLog } from '../../src/base/log.ts';
import type { Plan } from '../../src/http/permissions.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { type System, startSystem } from '../../src/system.ts';
import type { SystemOptions } from '../../src/system-options.ts';
import { cleanUp } from './clean-up.ts';
import { checkAnswer, contractFinder } from './contracts.ts';
import { CHEAP_SCRYPT } from './people.ts';
import { copyDatabase } from './postgres.ts';
import { learnWebhook } from './receiver.ts';

export const OPERATOR_TOKEN = 'operator-token-for-tests-0123456789abcdef';
export const SECRET_KEY = 'secret-key-for-tests-0123456789abcdef';

export interface Answer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  text: string;
  bytes: Buffer;
}

export interface CallOptions {
  body?: unknown;
  /** The exact bytes, instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  token?: string | null;
}

export interface TestTenant {
  id: string;
  token: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
  /** A sandbox channel of this tenant. */
  channel(kind?: string): Promise<{ id: string }>;
  /** Another token of the tenant. */
  tokenWith(scopes: string[]): Promise<string>;
}

interface TenantOptions {
  plan?: Plan;
  rateLimit?: number;
  /** Those of the plan, except that webhooks and active automations have no limit. */
  limits?: OwnLimits;
  isTest?: boolean;
}

const FEW_LIMITS: OwnLimits = { webhooks: 1_000_000, activeAutomations: 1_000_000 };

export interface TestServer {
  system: System;
  clock: ManualClock;
  keys: Keys;
  databaseUrl: string;
  /** The folder of uploaded files. Servers on one database share it. */
  filesFolder: string;
  /** Every line of the log, for tests of what must not be in it. */
  logged: string[];
  tenant(options?: TenantOptions): Promise<TestTenant>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Does everything that is due by the clock. */
  settle(): Promise<void>;
  /** Stops it earlier than the clean-up does; work under way has this long to end. */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Servers of tests live for seconds, and each new connection first reads the catalogue. API connections are as many as on a
 * real server, because tests send fifty requests at once; they are opened on demand.
 */
const FEW_CONNECTIONS = { api: 20, worker: 3 };

let databases = 0;

/** A database of its own, copied from the migrated template. */
export const freshDatabase = (): Promise<string> =>
  copyDatabase(
    inject('postgres'),
    inject('template'),
    `${inject('template')}_${randomBytes(4).toString('hex')}_${++databases}`,
    inject('strategy'),
  );

export interface ServerOptions extends Partial<SystemOptions> {
  /** The database of a server that was started before, for tests of two processes on one database. */
  databaseUrl?: string;
}

/**
 * A whole server on a database of its own, which is stopped with the test or the file that has started it. Time stands still
 * unless moved; work is done when `settle` is called.
 */
export async function useServer({
  databaseUrl: shared,
  ...overrides
}: ServerOptions = {}): Promise<TestServer> {
  const databaseUrl = shared ?? (await freshDatabase());
  const filesFolder =
    overrides.filesFolder ?? join(tmpdir(), `parley-files-${new URL(databaseUrl).pathname.slice(1)}`);
  const clock = manualClock(new Date('2026-11-15T01:02:03.456Z'));
  const keys = keysFrom(SECRET_KEY);
  const logged: string[] = [];
  const log = createLog({
    level: 'trace',
    json: true,
    destination: { write: (line) => void logged.push(line) },
  });
  const system = await startSystem({
    connection: { connectionString: databaseUrl },
    clock,
    keys,
    log,
    policy: { allow: parseAllowList(''), loopback: true },
    filesFolder,
    maxFileBytes: 1024 * 1024,
    baseUrl: () => 'https://parley.test',
    operatorToken: OPERATOR_TOKEN,
    corsOrigins: [],
    apiSettings: {},
    retentionDays: 30,
    role: 'all',
    isSoleProcess: true,
    timers: false,
    connections: FEW_CONNECTIONS,
    // A slow machine is no failure of what is tested.
    databaseWaitMs: 60_000,
    searches: { timeoutMs: 60_000 },
    metricsCacheMs: 0,
    ...overrides,
    people: { scryptCost: CHEAP_SCRYPT, ...overrides.people },
  });
  const findContract = contractFinder(system.app.routes);

  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const payload = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const contract = findContract(method, path);
    const isStream = contract?.isStream === true;
    const answering = system.app.server.inject({
      payloadAsStream: isStream,
      method: method as 'GET',
      url: path,
      headers: {
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
        ...options.headers,
      },
      ...(payload === undefined ? {} : { payload }),
    });
    const response = await (path === '/v3/clock/advance' ? workUntil(answering) : answering);
    const text = isStream ? await readBeginning(response) : response.body;
    const isJson =
      String(response.headers['content-type'] ?? '').startsWith('application/json') && text !== '';
    const answer: Answer = {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      body: isJson ? JSON.parse(text) : undefined,
      text,
      bytes: isStream ? Buffer.from(text) : response.rawPayload,
    };
    checkAnswer(method, path, answer, contract);
    if (path.includes('/api_webhooks')) learnWebhook(answer.body?.data);
    return answer;
  }

  let working: Promise<void> | undefined;
  /** Without timers nothing runs by itself, so work is done here while a clock advances. */
  async function workUntil<T>(answering: Promise<T>): Promise<T> {
    let isAnswered = overrides.timers === true;
    const ended = answering.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      // Requests that wait for a clock at the same time share one call.
      working ??= (system.worker?.settle() ?? Promise.resolve()).finally(() => {
        working = undefined;
      });
      await working;
      await delay(1);
    }
    return ended;
  }

  async function tenant(options: TenantOptions = {}): Promise<TestTenant> {
    const { db, app } = system;
    const input = { name: 'test', rateLimit: 1_000_000_000, limits: FEW_LIMITS, ...options };
    const made = await createTenant(db, input, clock.now());
    const tokenWith = async (scopes: string[]): Promise<string> =>
      (await issueToken(db.forTenant(made.id), { name: 'test', scopes }, app.authenticator)).token;
    const token = await tokenWith(['*']);
    const callAs = (method: string, path: string, more: CallOptions = {}) =>
      call(method, path, { token, ...more });
    return {
      id: made.id,
      token,
      tokenWith,
      call: callAs,
      get: (path, more) => callAs('GET', path, more),
      post: (path, body, more) => callAs('POST', path, { body, ...more }),
      put: (path, body, more) => callAs('PUT', path, { body, ...more }),
      delete: (path, more) => callAs('DELETE', path, more),
      async channel(kind = 'whatsapp') {
        const answer = await callAs('POST', '/v3/channels', {
          body: { kind, provider: 'sandbox', name: 'Test', address: '+15550009999' },
        });
        expect(answer.status).toBe(200);
        return answer.body.data;
      },
    };
  }

  let stopping: Promise<void> | undefined;
  const stop = (graceMs = 1_000): Promise<void> => {
    stopping ??= system.stop(graceMs);
    return stopping;
  };
  if (shared === undefined && overrides.filesFolder === undefined)
    cleanUp(() => rm(filesFolder, { recursive: true, force: true }));
  cleanUp(() => stop());
  return {
    system,
    clock,
    keys,
    databaseUrl,
    filesFolder,
    logged,
    tenant,
    call,
    settle: async () => system.worker?.settle(),
    stop,
  };
}

/** The first chunk of an event stream, which is then closed; other answers are read to their end. */
async function readBeginning(response: InjectResponse): Promise<string> {
  let text = '';
  for await (const chunk of response.stream()) {
    text += chunk;
    if (response.headers['content-type'] !== 'text/event-stream; charset=utf-8') continue;
    response.raw.res.destroy();
    break;
  }
  return text;
}
