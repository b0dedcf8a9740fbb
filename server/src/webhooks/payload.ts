import { createHmac } from 'node:crypto';
import { timestamp } from '../http/schema.ts';

/** The fields of an event that are sent. */
interface SentEvent {
  id: string;
  type: string;
  createdAt: Date;
  tenantId: string;
  channelId: string | null;
  sequence: number;
  /** JSON text, frozen when the event was published. */
  data: string;
  /** The type of a webhook of version 2, which gets another body. */
  v2Type?: string | null;
}

/** The body of a delivery: the same bytes on every attempt, because it is built from a row that does not change. */
export function payloadOf(event: SentEvent): string {
  const { v2Type = null } = event;
  const type = v2Type ?? event.type;
  const channelId = event.channelId === null ? 'null' : `"${event.channelId}"`;
  const start = `{"id":"${event.id}","type":"${type}","createdAt":"${timestamp(event.createdAt)}",`;
  return v2Type === null
    ? `${start}"tenantId":"${event.tenantId}","channelId":${channelId},"sequence":${event.sequence},"data":${event.data}}`
    : `${start}"channelId":${channelId},"data":${event.data}}`;
}

/** The key inside a `whsec_…` secret. Any other text is a key as it is. */
export const keyOf = (secret: string): Buffer =>
  secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);

const timestampHeader = (sentAt: Date): string => String(Math.floor(sentAt.getTime() / 1000));

/** The signature by each key, as Standard Webhooks specifies: a receiver accepts the body if one is valid. */
function signatureHeader(id: string, sentAt: Date, body: string, keys: readonly Buffer[]): string {
  const signed = `${id}.${timestampHeader(sentAt)}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}

/** The headers of a signed body, as Standard Webhooks names them. */
export const signatureHeaders = (id: string, sentAt: Date, body: string, keys: readonly Buffer[]) => ({
  'webhook-id': id,
  'webhook-timestamp': timestampHeader(sentAt),
  'webhook-signature': signatureHeader(id, sentAt, body, keys),
});

/** The headers of an attempt without the signature. The id is the event's, so that a receiver recognises a repetition. */
export const unsignedHeaders = (version: string, eventId: string, sentAt: Date) => ({
  'content-type': 'application/json',
  'user-agent': `Parley/${version}`,
  'webhook-id': eventId,
  'webhook-timestamp': timestampHeader(sentAt),
});

/** The same with a signature by each key. Built by spreading, it took 3 of a delivery's 200 µs. */
export const signedHeaders = (
  version: string,
  eventId: string,
  sentAt: Date,
  body: string,
  keys: readonly Buffer[],
) =>
  Object.assign(unsignedHeaders(version, eventId, sentAt), {
    'webhook-signature': signatureHeader(eventId, sentAt, body, keys),
  });
