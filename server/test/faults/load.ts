import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { OPERATOR_TOKEN } from './processes.ts';
import type { FaultReceiver } from './receiver.ts';

export interface FaultTenant {
  name: string;
  id: string;
  token: string;
  channels: string[];
  webhookId: string;
}

export interface ApiAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

export type Call = (
  base: string,
  path: string,
  options: { token: string; body?: unknown; key?: string; timeoutMs?: number },
) => Promise<ApiAnswer>;

/** A client with keep-alive connections. What cannot be answered throws. */
export function client(connections: number): { call: Call; close(): Promise<void> } {
  const agent = new Agent({ connections, pipelining: 1, connect: { timeout: 2_000 } });
  return {
    async call(base, path, { token, body, key, timeoutMs = 30_000 }) {
      const response = await agent.request({
        origin: base,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const { statusCode: status, headers } = response;
      return { status, headers, body: await response.body.json() };
    },
    close: () => agent.destroy(),
  };
}

/** Makes tenants, each with channels and one webhook that asks for everything. */
export async function createFixtures(
  base: string,
  receiver: FaultReceiver,
  { tenants = 3, channels = 2 } = {},
): Promise<FaultTenant[]> {
  const { call, close } = client(4);
  const make = async (path: string, token: string, body: unknown) => {
    const answer = await call(base, path, { token, body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  try {
    const made: FaultTenant[] = [];
    for (let number = 0; number < tenants; number += 1) {
      const name = `tenant-${randomUUID()}`;
      const { id } = await make('/admin/tenants', OPERATOR_TOKEN, { name, rateLimit: 1_000_000_000 });
      const { token } = await make(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, {});
      const ids: string[] = [];
      for (let at = 0; at < channels; at += 1)
        ids.push(
          (
            await make('/v3/channels', token, {
              kind: 'whatsapp',
              provider: 'sandbox',
              name: `Channel ${at}`,
              address: `+155500000${number}${at}`,
            })
          ).id,
        );
      const hook = await make('/v3/api_webhooks', token, { url: receiver.url(name), events: [{}] });
      receiver.trust(name, hook.secret);
      made.push({ name, id, token, channels: ids, webhookId: hook.id });
    }
    return made;
  } finally {
    await close();
  }
}

/** One thing that a person wrote, and what became of it as far as the client knows. */
export interface Written {
  number: number;
  tenantId: string;
  channelId: string;
  from: string;
  outcome: 'ok' | 'refused' | 'unknown';
  /**
   * Some call of it was not answered, or answered 503: it may have happened all the same, because the connection
   * to the database can break while it is being committed. A write that was only refused must not have happened.
   */
  isOpen: boolean;
  status: number | undefined;
  vendorId: string | undefined;
}

export interface Load {
  readonly written: readonly Written[];
  /** Every answer by status, retries included. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Calls without an answer, by the code of what happened instead. */
  readonly errors: ReadonlyMap<string, number>;
  /** Answers of 503 that do not say when to come again. */
  readonly withoutRetryAfter: number;
  readonly calls: { ok: number; refused: number; unknown: number };
  readonly slowestMs: number;
  /** Lets calls that are under way end and keeps the connections open. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

interface LoadOptions {
  tenants: FaultTenant[];
  /** A server that is up at this moment, if there is one. */
  target: () => string | undefined;
  writers?: number;
  peopleEach?: number;
  pauseMs?: number;
  /** The loop ends by itself after so many messages of a writer, and after so long. */
  atMost?: number;
  forMs?: number;
}

const KEYED_SHARE = 0.25;
const RETRIES = 60;
const RETRY_PAUSE_MS = 150;

/** Several people write at once, each person's messages one after the other, and every call is noted. */
export function startLoad(options: LoadOptions): Load {
  const { tenants, target, writers = 6, peopleEach = 5, pauseMs = 15 } = options;
  const { atMost = 20_000, forMs = 900_000 } = options;
  const written: Written[] = [];
  const statuses = new Map<number, number>();
  const errors = new Map<string, number>();
  const calls = { ok: 0, refused: 0, unknown: 0 };
  const { call, close } = client(writers);
  const endsAt = performance.now() + forMs;
  let stopped = false;
  let slowestMs = 0;
  let withoutRetryAfter = 0;
  let last = 0;

  async function callOnce(write: Written, tenant: FaultTenant, base: string, key: string | undefined) {
    const begun = performance.now();
    try {
      const answer = await call(base, `/v3/sandbox/${write.channelId}/inbound`, {
        token: tenant.token,
        body: { from: write.from, name: `Person ${write.from}`, text: `message ${write.number}` },
        ...(key === undefined ? {} : { key }),
      });
      write.status = answer.status;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 503 && answer.headers['retry-after'] === undefined) withoutRetryAfter += 1;
      write.outcome =
        answer.status === 200 ? 'ok' : answer.status >= 500 && answer.status !== 503 ? 'unknown' : 'refused';
      if (answer.status === 200) write.vendorId = answer.body.data.vendorId;
    } catch (error) {
      const code = String((error as { code?: string }).code ?? error);
      errors.set(code, (errors.get(code) ?? 0) + 1);
      write.status = undefined;
      write.outcome = 'unknown';
    }
    calls[write.outcome] += 1;
    if (write.outcome === 'unknown' || write.status === 503) write.isOpen = true;
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }

  async function writeOne(writer: number, turn: number): Promise<void> {
    const base = target();
    if (base === undefined) return void (await delay(20));
    const tenant = tenants[writer % tenants.length] as FaultTenant;
    const person = turn % peopleEach;
    const write: Written = {
      number: ++last,
      tenantId: tenant.id,
      channelId: tenant.channels[person % tenant.channels.length] as string,
      from: `+1555${String(writer).padStart(3, '0')}${String(person).padStart(4, '0')}`,
      outcome: 'unknown',
      isOpen: false,
      status: undefined,
      vendorId: undefined,
    };
    written.push(write);
    const key = Math.random() < KEYED_SHARE ? randomUUID() : undefined;
    await callOnce(write, tenant, base, key);
    if (write.outcome === 'ok') return;
    // Whoever sent a key may ask again until it knows.
    for (
      let tries = 0;
      key !== undefined && tries < RETRIES && (write.outcome as string) !== 'ok';
      tries += 1
    ) {
      await delay(RETRY_PAUSE_MS);
      const next = target();
      if (next !== undefined) await callOnce(write, tenant, next, key);
    }
    await delay(RETRY_PAUSE_MS);
  }

  async function write(writer: number): Promise<void> {
    for (let turn = 0; turn < atMost && !stopped && performance.now() < endsAt; turn += 1) {
      await writeOne(writer, turn);
      await delay(pauseMs * (0.5 + Math.random()));
    }
  }

  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  return {
    written,
    statuses,
    errors,
    calls,
    get withoutRetryAfter() {
      return withoutRetryAfter;
    },
    get slowestMs() {
      return slowestMs;
    },
    async stop() {
      stopped = true;
      await writing;
    },
    async close() {
      stopped = true;
      await close();
      await writing;
    },
  };
}
