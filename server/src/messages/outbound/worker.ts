import { access } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type Cache, createCache } from '../../base/cache.ts';
import type { Clock } from '../../base/clock.ts';
import type { Keys } from '../../base/crypto.ts';
import { createKeyConfirmer } from '../../channels/confirm-key.ts';
import { decryptConfig } from '../../channels/encrypted-config.ts';
import { noteSendResult } from '../../channels/health.ts';
import { unsubscribeUrl } from '../../contacts/consent/unsubscribe-link.ts';
import type { Database } from '../../db/database.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import type { FileStore } from '../../files/store.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { Adapter } from '../../providers/adapter.ts';
import type { AdapterChannel, ChannelConfig } from '../../providers/adapter-channel.ts';
import type { AdapterContext } from '../../providers/adapter-context.ts';
import type { Adapters } from '../../providers/adapters.ts';
import { hasReplyWindow } from '../../providers/capabilities.ts';
import type { OutgoingMessage, Reconciled, SendResult } from '../../providers/outgoing-message.ts';
import type { VendorError } from '../../providers/vendor-failure.ts';
import { type CountFailed, reasonOf } from '../count-failures.ts';
import { isAboutRecipient, learnFromFailures } from '../learn-from-failures.ts';
import type { MessageToSend } from '../queues.ts';
import { stopMessage } from './hold.ts';
import { checkSendable, outgoingMessage, quietUntil } from './outgoing.ts';
import { createPace, type Pace } from './pace.ts';
import { createSendRecorder, type SendRecorder } from './record.ts';
import {
  outcomeOf,
  outcomeOfReconciled,
  REAUTH_DELAY_MS,
  type SendAttempt,
  type SendOutcome,
} from './retry-policy.ts';

const DEADLINE_MS = 30_000;
/** A process that was held up for longer between its commit and the vendor may have lost its lease: it does not send. */
const STALE_MS = 5_000;
const MAX_CHANNELS = 10_000;

/** What a process remembers between messages. */
export interface SendState {
  recorder: Pick<SendRecorder, 'begin'> & {
    end(attempt: { message: MessageToSend; outcome: SendOutcome }): Promise<void>;
  };
  pace: Pace;
  configs: Cache<string, { encrypted: Buffer; config: ChannelConfig }>;
  /** Channels whose credentials the vendor refused, and until when nothing is sent over them with the same settings. */
  resting: Cache<string, { config: ChannelConfig; until: Date }>;
  confirmKey: ReturnType<typeof createKeyConfirmer>;
}

export const createSendState = (
  db: Database,
  clock: Clock,
  { countFailed }: { countFailed: CountFailed },
  pace: Pace = createPace(),
): SendState => ({
  recorder: countFailures(createSendRecorder(db, clock), countFailed),
  pace,
  configs: createCache(MAX_CHANNELS),
  resting: createCache(MAX_CHANNELS),
  confirmKey: createKeyConfirmer(),
});

export interface SendDeps {
  db: Database;
  keys: Keys;
  log: Logger;
  store: FileStore;
  /** What public URLs begin with. */
  baseUrl: () => string;
  adapters: Adapters;
  context: AdapterContext;
  /** No other process can be sending, so a message that is marked as being sent is not. */
  isSoleProcess: boolean;
  /** How long one attempt may take; shorter in tests. */
  sendDeadlineMs?: number;
  sendState: SendState;
}

/** The same recorder, which also counts the messages that failed. */
function countFailures(recorder: SendRecorder, countFailed: CountFailed): SendState['recorder'] {
  return {
    begin: recorder.begin,
    async end({ message, outcome }) {
      await recorder.end({ message, outcome });
      if (outcome.kind === 'failed') countFailed(message.kind, reasonOf(outcome.error));
    },
  };
}

