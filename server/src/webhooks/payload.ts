import { createHmac } from 'node:crypto';
import { timestamp } from '../http/schema.ts';

/** What an event's row says, as far as it is sent. */
export interface SentEvent {
  id: string;
  type: string;
  createdAt: Date;
  tenantId: string;
  channelId: string | null;
  sequence: number;
  /** JSON text, frozen when the event was published. */
  data: string;
  /** What the webhook was made for through version 2; null for those of today. */
  v2Type: string | null;
}

/** The body of a delivery: the same bytes on every retry, because it is made from a row that does not change. */
export function payloadOf(event: SentEvent): string {
  const type = event.v2Type ?? event.type;
  const channelId = event.channelId === null ? 'null' : `"${event.channelId}"`;
  const start = `{"id":"${event.id}","type":"${type}","createdAt":"${timestamp(event.createdAt)}",`;
  return event.v2Type === null
    ? `${start}"tenantId":"${event.tenantId}","channelId":${channelId},"sequence":${event.sequence},"data":${event.data}}`
    : `${start}"channelId":${channelId},"data":${event.data}}`;
}

/** The key inside a `whsec_…` secret. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');

/** The headers of an attempt, but for its signature. The id is the event's, so a receiver can tell a repetition. */
export const unsignedHeaders = (version: string, eventId: string, at: Date) => ({
  'content-type': 'application/json',
  'user-agent': `Parley/${version}`,
  'webhook-id': eventId,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
});

/** The same with the signature that Standard Webhooks asks for, once for each key: a receiver takes it when one fits. */
export function signedHeaders(
  version: string,
  eventId: string,
  at: Date,
  body: string,
  keys: readonly Buffer[],
): ReturnType<typeof unsignedHeaders> & { 'webhook-signature': string } {
  const headers = unsignedHeaders(version, eventId, at) as ReturnType<typeof signedHeaders>;
  const signed = `${eventId}.${headers['webhook-timestamp']}.${body}`;
  headers['webhook-signature'] = keys
    .map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    .join(' ');
  return headers;
}
