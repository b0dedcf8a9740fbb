import { setTimeout as delay } from 'node:timers/promises';
import { createCache } from '../../base/cache.ts';
import { randomSecret } from '../../base/crypto.ts';
import { invalidParam } from '../../base/errors.ts';
import { unknownKey } from '../../base/nearest.ts';
import type { Adapter } from '../adapter.ts';
import { type AdapterChannel, type ChannelConfig, mergeConfig } from '../adapter-channel.ts';
import type { SimulatedEvent, VendorStatus } from '../inbound-event.ts';
import type { ChannelKind } from '../kinds.ts';
import { SIGNATURE_HEADER as META_HEADER } from '../meta/signature.ts';
import type { OutgoingMessage } from '../outgoing-message.ts';
import type { ProviderRequest } from '../provider-request.ts';
import { SIGNATURE_HEADER as MAIL_HEADER } from '../smtp/signature.ts';
import { SIGNATURE_HEADER as TWILIO_HEADER } from '../twilio/signature.ts';
import { validateCustomer } from './customer.ts';
import { sandboxFaultsOf } from './faults.ts';
import { fetchSandboxMedia } from './media.ts';
import { bounces, refusalOfRecipient } from './recipients.ts';
import { shapes } from './shapes.ts';
import { reportedStatuses } from './statuses.ts';
import { requestsFor, vendorIdOf } from './write.ts';

const MAX_DELAY_MS = 3600_000;
const STATUS_DELAY_MS = 200;
const MAX_CHANNELS = 10_000;
const SETTINGS = ['statusDelayMs', 'readsAutomatically'];
/** Those of the vendors that it simulates. */
const SIGNATURE_HEADERS = [META_HEADER, TWILIO_HEADER, MAIL_HEADER];

/** The settings of a channel, with those that were never set. */
export const describeSandbox = (config: ChannelConfig) => ({
  faults: sandboxFaultsOf(config),
  statusDelayMs: Number(config.statusDelayMs ?? STATUS_DELAY_MS),
  readsAutomatically: config.readsAutomatically !== false,
});

/** What is wrong with the delay between two statuses; undefined if it is valid. */
const validateDelay = (ms: unknown): string | undefined =>
  ms === undefined || (Number.isInteger(ms) && Number(ms) >= 0 && Number(ms) <= MAX_DELAY_MS)
    ? undefined
    : `Must be a whole number of milliseconds from 0 to ${MAX_DELAY_MS}`;

/** Whether vendors of this kind send echoes of the business's own messages. */
const hasEchoes = (kind: ChannelKind): boolean => kind === 'whatsapp' || kind === 'instagram';

/** How many attempts each channel had, for `failEvery`. */
const attempts = createCache<string, number>(MAX_CHANNELS);

function isRefused(channelId: string, failEvery: number): boolean {
  if (failEvery === 0) return false;
  const count = (attempts.get(channelId) ?? 0) + 1;
  attempts.set(channelId, count);
  return count % failEvery === 0;
}

/** The requests that the vendor will send about a message that it accepts now, with their times. */
async function laterRequests(
  message: OutgoingMessage,
  vendorId: string,
  channel: AdapterChannel,
  url: string,
  now: Date,
): Promise<{ at: Date; request: ProviderRequest }[]> {
  const { reorder, echoBeforeResponse } = sandboxFaultsOf(channel.config);
  const { statusDelayMs: delayMs } = describeSandbox(channel.config);
  const statuses: VendorStatus[] = bounces(message) ? ['failed'] : reportedStatuses(channel);
  const times = statuses.map((_, index) => new Date(now.getTime() + (index + 1) * delayMs));
  const events = statuses.map((status, index): SimulatedEvent => {
    const event = {
      kind: 'status' as const,
      vendorId,
      messageId: message.id,
      status,
      occurredAt: times[index] as Date,
    };
    return status === 'failed'
      ? { ...event, error: { code: '5.1.1', message: 'There is no such mailbox.' } }
      : event;
  });
  if (reorder) times.reverse();
  if (echoBeforeResponse && hasEchoes(channel.kind)) {
    const { to, type, text, content } = message;
    const contact = { ...to, name: null };
    events.unshift({ kind: 'echo', vendorId, occurredAt: now, contact, type, text, media: [], content });
    times.unshift(now);
  } else if (echoBeforeResponse && times.length > 0) times[0] = now;
  const requests = await Promise.all(events.map((event) => requestsFor(event, channel, url)));
  return requests.flatMap((some, index) => some.map((request) => ({ at: times[index] as Date, request })));
}

