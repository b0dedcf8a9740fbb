import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomSecret } from '../../base/crypto.ts';
import { invalidParam } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import {
  type Adapter,
  type ChannelConfig,
  type ChannelKind,
  type InboundMessage,
  mergeConfig,
  type Peer,
  type ProviderRequest,
} from '../adapter.ts';

/**
 * The vendor that needs no account. What a customer writes there becomes a signed request to the same route that real
 * vendors call, so that signatures, storing and parsing are exercised and not bypassed.
 */
interface SandboxMessage {
  id: string;
  from: string;
  name: string | null;
  at: string;
  type: 'text';
  text: string;
}

export const SIGNATURE_HEADER = 'x-sandbox-signature';

const handleTypes: Record<ChannelKind, Peer['type']> = {
  whatsapp: 'phone_number',
  sms: 'phone_number',
  email: 'email',
  instagram: 'instagram_id',
};

/** How a person is written on each kind of channel, and what to say to someone who writes it otherwise. */
const spellings: Record<Peer['type'], { pattern: RegExp; named: string }> = {
  phone_number: { pattern: /^\+?[0-9]{3,20}$/, named: 'a phone number such as +15550001111' },
  email: { pattern: /^[^\s@]{1,64}@[^\s@]{1,190}$/, named: 'an email address' },
  instagram_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'an Instagram id' },
  whatsapp_id: { pattern: /^[A-Za-z0-9_.]{1,64}$/, named: 'a WhatsApp id' },
};

const sign = (body: Buffer, config: ChannelConfig): string =>
  `sha256=${createHmac('sha256', String(config.signingSecret)).update(body).digest('hex')}`;

const normalize = (type: Peer['type'], value: string): string =>
  type === 'phone_number' && !value.startsWith('+')
    ? `+${value}`
    : type === 'email'
      ? value.toLowerCase()
      : value;

const LONGEST_DELAY_MS = 3600_000;
const DEFAULT_DELAY_MS = 200;

/** What is wrong with the time that a message takes from one status to the next, if anything. */
const faultOfDelay = (ms: unknown): string | undefined =>
  ms === undefined || (Number.isInteger(ms) && Number(ms) >= 0 && Number(ms) <= LONGEST_DELAY_MS)
    ? undefined
    : `Must be a whole number of milliseconds from 0 to ${LONGEST_DELAY_MS}`;

export const sandbox: Adapter = {
  provider: 'sandbox',
  kinds: ['whatsapp', 'sms', 'email', 'instagram'],
  perSecond: null,
  perPeerMs: 0,
  reply: { contentType: 'application/json', body: '{"success":true}' },
  configure(given, stored) {
    const { statusDelayMs } = mergeConfig(stored, given);
    const fault = faultOfDelay(statusDelayMs);
    if (fault) throw invalidParam('config.statusDelayMs', 'custom', fault);
    return {
      ...(statusDelayMs === undefined ? {} : { statusDelayMs }),
      signingSecret: stored.signingSecret ?? randomSecret(32),
    };
  },
  async check({ kind, address, config }) {
    const faults = {
      address: faultOfPerson(address, kind),
      'config.statusDelayMs': faultOfDelay(config.statusDelayMs),
    };
    return Object.entries(faults).flatMap(([path, message]) =>
      message === undefined ? [] : [{ path, message }],
    );
  },
  verifySignature(request, { config }) {
    const given = Buffer.from(request.headers[SIGNATURE_HEADER] ?? '');
    const expected = Buffer.from(sign(request.body, config));
    return given.length === expected.length && timingSafeEqual(given, expected);
  },
  parseInbound(request, { kind }) {
    const { messages } = JSON.parse(request.body.toString('utf8')) as { messages: SandboxMessage[] };
    return messages.map((message): InboundMessage => {
      const type = handleTypes[kind];
      return {
        kind: 'message',
        vendorId: message.id,
        occurredAt: new Date(message.at),
        peer: { type, value: normalize(type, message.from), name: message.name },
        type: message.type,
        text: message.text,
        media: [],
        content: {},
      };
    });
  },
  // Of the vendors that it stands in for, WhatsApp's reviews templates.
  review: {
    kinds: ['whatsapp'],
    decide(name, config) {
      const afterMs = Number(config.statusDelayMs ?? DEFAULT_DELAY_MS);
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

/** What is wrong with the way a person is written, if anything. */
export function faultOfPerson(from: string, kind: ChannelKind): string | undefined {
  const { pattern, named } = spellings[handleTypes[kind]];
  return pattern.test(from) ? undefined : `Must be ${named}`;
}

/** The request that this vendor would send when a person writes. */
export function writeAsPerson(
  message: { from: string; name: string | null; text: string },
  at: Date,
  config: ChannelConfig,
): { vendorId: string; request: ProviderRequest } {
  const vendorId = `sandbox-${newId()}`;
  const sent: SandboxMessage = { id: vendorId, ...message, at: at.toISOString(), type: 'text' };
  const body = Buffer.from(JSON.stringify({ messages: [sent] }));
  return { vendorId, request: { url: '', headers: { [SIGNATURE_HEADER]: sign(body, config) }, body } };
}
