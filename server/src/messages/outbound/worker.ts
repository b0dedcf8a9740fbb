import { access } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import type { Keys } from '../../base/crypto.ts';
import { decryptConfig } from '../../channels/channel.ts';
import { setHealth } from '../../channels/health.ts';
import type { Database } from '../../db/database.ts';
import type { Publisher } from '../../engine/outbox.ts';
import { declareQueue, type QueueRow, shardOf } from '../../engine/queue.ts';
import { type Work, work } from '../../engine/runner.ts';
import type { Outcome as LaneOutcome } from '../../engine/scheduler.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import type { FileStore } from '../../files/store.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type {
  Adapter,
  AdapterChannel,
  AdapterContext,
  ChannelConfig,
  OutgoingMessage,
  Reconciled,
  SendResult,
  VendorError,
} from '../../providers/adapter.ts';
import { replyWindowMs } from '../../providers/capabilities.ts';
import {
  type ChannelColumns,
  OUTGOING_COLUMNS,
  OUTGOING_JOINS,
  type OutgoingRow,
  outgoingMessage,
  refusalOf,
} from './outgoing.ts';
import { type Pace, pace } from './pace.ts';
import { sendRecorder, waits } from './record.ts';
import {
  type Outcome,
  outcomeAfter,
  outcomeOf,
  REAUTH_PAUSE_MS,
  type Sending,
  UNKNOWN_MS,
} from './retry-policy.ts';

export const MESSAGES_LIST = 'messages';

const DEADLINE_MS = 30_000;
/** Whoever was held up longer than this between its commit and the vendor may no longer be the one who sends. */
const STALE_MS = 5_000;
const CONFIGS_KEPT = 10_000;

interface QueuedRow extends QueueRow, OutgoingRow, ChannelColumns {
  attempts: number;
  sending_at: Date | null;
  created_at: Date;
}

/**
 * Whether nothing of its chat is to go out before it: messages of a chat are sent one after another, in the order in
 * which they were to go out, and one that pauses holds those behind it. One of which nobody knows what became of it is
 * not sent again, so it holds nobody once nothing but time can settle it. By the chat alone and with `offset 0`, so that
 * it is one look at what waits in the chat: with the tenant it would read all that was ever said there, and as a join
 * everything that waits anywhere.
 */
const isFirst = (name: string): string => `not exists (
  select 1 from messages e
   where e.chat_id = ${name}.chat_id and ${waits('e')}
     and (e.sending_at is null or e.due_at < e.sending_at + interval '${UNKNOWN_MS} ms')
     and (coalesce(e.scheduled_at, e.created_at), e.id) < (coalesce(${name}.scheduled_at, ${name}.created_at), ${name}.id)
  offset 0)`;

const queued = declareQueue<QueuedRow>({
  name: MESSAGES_LIST,
  table: 'messages',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: `due_at is not null and ${isFirst('messages')}`,
  claimMany: `select l.lane, m.* from unnest($1::smallint[], $2::uuid[], $4::int[]) as l (shard, lane, wanted)
    cross join lateral (
      select ${OUTGOING_COLUMNS}, m.tenant_id, m.channel_id, m.attempts, m.sending_at, m.created_at,
             c.kind, c.provider, c.address, c.health, c.config_encrypted
        from (select * from messages w
               where w.shard = l.shard and w.channel_id = l.lane and w.due_at <= $3 and w.id <> all ($5::uuid[])
                 and ${isFirst('w')}
               order by w.due_at, w.id limit l.wanted) m
        ${OUTGOING_JOINS} order by m.due_at, m.id) m`,
  batch: 1,
  perLane: 32,
  atOnce: 1024,
});

export interface SendDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  publisher: Publisher;
  log: Logger;
  store: FileStore;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  /** Nobody else can be sending, so what is found as being sent is not. */
  isSoleProcess: boolean;
  /** How long one attempt may take; shorter in tests. */
  sendDeadlineMs?: number;
  pace?: Pace;
}

/** Resolves with what `work` gives, or after the deadline with `late`; what comes after that is not heard. */
async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, ms, late);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

const NO_ANSWER: SendResult = {
  ok: false,
  error: { code: 'no_answer', message: 'The vendor did not answer in time.' },
  retry: 'unknown',
};

