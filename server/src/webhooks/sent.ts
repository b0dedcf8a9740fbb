import { payloadOf } from './payload.ts';

/** What a delivery's body is made of. */
export interface SentRow {
  tenant_id: string;
  event_id: string;
  sequence: number;
  /** Null when the event is no longer kept. */
  type: string | null;
  event_created_at: Date;
  channel_id: string | null;
  data: string;
  /** What the webhook was made for through version 2; null for those of today. */
  v2_type: string | null;
}

/** The columns of a {@link SentRow}, and where they come from: the delivery, its event and its webhook. */
export const SENT_COLUMNS = `d.tenant_id, d.event_id, d.sequence, e.type, e.created_at as event_created_at,
  e.channel_id, e.data, w.v2_type`;
export const SENT_FROM = `deliveries d left join events e on e.id = d.event_id and e.tenant_id = d.tenant_id`;
export const SENT_TO = 'left join webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id';

/** The body of every attempt at a delivery, whose event is there. */
export const bodyOf = (row: SentRow & { type: string }): string =>
  payloadOf({
    id: row.event_id,
    type: row.type,
    createdAt: row.event_created_at,
    tenantId: row.tenant_id,
    channelId: row.channel_id,
    sequence: row.sequence,
    data: row.data,
    // A test is no event of version 2: it says what it is.
    v2Type: row.type === 'webhook.test' ? null : row.v2_type,
  });
