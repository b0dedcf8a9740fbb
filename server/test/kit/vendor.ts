import { createHmac } from 'node:crypto';
import { expect } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { Adapter } from '../../src/providers/adapter.ts';
import { mergeConfig } from '../../src/providers/adapter-channel.ts';
import type { Adapters } from '../../src/providers/adapters.ts';
import type { InboundEvent, InboundMessage, VendorContact } from '../../src/providers/inbound-event.ts';
import type { ChannelKind } from '../../src/providers/kinds.ts';
import { VendorFailure } from '../../src/providers/vendor-failure.ts';
import type { Answer, TestServer, TestTenant } from './server.ts';

const sign = (body: Buffer | string, secret: unknown): string =>
  createHmac('sha256', String(secret)).update(body).digest('hex');

interface Sent {
  account: string;
  events: object[];
}
const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const revive = (_key: string, value: unknown): unknown =>
  typeof value === 'string' && isTime.test(value)
    ? new Date(value)
    : (value as { type?: string } | null)?.type === 'Buffer'
      ? Buffer.from((value as { data: number[] }).data)
      : value;
const sentIn = (body: Buffer): Sent[] => JSON.parse(body.toString(), revive).sent;

/** A vendor whose requests contain our own events, so that tests can send any event. */
export const pigeon: Adapter = {
  provider: 'pigeon',
  kinds: ['whatsapp', 'sms', 'email', 'instagram'],
  perSecond: null,
  perContactMs: 0,
  bodyBytes: 4_000_000,
  signatureHeaders: ['x-pigeon'],
  reply: { contentType: 'text/xml', body: '<coo/>' },
  configure: (given, stored) => mergeConfig(stored, given),
  vendorKey: ({ account }) => String(account),
  verifyToken: ({ verifyToken }) => (verifyToken === undefined ? '' : String(verifyToken)),
  check: async () => [],
  findKeys: (body) => [...body.toString().matchAll(/"account":"([^"]+)"/g)].map(([, key]) => key as string),
  route: ({ body }) => sentIn(body).map(({ account }) => account),
  handshake: ({ token, challenge }) => (token && challenge ? { token, challenge } : undefined),
  verifySignature: ({ headers, body }, { config }) => headers['x-pigeon'] === sign(body, config.secret),
  parseInbound: ({ body }, { config }) =>
    sentIn(body)
      .filter(({ account }) => account === config.account)
      .flatMap(({ events }) => events as InboundEvent[]),
  async fetchMedia({ url }, _channel, context) {
    const { status, headers, body } = await context.request({
      url: String(url),
      method: 'GET',
      headers: {},
      deadlineMs: 2_000,
      maxResponseBytes: 1_000_000,
    });
    if (status !== 200) throw new VendorFailure(String(status), 'The pigeon lost it.', status >= 500);
    return { bytes: body, mimeType: headers['content-type'] ?? null, filename: null };
  },
  send: () => Promise.reject(new Error('Pigeons only come.')),
};
export const withPigeon: Adapters = new Map([['pigeon', pigeon]]);

export interface PigeonChannel {
  id: string;
  account: string;
  secret: string;
  tenant: TestTenant;
}

/** A channel of this vendor. */
export async function pigeonChannel(
  tenant: TestTenant,
  kind: ChannelKind = 'whatsapp',
  config: { secret?: string; verifyToken?: string } = {},
): Promise<PigeonChannel> {
  const account = `account-${newId()}`;
  const { secret = `secret-${newId()}` } = config;
  const made = await tenant.post('/v3/channels', {
    kind,
    provider: 'pigeon',
    name: 'Test',
    address: '+15550009999',
    config: { ...config, account, secret },
  });
  expect(made.status).toBe(200);
  return { id: made.body.data.id, account, secret, tenant };
}

/** The body of a request of the vendor about a channel. */
export function pigeonBody(channel: { account: string }, events: readonly InboundEvent[]): string {
  return JSON.stringify({ sent: [{ account: channel.account, events }] });
}

export const pigeonHeaders = (body: string | Buffer, secret: string) => ({ 'x-pigeon': sign(body, secret) });

/** Posts the vendor's events of a channel to the real route, signed. */
export async function postEvents(
  server: TestServer,
  channel: PigeonChannel,
  ...events: InboundEvent[]
): Promise<Answer> {
  const raw = pigeonBody(channel, events);
  const answer = await server.call('POST', `/providers/pigeon/${channel.id}`, {
    raw,
    headers: pigeonHeaders(raw, channel.secret),
  });
  expect(answer.status).toBe(200);
  return answer;
}

export const ADA: VendorContact = { type: 'phone_number', value: '+15550001111', name: 'Ada Lovelace' };

/** A message from Ada by default. */
export const written = (
  vendorId: string,
  at: Date,
  more: Partial<Omit<InboundMessage, 'kind' | 'vendorId'>> = {},
): InboundMessage => ({
  kind: 'message',
  vendorId,
  occurredAt: at,
  contact: ADA,
  type: 'text',
  text: vendorId,
  media: [],
  content: {},
  ...more,
});

/** The same from the business in the vendor's own app. */
export const echoed = (...[vendorId, at, more]: Parameters<typeof written>): InboundMessage => ({
  ...written(vendorId, at, more),
  kind: 'echo',
});

/** Stores a message as it is in the database while it is being sent. */
export async function storeSending(
  server: TestServer,
  tenant: TestTenant,
  chat: { id: string; channelId: string; contactId: string },
  more: {
    text?: string;
    vendorId?: string | null;
    status?: string;
    sendingAt?: Date | null;
    dueAt?: Date | null;
  } = {},
): Promise<string> {
  const id = newId();
  const now = server.clock.now();
  const { text = 'hello', vendorId = null, status = 'queued', sendingAt = null, dueAt = null } = more;
  await server.system.db.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                           status, vendor_id, timestamp, created_at, updated_at, sending_at, due_at)
     values ($1, $2, $3, $4, $5, 'outbound', 'api', 'text', $6, '[]', '{}', $7, $8, $9, $9, $9, $10, $11)`,
    [id, tenant.id, chat.id, chat.channelId, chat.contactId, text, status, vendorId, now, sendingAt, dueAt],
  );
  if (vendorId !== null)
    await server.system.db.query(
      `insert into vendor_messages (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
       values ($1, $2, $3, $4, 1, $5)
       on conflict (channel_id, vendor_id) do update set message_id = excluded.message_id`,
      [chat.channelId, tenant.id, vendorId, id, now],
    );
  return id;
}