/** Sends a message that is due: once, after those before it in its chat, as fast as the vendor allows. */
export async function sendQueued(deps: SendDeps, [row]: MessageToSend[]): Promise<Outcome> {
  if (!row) return 'ok';
  const { recorder, resting } = deps.sendState;
  const adapter = deps.adapters.get(row.provider);
  if (!adapter) {
    const message = `There is no provider "${row.provider}" in this installation.`;
    await recorder.end({
      message: row,
      outcome: { kind: 'failed', error: { code: 'provider_missing', message } },
    });
    return 'ok';
  }
  if (row.sending_at !== null) return resolveUnanswered(deps, row, adapter, row.sending_at);
  if (row.is_stopped && (await stopWithCampaign(deps, row))) return 'ok';
  const { now } = deps.db.forTenant(row.tenant_id);
  const error =
    checkSendable(row, row.kind, hasReplyWindow(row.kind), now) ?? (await findMissingFile(deps.store, row));
  if (error) {
    await recorder.end({ message: row, outcome: { kind: 'failed', error } });
    return 'ok';
  }
  const until = quietUntil(row, now);
  if (until) {
    await recorder.end({ message: row, outcome: { kind: 'quiet', until } });
    return 'ok';
  }
  const rest = resting.get(row.channel_id);
  if (rest && rest.until > now && rest.config === channelOf(deps, row).config) {
    await recorder.end({ message: row, outcome: { kind: 'postponed', at: rest.until } });
    return 'failing';
  }
  return send(deps, row, adapter);
}

/** Marketing by mail carries a link that ends it. */
function outgoingOf({ db, store, keys, baseUrl }: SendDeps, row: MessageToSend): OutgoingMessage {
  const files = { store, fileUrl: db.forTenant(row.tenant_id).fileUrl };
  if (row.kind !== 'email' || row.purpose !== 'marketing') return outgoingMessage(row, files);
  const ids = { tenantId: row.tenant_id, contactId: row.contact_id, messageId: row.id };
  return outgoingMessage(row, files, unsubscribeUrl(keys, baseUrl(), ids));
}

async function send(deps: SendDeps, row: MessageToSend, adapter: Adapter): Promise<Outcome> {
  const { recorder, pace } = deps.sendState;
  const channel = channelOf(deps, row);
  const message = outgoingOf(deps, row);
  await pace.waitForTurn(channel.id, message.to.value, adapter);
  const begunAt = performance.now();
  if (!(await recorder.begin(row, row.scheduled_at !== null && row.attempts === 0))) return 'ok';
  // The row stays marked as being sent, and is resolved like one whose process has died.
  if (performance.now() - begunAt > STALE_MS) return 'failing';
  const now = (): Date => deps.db.forTenant(row.tenant_id).now;
  const attempt = attemptOf(row, now());
  const result = await callVendor(deps, adapter, message, channel);
  let outcome = outcomeOf(result, attempt, now(), Math.random());
  if (outcome.kind === 'unknown' && adapter.reconcile) {
    const reconciled = await reconcile(deps, adapter, message, channel);
    outcome = outcomeOfReconciled(reconciled, attempt, now(), Math.random());
  }
  await recorder.end({ message: row, outcome });
  if (outcome.kind === 'failed') await learnFrom(deps, row, outcome.error);
  await updateHealth(deps, row, channel, result);
  if (outcome.kind === 'again') await stopWithCampaign(deps, row);
  if (result.ok) await deps.sendState.confirmKey(deps.db.forTenant(row.tenant_id), adapter, channel);
  return result.ok || ['never', 'needs_template'].includes(result.retry) ? 'ok' : 'failing';
}

/** After the outcome is committed: a message that failed stays so, even if this fails. */
async function learnFrom({ db }: SendDeps, row: MessageToSend, error: VendorError): Promise<void> {
  if (!isAboutRecipient(row.kind, error)) return;
  await db.forTenant(row.tenant_id).transaction((tx) => learnFromFailures(tx, row.kind, [{ ...row, error }]));
}

/** For a message whose process died while sending, or whose answer was lost: it is not simply sent again. */
async function resolveUnanswered(
  deps: SendDeps,
  row: MessageToSend,
  adapter: Adapter,
  startedAt: Date,
): Promise<Outcome> {
  const { recorder } = deps.sendState;
  const now = (): Date => deps.db.forTenant(row.tenant_id).now;
  const mayRunUntil = startedAt.getTime() + deadlineOf(deps, adapter) + STALE_MS;
  if (!deps.isSoleProcess && now().getTime() < mayRunUntil) {
    await recorder.end({ message: row, outcome: { kind: 'unknown', until: new Date(mayRunUntil) } });
    return 'ok';
  }
  const message = outgoingOf(deps, row);
  const reconciled = await reconcile(deps, adapter, message, channelOf(deps, row));
  const outcome = outcomeOfReconciled(reconciled, attemptOf(row, startedAt), now(), Math.random());
  await recorder.end({ message: row, outcome });
  if (outcome.kind === 'again') await stopWithCampaign(deps, row);
  return 'ok';
}

