import type { Logger } from 'pino';
import { storable } from '../../base/storable.ts';
import { createTurns } from '../../base/turns.ts';
import { decryptConfig } from '../../channels/encrypted-config.ts';
import { limitFailedRequests } from '../../channels/limit-failed-requests.ts';
import { type InboundRow, inboundQueue } from '../../channels/queues.ts';
import { MergeNeeded } from '../../contacts/merge/merge-owners.ts';
import { isServerTrouble } from '../../db/errors.ts';
import { statement } from '../../db/statement.ts';
import { handleEachAlone } from '../../engine/handle-each-alone.ts';
import { nextDueAt } from '../../engine/retry.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import type { ReceiveDeps } from '../../files/receive.ts';
import type { AdapterChannel } from '../../providers/adapter-channel.ts';
import type { InboundEvent, InboundInvalid } from '../../providers/inbound-event.ts';
import { TaskError } from '../../sandboxed/task.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';
import type { QueueDeps } from '../outbound/queue.ts';
import { applyInbound, type ReceivedEvent } from './apply.ts';
import { parseRequest } from './parse-request.ts';
import { type RequestBody, withBodies } from './read-bodies.ts';
import { storeFiles } from './store-files.ts';
import type { ReceivingChannel } from './store-messages.ts';

const deleteRequests = statement<[ids: string[]]>(
  'inbound.delete',
  'delete from inbound where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const postponeRequests = statement<[ids: string[], dueAt: Date]>(
  'inbound.postpone',
  'update visible_inbound set due_at = $2 where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const storeFailure = statement<[id: string, attempts: number, error: string, dueAt: Date | null]>(
  'inbound.fail',
  `update visible_inbound set attempts = attempts + 1, error = $3, due_at = $4
    where id = $1 and tenant_id = $tenant and attempts = $2`,
);

/** A request that waits for something else to happen is tried again after this. */
const WAIT_MS = 1_000;
/** A vendor may put any number of events into one request, and a transaction has a time limit. */
const MAX_EVENTS = 2_000;
/** Mails may be large, and those of one part are in memory at the same time. */
const MAX_BYTES = 32 * 1024 * 1024;

const MAX_PARSING_MS = 15_000;
/** Enough to keep a thread busy. */
const MAX_PARALLEL = 4;

export interface InboundDeps extends ReceiveDeps, QueueDeps {
  countIgnored(provider: string, reason: 'history'): void;
  tasks: TaskPool;
  log: Logger;
}

type RequestRow = InboundRow & RequestBody;
interface ParsedRequest {
  row: RequestRow;
  events: InboundEvent[];
}

/** Processes stored vendor requests of one channel, up to 200 in one transaction; a bad one fails alone. */
export async function processInbound(deps: InboundDeps, rows: InboundRow[]): Promise<Outcome> {
  const [first] = rows;
  if (!first) return 'ok';
  // All rows are of one channel, because the channel is the ordering key.
  const { channel_id: id, tenant_id: tenantId, kind, address, provider } = first;
  const config = decryptConfig(first.config_encrypted, deps.keys);
  const channel = { id, tenantId, kind, address, config, consent: first.consent };
  const db = deps.db.forTenant(tenantId);
  let isFailing = false;
  for (const part of splitByWeight(rows, ({ bytes }) => bytes, MAX_BYTES)) {
    const requests = await withBodies(db, part);
    const { parsed, failures } = await parseRequests(requests, channel, deps, provider);
    for (const some of splitByWeight(parsed, ({ events }) => events.length, MAX_EVENTS)) {
      const outcome = await handleEachAlone(
        some,
        (few) => applyRequests(deps, channel, few),
        (request, error) => applyEachEvent(deps, channel, request, error),
      );
      if (outcome === 'failing') isFailing = true;
    }
    for (const event of parsed.flatMap(({ events }) => events))
      if (event.kind === 'ignored') deps.countIgnored(provider, event.reason);
    // Last: a request that cannot be parsed does not count as tried when the database goes away before.
    for (const { row, error } of failures) await failRequest(deps, row, error);
    if (failures.length > 0) isFailing = true;
  }
  return isFailing ? 'failing' : 'ok';
}

/**
 * Parses requests, a few of those for worker threads at the same time. Stops after a while: what was not begun stays due, so
 * that a hundred mails which each take a minute to be refused do not keep what is parsed waiting.
 */
async function parseRequests(
  rows: RequestRow[],
  channel: AdapterChannel,
  { adapters, tasks }: InboundDeps,
  provider: string,
): Promise<{ parsed: ParsedRequest[]; failures: { row: RequestRow; error: unknown }[] }> {
  const adapter = adapters.get(provider);
  const results: ({ row: RequestRow } & ({ events: InboundEvent[] } | { error: unknown }))[] = [];
  const running = new Set<Promise<void>>();
  const parse = async (row: RequestRow, index: number): Promise<void> => {
    try {
      if (!adapter) throw new Error(`There is no provider "${provider}".`);
      results[index] = { row, events: await parseRequest(row, channel, adapter, tasks) };
    } catch (error) {
      results[index] = { row, error };
    }
  };
  const stopAt = performance.now() + MAX_PARSING_MS;
  const turn = createTurns();
  for (const [index, row] of rows.entries()) {
    await turn();
    if (running.size === MAX_PARALLEL) await Promise.race(running);
    if (performance.now() > stopAt) break;
    const parsing = parse(row, index).finally(() => running.delete(parsing));
    running.add(parsing);
  }
  await Promise.all(running);
  const parsed: ParsedRequest[] = [];
  const failures: { row: RequestRow; error: unknown }[] = [];
  for (const result of results.filter((one) => one !== undefined))
    if ('events' in result) parsed.push(result);
    else if (isServerTrouble(result.error)) throw result.error;
    else failures.push(result);
  return { parsed, failures };
}

