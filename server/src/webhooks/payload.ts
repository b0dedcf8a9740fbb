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

/** The headers that Standard Webhooks asks for. The id is the event's, so a receiver can tell a repetition. */
export function signatureHeaders(
  key: Buffer,
  eventId: string,
  at: Date,
  body: string,
): Record<string, string> {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac('sha256', key).update(`${eventId}.${seconds}.${body}`).digest('base64');
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  };
}