/** Holds or cancels a message whose campaign was paused or cancelled meanwhile, and returns whether it was. */
const stopWithCampaign = async (
  { db }: SendDeps,
  { id, tenant_id: tenantId, campaign_id: campaignId }: MessageToSend,
): Promise<boolean> =>
  campaignId !== null && db.forTenant(tenantId).transaction((tx) => stopMessage(tx, campaignId, id));

const deadlineOf = ({ sendDeadlineMs }: SendDeps, adapter: Adapter): number =>
  sendDeadlineMs ?? adapter.sendMs ?? DEADLINE_MS;

/** The channel with its settings, which are decrypted again only when they have changed. */
function channelOf({ keys, sendState: { configs } }: SendDeps, row: MessageToSend): AdapterChannel {
  let known = configs.get(row.channel_id);
  if (!known?.encrypted.equals(row.config_encrypted)) {
    known = { encrypted: row.config_encrypted, config: decryptConfig(row.config_encrypted, keys) };
    configs.set(row.channel_id, known);
  }
  const { channel_id: id, tenant_id: tenantId, kind, address } = row;
  return { id, tenantId, kind, address, config: known.config };
}

const attemptOf = (row: MessageToSend, startedAt: Date): SendAttempt => ({
  since: row.since,
  attempts: row.attempts,
  startedAt,
});

const NO_ANSWER: SendResult = {
  ok: false,
  error: { code: 'no_answer', message: 'The vendor did not answer in time.' },
  retry: 'unknown',
};

async function callVendor(
  deps: SendDeps,
  adapter: Adapter,
  message: OutgoingMessage,
  channel: AdapterChannel,
): Promise<SendResult> {
  try {
    const sending = adapter.send(message, channel, deps.context);
    return await withDeadline(deadlineOf(deps, adapter), sending, NO_ANSWER);
  } catch (error) {
    deps.log.warn({ err: error, channelId: channel.id, messageId: message.id }, 'sending a message failed');
    const mayHaveArrived = !(error instanceof OutboundError) || error.bytesSent;
    return {
      ok: false,
      error: { code: 'send_failed', message: 'The vendor could not be called.' },
      retry: mayHaveArrived ? 'unknown' : 'backoff',
    };
  }
}

/** Asks the vendor whether a message was sent; undefined if the vendor cannot be asked. */
async function reconcile(
  deps: SendDeps,
  adapter: Adapter,
  message: OutgoingMessage,
  channel: AdapterChannel,
): Promise<Reconciled | undefined> {
  if (!adapter.reconcile) return undefined;
  const unknown: Reconciled = { outcome: 'unknown' };
  try {
    const asking = adapter.reconcile(message, channel, deps.context);
    return await withDeadline(deadlineOf(deps, adapter), asking, unknown);
  } catch (error) {
    const line = { err: error, channelId: channel.id, messageId: message.id };
    deps.log.warn(line, 'asking the vendor whether a message was sent failed');
    return unknown;
  }
}

/** Resolves with the result of `work`, or with `late` after the deadline; a later result is ignored. */
async function withDeadline<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
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

async function findMissingFile(store: FileStore, { media }: MessageToSend): Promise<VendorError | null> {
  for (const { fileId } of media) {
    if (fileId === null) continue;
    const isMissing = await access(store.pathOf(fileId)).then(
      () => false,
      () => true,
    );
    if (isMissing) return { code: 'file_gone', message: 'A file of the message has been deleted.' };
  }
  return null;
}

async function updateHealth(
  deps: SendDeps,
  row: MessageToSend,
  { config }: AdapterChannel,
  result: SendResult,
): Promise<void> {
  const db = deps.db.forTenant(row.tenant_id);
  if (!result.ok && result.retry === 'reauth') {
    const until = new Date(db.now.getTime() + REAUTH_DELAY_MS);
    deps.sendState.resting.set(row.channel_id, { config, until });
  }
  await noteSendResult(db, { id: row.channel_id, health: row.health }, result, deps.log);
}
