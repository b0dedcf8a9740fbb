import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { exponentialBackoff, fixedDelays } from '../engine/retry.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import type { ChannelConsent } from './schema.ts';

/** A larger body is read when its turn has come, so that a claim of 200 rows does not hold 200 mails in memory. */
const SMALL_BODY_BYTES = 16_384;

export interface InboundRow extends QueueRow {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  consent: Partial<ChannelConsent>;
  attempts: number;
  crashes: number;
  url: string;
  headers: Record<string, string>;
  receivedAt: Date;
  bytes: number;
  /** Null if it is larger than `SMALL_BODY_BYTES`. */
  body: Buffer | null;
}

export const inboundQueue = declareQueue<InboundRow>({
  name: 'inbound',
  purpose: "turn vendors' requests into messages, statuses, edits and read receipts, in one transaction",
  table: 'inbound',
  view: 'visible_inbound',
  orderingKey: 'channel_id',
  columns: `q.channel_id, q.attempts, q.crashes, q.url, q.headers, q.created_at as "receivedAt", octet_length(q.body) as bytes,
    case when octet_length(q.body) <= ${SMALL_BODY_BYTES} then q.body end as body,
    c.kind, c.provider, c.address, c.config_encrypted, c.consent`,
  joins: 'join visible_channels c on c.id = q.channel_id and c.tenant_id = q.tenant_id',
  countsCrashes: true,
  rowsPerCall: 200,
  callsPerKey: 1,
  callsPerProcess: 8,
  retry: fixedDelays([1_000, 5_000, 20_000, 60_000]),
});

export interface MailboxRow extends QueueRow {
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  uid_validity: number | null;
  uid: number | null;
  attempts: number;
  /** Why the mailbox, or a mail in it, could not be read; null if it was. */
  error: string | null;
  /** Why the server refuses the credentials; null while it accepts them. */
  problem: string | null;
  /** `due_at` as PostgreSQL writes it: it is compared with again, and may be infinite. */
  due: string;
}

/** How often a mailbox is read. */
export const MAILBOX_INTERVAL_MS = 30_000;

export const mailboxesQueue = declareQueue<MailboxRow>({
  name: 'mailboxes',
  purpose: 'read IMAP mailboxes; new mail becomes inbound requests',
  table: 'mailboxes',
  orderingKey: 'id',
  order: ['due_at'],
  columns: `q.uid_validity, q.uid, q.attempts, q.error, q.problem, q.due_at::text as due, c.kind, c.provider, c.address, c.config_encrypted`,
  joins: 'join visible_channels c on c.id = q.id and c.tenant_id = q.tenant_id',
  isOnRealTime: true,
  rowsPerCall: 1,
  callsPerKey: 1,
  callsPerProcess: 32,
  waitsOutside: true,
  retry: exponentialBackoff({ firstDelayMs: MAILBOX_INTERVAL_MS, factor: 2, maxDelayMs: 15 * 60_000 }),
});