/** Sends the messages that are due, each once, those of a chat one after another, at the vendor's pace. */
export function sendQueued(deps: SendDeps): Work {
  const { db, clock, keys, log, store, context } = deps;
  const deadlineOf = (adapter: Adapter): number => deps.sendDeadlineMs ?? adapter.sendMs ?? DEADLINE_MS;
  const record = sendRecorder(db, clock, deps.publisher);
  const { turn } = deps.pace ?? pace();
  const configs = new LRUCache<string, { encrypted: Buffer; config: ChannelConfig }>({ max: CONFIGS_KEPT });
  /** Channels whose vendor refuses their credentials, and until when nothing else is tried over them. */
  const resting = new LRUCache<string, Date>({ max: CONFIGS_KEPT });

  function channelOf(row: QueuedRow): AdapterChannel {
    let known = configs.get(row.channel_id);
    if (!known?.encrypted.equals(row.config_encrypted)) {
      known = { encrypted: row.config_encrypted, config: decryptConfig(row.config_encrypted, keys) };
      configs.set(row.channel_id, known);
    }
    const { channel_id: id, tenant_id: tenantId, kind, address } = row;
    return { id, tenantId, kind, address, config: known.config };
  }

  async function end(row: QueuedRow, outcome: Outcome): Promise<void> {
    if (await record.end({ message: row, outcome }))
      deps.wakeUps.give(MESSAGES_LIST, shardOf(row.channel_id, row.tenant_id), row.channel_id);
  }

  async function attempt(
    adapter: Adapter,
    message: OutgoingMessage,
    channel: AdapterChannel,
  ): Promise<SendResult> {
    try {
      return await within(deadlineOf(adapter), adapter.send(message, channel, context), NO_ANSWER);
    } catch (error) {
      log.warn({ err: error, channelId: channel.id, messageId: message.id }, 'sending failed');
      const wasSeen = !(error instanceof OutboundError) || error.bytesSent;
      const said = { code: 'send_failed', message: 'The message could not be handed to the vendor.' };
      return { ok: false, error: said, retry: wasSeen ? 'unknown' : 'backoff' };
    }
  }

  /** Asks the vendor what became of a send; undefined where it cannot be asked. */
  async function ask(
    adapter: Adapter,
    message: OutgoingMessage,
    channel: AdapterChannel,
  ): Promise<Reconciled | undefined> {
    const unknown = { outcome: 'unknown' as const };
    try {
      return await (adapter.reconcile &&
        within<Reconciled>(deadlineOf(adapter), adapter.reconcile(message, channel, context), unknown));
    } catch (error) {
      log.warn(
        { err: error, channelId: channel.id, messageId: message.id },
        'asking what became of it failed',
      );
      return unknown;
    }
  }

  const sendingOf = (row: QueuedRow, sendingAt: Date): Sending => ({
    since: row.scheduled_at ?? row.created_at,
    attempts: row.attempts,
    sendingAt,
  });

  /** For a message that was being sent when its process ended, or whose answer was lost. It is not simply sent again. */
  async function settle(row: QueuedRow, adapter: Adapter, sendingAt: Date): Promise<LaneOutcome> {
    const now = clock.now(row.tenant_id);
    const mayBeUnderWay = sendingAt.getTime() + deadlineOf(adapter) + STALE_MS;
    if (!deps.isSoleProcess && now.getTime() < mayBeUnderWay) {
      await end(row, { kind: 'unknown', until: new Date(mayBeUnderWay) });
      return 'ok';
    }
    const told = await ask(adapter, outgoingMessage(row, store), channelOf(row));
    await end(row, outcomeAfter(told, sendingOf(row, sendingAt), clock.now(row.tenant_id), Math.random()));
    return 'ok';
  }

  async function missingFile(row: QueuedRow): Promise<VendorError | null> {
    for (const { fileId } of row.media)
      if (
        fileId !== null &&
        (await access(store.pathOf(fileId)).then(
          () => false,
          () => true,
        ))
      )
        return { code: 'file_gone', message: 'A file of the message has been deleted.' };
    return null;
  }

  async function noteHealth(row: QueuedRow, result: SendResult): Promise<void> {
    if (result.ok && row.health === 'failing')
      await setHealth(db, row.tenant_id, row.channel_id, 'healthy', null, deps);
    if (result.ok || result.retry !== 'reauth') return;
    resting.set(row.channel_id, new Date(clock.now(row.tenant_id).getTime() + REAUTH_PAUSE_MS));
    await setHealth(db, row.tenant_id, row.channel_id, 'failing', result.error.message, deps);
  }

  async function send(row: QueuedRow, adapter: Adapter): Promise<LaneOutcome> {
    const channel = channelOf(row);
    const message = outgoingMessage(row, store);
    await turn(channel.id, message.to.value, adapter);
    const since = performance.now();
    if (!(await record.begin(row, row.scheduled_at !== null && row.attempts === 0))) return 'ok';
    // It stays as it is, and is asked about like every other whose process was gone.
    if (performance.now() - since > STALE_MS) return 'failing';
    const sending = sendingOf(row, clock.now(row.tenant_id));
    const result = await attempt(adapter, message, channel);
    let outcome = outcomeOf(result, sending, clock.now(row.tenant_id), Math.random());
    if (outcome.kind === 'unknown' && adapter.reconcile)
      outcome = outcomeAfter(
        await ask(adapter, message, channel),
        sending,
        clock.now(row.tenant_id),
        Math.random(),
      );
    await end(row, outcome);
    await noteHealth(row, result);
    return result.ok || ['never', 'needs_template'].includes(result.retry) ? 'ok' : 'failing';
  }

  return work(queued, async ([row]) => {
    if (!row) return 'ok';
    const adapter = deps.adapters.get(row.provider);
    if (!adapter) {
      const message = `There is no provider "${row.provider}" in this installation.`;
      await end(row, { kind: 'failed', error: { code: 'provider_missing', message } });
      return 'ok';
    }
    if (row.sending_at !== null) return settle(row, adapter, row.sending_at);
    const now = clock.now(row.tenant_id);
    const hasWindow = replyWindowMs(row.kind, channelOf(row).config) !== null;
    const error = refusalOf(row, row, hasWindow, now) ?? (await missingFile(row));
    if (error) {
      await end(row, { kind: 'failed', error });
      return 'ok';
    }
    const rest = resting.get(row.channel_id);
    if (rest !== undefined && rest > now) {
      await end(row, { kind: 'postponed', at: rest });
      return 'failing';
    }
    return send(row, adapter);
  });
}
