import { payloadOf } from './payload.ts';

/** What the body of a delivery is made from. */
export interface SentRow {
  tenant_id: string;
  event_id: string;
  sequence: number;
  /** Null if the event is no longer stored. */
  type: string | null;
  event_created_at: Date;
  channel_id: string | null;
  data: string;
  /** The type that the webhook was created for through version 2; null for all others. */
  v2_type: string | null;
}

/** SQL for the columns of a {@link SentRow} except `tenant_id`. The parameters are aliases; the event's alias is `e`. */
export const sentColumns = (delivery: string, webhook: string): string =>
  `${delivery}.event_id, ${delivery}.sequence, e.type, e.created_at as event_created_at, e.channel_id, e.data,
   ${webhook}.v2_type`;

export const joinEvent = (delivery: string): string =>
  `left join visible_events e on e.id = ${delivery}.event_id and e.tenant_id = ${delivery}.tenant_id`;

/** The body of every attempt of a delivery, whose event is stored. */
export const bodyOf = (row: SentRow & { type: string }): string =>
  payloadOf({
    id: row.event_id,
    type: row.type,
    createdAt: row.event_created_at,
    tenantId: row.tenant_id,
    channelId: row.channel_id,
    sequence: row.sequence,
    data: row.data,
    // Version 2 has no type for a test.
    v2Type: row.type === 'webhook.test' ? null : row.v2_type,
  });
