import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { cleanUp } from '../kit/clean-up.ts';
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
  options: { token: string; method?: 'DELETE' | 'PUT'; body?: unknown; key?: string; timeoutMs?: number },
) => Promise<ApiAnswer>;

/** A client with keep-alive connections. A call without an answer throws. */
export function useApiClient(connections: number): Call {
  const agent = new Agent({ connections, pipelining: 1, connect: { timeout: 2_000 } });
  cleanUp(() => agent.destroy());
  return async (base, path, { token, method, body, key, timeoutMs = 30_000 }) => {
    const response = await agent.request({
      origin: base,
      path,
      method: method ?? (body === undefined ? 'GET' : 'POST'),
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
  };
}

/** Creates tenants, each with channels and one webhook that subscribes to every event. */
export async function createFixtures(
  base: string,
  receiver: FaultReceiver,
  { tenants = 3, channels = 2 } = {},
): Promise<FaultTenant[]> {
  const call = useApiClient(4);
  const make = async (path: string, token: string, body: unknown) => {
    const answer = await call(base, path, { token, body });
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  };
  const made: FaultTenant[] = [];
  for (let number = 0; number < tenants; number += 1) {
    const name = `tenant-${randomUUID()}`;
    const { id } = await make('/admin/tenants', OPERATOR_TOKEN, { name, rateLimit: 1_000_000_000 });
    const { token } = await make(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, {});
    const ids: string[] = [];
    for (let index = 0; index < channels; index += 1) {
      const channel = await make('/v3/channels', token, {
        kind: 'whatsapp',
        provider: 'sandbox',
        name: `Channel ${index}`,
        address: `+155500000${number}${index}`,
      });
      ids.push(channel.id);
    }
    const hook = await make('/v3/api_webhooks', token, { url: receiver.url(name), events: [{}] });
    receiver.trust(name, hook.secret);
    made.push({ name, id, token, channels: ids, webhookId: hook.id });
  }
  return made;
}

/** A message that a sender wrote, and its outcome as far as the client knows. */
export interface Written {
  number: number;
  tenantId: string;
  channelId: string;
  from: string;
  outcome: 'ok' | 'refused' | 'unknown';
  /**
   * One of its calls was not answered, or answered with 503: it may be stored all the same, because the connection to the
   * database can break during the commit. A write that was only refused must not be stored.
   */
  isUncertain: boolean;
  status: number | undefined;
  vendorId: string | undefined;
  /** When it was acknowledged, in milliseconds of this process. */
  answeredAt: number | undefined;
}

export interface Load {
  readonly written: readonly Written[];
  /** Every answer by status, retries included. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Calls without an answer, by the code of what happened instead. */
  readonly errors: ReadonlyMap<string, number>;
  /** The number of answers with 503 and without Retry-After. */
  readonly withoutRetryAfter: number;
  readonly calls: { ok: number; refused: number; unknown: number };
  readonly slowestMs: number;
  /** When the oldest of the calls under way began, in milliseconds of this process. */
  oldestCallAt(): number;
  /** Waits for the calls under way, and keeps the connections open. */
  stop(): Promise<void>;
}

interface LoadOptions {
  tenants: FaultTenant[];
  /** A server that is up at this moment, if there is one. */
  target: () => string | undefined;
  writers?: number;
  sendersPerWriter?: number;
  pauseMs?: number;
  /** Each writer stops by itself after so many messages, or after so long. */
  maxMessages?: number;
  maxMs?: number;
}

const KEYED_SHARE = 0.25;
const RETRIES = 60;
const RETRY_PAUSE_MS = 150;

/** Several writers send messages at the same time, each its own one after the other, and note every call. */
export function useLoad(options: LoadOptions): Load {
  const { tenants, target, writers = 6, sendersPerWriter = 5, pauseMs = 15 } = options;
  const { maxMessages = 20_000, maxMs = 900_000 } = options;
  const written: Written[] = [];
  const statuses = new Map<number, number>();
  const errors = new Map<string, number>();
  const calls = { ok: 0, refused: 0, unknown: 0 };
  /** When the calls under way began. */
  const underWay = new Set<number>();
  // Before the client is made, so that the clean-up first breaks its connections.
  cleanUp(stop);
  const call = useApiClient(writers);
  const endsAt = performance.now() + maxMs;
  let isStopped = false;
  let slowestMs = 0;
  let withoutRetryAfter = 0;
  let last = 0;

  async function stop(): Promise<void> {
    isStopped = true;
    await writing;
  }

  async function callOnce(write: Written, tenant: FaultTenant, base: string, key: string | undefined) {
    const begun = performance.now();
    underWay.add(begun);
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
      if (answer.status === 200) {
        write.vendorId = answer.body.data.vendorId;
        write.answeredAt = performance.now();
      }
    } catch (error) {
      const code = String((error as { code?: string }).code ?? error);
      errors.set(code, (errors.get(code) ?? 0) + 1);
      write.status = undefined;
      write.outcome = 'unknown';
    } finally {
      underWay.delete(begun);
    }
    calls[write.outcome] += 1;
    if (write.outcome === 'unknown' || write.status === 503) write.isUncertain = true;
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  }

  async function writeOne(writer: number, turn: number): Promise<void> {
    const base = target();
    if (base === undefined) return void (await delay(20));
    const tenant = tenants[writer % tenants.length] as FaultTenant;
    const sender = turn % sendersPerWriter;
    const write: Written = {
      number: ++last,
      tenantId: tenant.id,
      channelId: tenant.channels[sender % tenant.channels.length] as string,
      from: `+1555${String(writer).padStart(3, '0')}${String(sender).padStart(4, '0')}`,
      outcome: 'unknown',
      isUncertain: false,
      status: undefined,
      vendorId: undefined,
      answeredAt: undefined,
    };
    written.push(write);
    const key = Math.random() < KEYED_SHARE ? randomUUID() : undefined;
    await callOnce(write, tenant, base, key);
    if (write.outcome === 'ok') return;
    // A client that sent a key may repeat the call until it has an answer.
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
    for (let turn = 0; turn < maxMessages && !isStopped && performance.now() < endsAt; turn += 1) {
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
    oldestCallAt: () => Math.min(...underWay),
    stop,
  };
}