/** Applies requests in one transaction, all or none. A request of which only a part is applied stays. */
async function applyRequests(
  deps: InboundDeps,
  channel: AdapterChannel & ReceivingChannel,
  requests: ParsedRequest[],
  { isPart = false } = {},
): Promise<void> {
  const files = await storeFiles(
    deps,
    channel,
    requests.flatMap(({ events }) => events),
  );
  const received = requests.map(({ row, events }) => ({ row, events: events.map(files.withFiles) }));
  let failing: typeof received = [];
  const apply = (mayMerge: boolean): Promise<void> =>
    deps.db.forTenant(channel.tenantId).transaction(async (tx) => {
      const events = received.flatMap(({ row, events }) =>
        events.map((event) => ({ event, receivedAt: row.receivedAt })),
      );
      const indexes = await applyInbound(tx, channel, events, deps, mayMerge);
      if (isPart) return;
      const waiting = new Set([...indexes].map((index) => events[index]?.event));
      const isWaiting = ({ events }: { events: ReceivedEvent[] }) => events.some((one) => waiting.has(one));
      const idsOf = (some: typeof received): string[] => some.map(({ row }) => row.id);
      const done = received.filter((one) => !isWaiting(one));
      const hasInvalid = ({ events }: { events: ReceivedEvent[] }) => events.some(isInvalid);
      tx.enqueue(deleteRequests, [idsOf(done.filter((one) => !hasInvalid(one)))]);
      failing = done.filter(hasInvalid);
      if (waiting.size === 0) return;
      const dueAt = new Date(tx.now.getTime() + WAIT_MS);
      tx.enqueue(postponeRequests, [idsOf(received.filter(isWaiting)), dueAt]);
    });
  try {
    // Merging locks more, so it is only done where it is known to be needed.
    await apply(false).catch((error) => {
      if (!(error instanceof MergeNeeded)) throw error;
      return apply(true);
    });
  } finally {
    await files.release();
  }
  for (const { row, events } of failing) {
    const errors = events.filter(isInvalid).map(({ error }) => error);
    await failRequest(deps, row, new Error([...new Set(errors)].slice(0, MAX_SHOWN_ERRORS).join(' ')));
  }
}

const isInvalid = (event: ReceivedEvent): event is InboundInvalid => event.kind === 'invalid';

const MAX_SHOWN_ERRORS = 5;

/** After so many events that cannot be applied the rest of a request is not tried. */
const MAX_BAD_EVENTS = 20;

/** Applies what can be applied of a request that cannot be applied as a whole. The request fails, and is tried again. */
async function applyEachEvent(
  deps: InboundDeps,
  channel: AdapterChannel & ReceivingChannel,
  { row, events }: ParsedRequest,
  failure: unknown,
): Promise<void> {
  const failures: unknown[] = [];
  const tryEvents = async (some: InboundEvent[]): Promise<void> => {
    if (failures.length >= MAX_BAD_EVENTS || some.length === 0) return;
    try {
      await applyRequests(deps, channel, [{ row, events: some }], { isPart: true });
    } catch (error) {
      if (isServerTrouble(error)) throw error;
      if (some.length === 1) return void failures.push(error);
      const half = Math.ceil(some.length / 2);
      await tryEvents(some.slice(0, half));
      await tryEvents(some.slice(half));
    }
  };
  if (events.length > 1) await tryEvents(events);
  await failRequest(deps, row, failures[0] ?? failure);
}

/** Stores why a request failed. After the last attempt it stays listed with its error until somebody replays it. */
async function failRequest({ db, log }: InboundDeps, row: RequestRow, error: unknown): Promise<void> {
  const tenant = db.forTenant(row.tenant_id);
  const attempts = row.attempts + 1;
  // What took too long or too much memory once does so again: somebody has to decide.
  const dueAt = error instanceof TaskError ? null : nextDueAt(inboundQueue.retry, attempts, tenant.now);
  await tenant.run(storeFailure, [row.id, row.attempts, storable(String(error)), dueAt]);
  if (dueAt === null) await limitFailedRequests(tenant);
  // Without the error: it may quote what customers wrote, which stays out of the log.
  const line = { requestId: row.id, tenantId: row.tenant_id, channelId: row.channel_id, attempts };
  if (dueAt) log.info(line, "a vendor's request failed and will be tried again");
  else log.warn(line, "a vendor's request failed for good; it is listed with the channel");
}

/** Lists a request that ended the process again and again with the failed ones, from where it can be replayed. */
export async function setRequestAside({ db }: InboundDeps, row: InboundRow): Promise<void> {
  const error = 'The server ended again and again while it processed this request';
  await db.forTenant(row.tenant_id).run(storeFailure, [row.id, row.attempts, error, null]);
}

/** Splits items, in their order, into parts of at most `maxWeight`; a heavier item is a part of its own. */
function splitByWeight<T>(items: T[], weightOf: (item: T) => number, maxWeight: number): T[][] {
  const parts: T[][] = [];
  let weight = 0;
  for (const item of items) {
    // The first item always starts a part, even if it weighs nothing.
    if (parts.length === 0 || weight + weightOf(item) > maxWeight) {
      parts.push([]);
      weight = 0;
    }
    (parts.at(-1) as T[]).push(item);
    weight += weightOf(item);
  }
  return parts;
}