/**
 * A simulated vendor that needs no account. A message of a customer becomes a signed request to the route that real
 * vendors call, and a sent message is accepted once and reported by such requests, so that signatures, storing and
 * parsing are not bypassed.
 */
export const sandbox: Adapter = {
  provider: 'sandbox',
  startsHealthy: true,
  kinds: ['whatsapp', 'sms', 'email', 'instagram'],
  perSecond: null,
  perContactMs: 0,
  signatureHeaders: SIGNATURE_HEADERS,
  reply: { contentType: 'application/json', body: '{"success":true}' },
  configure(given, stored) {
    const { statusDelayMs, readsAutomatically } = mergeConfig(stored, given);
    const issue = validateDelay(statusDelayMs);
    if (issue) throw invalidParam('config.statusDelayMs', 'custom', issue);
    if (readsAutomatically !== undefined && typeof readsAutomatically !== 'boolean')
      throw invalidParam('config.readsAutomatically', 'invalid_type', 'Must be true or false');
    const unknown = Object.keys(given).find((name) => !SETTINGS.includes(name));
    if (unknown !== undefined)
      throw invalidParam(`config.${unknown}`, 'unrecognized_keys', unknownKey(unknown, SETTINGS));
    return {
      ...(statusDelayMs === undefined ? {} : { statusDelayMs }),
      ...(readsAutomatically === undefined ? {} : { readsAutomatically }),
      ...(stored.faults === undefined ? {} : { faults: stored.faults }),
      signingSecret: stored.signingSecret ?? randomSecret(32),
    };
  },
  async check({ kind, address, config }) {
    const issues = {
      address: validateCustomer(address, kind),
      'config.statusDelayMs': validateDelay(config.statusDelayMs),
    };
    return Object.entries(issues).flatMap(([path, message]) =>
      message === undefined ? [] : [{ path, message }],
    );
  },
  verifySignature: (request, channel) =>
    shapes[channel.kind].verifySignature(request, channel, String(channel.config.signingSecret)),
  parseInbound: (request, channel) => shapes[channel.kind].parse(request, channel),
  inThread: (kind) => (kind === 'email' ? 'always' : 'large'),
  fetchMedia: fetchSandboxMedia,

  async send(message, channel, context) {
    const refusal = refusalOfRecipient(message, channel.kind);
    if (refusal) return refusal;
    const { failEvery, delayMs } = sandboxFaultsOf(channel.config);
    if (isRefused(channel.id, failEvery)) {
      const error = { code: 'sandbox_fault', message: 'The sandbox simulates a failure.' };
      return { ok: false, error, retry: 'backoff' };
    }
    const vendorId = vendorIdOf(channel.kind, message.id);
    const { id: messageId, to, type, text, media, replyToVendorId } = message;
    const content = {
      ...message.content,
      ...(media.length === 0
        ? {}
        : { media: media.map(({ url, mimeType, filename, size }) => ({ url, mimeType, filename, size })) }),
      ...(replyToVendorId === null ? {} : { replyTo: replyToVendorId }),
    };
    await context.sandbox.accept(
      channel,
      { messageId, vendorId, to: to.value, type, text, content },
      await laterRequests(
        message,
        vendorId,
        channel,
        context.callbackUrl('sandbox', channel.id),
        context.now(channel),
      ),
    );
    if (delayMs > 0) await delay(delayMs);
    return { ok: true, vendorId, status: 'sent' };
  },
  // Nobody looks at the simulated phone.
  signal: async () => {},
  async reconcile({ id }, _channel, context) {
    const accepted = await context.sandbox.find(id);
    return accepted ? { outcome: 'sent', vendorId: accepted.vendorId } : { outcome: 'not_sent' };
  },
  // Of the simulated vendors, only WhatsApp reviews templates.
  review: {
    kinds: ['whatsapp'],
    decide(name, config) {
      const { statusDelayMs: afterMs } = describeSandbox(config);
      return name.includes('reject')
        ? {
            afterMs,
            status: 'rejected',
            reason: 'The sandbox rejects every template whose name has "reject"',
          }
        : { afterMs, status: 'approved', reason: null };
    },
  },
};
