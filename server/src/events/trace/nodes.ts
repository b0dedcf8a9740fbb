import { timestamp } from '../../http/schema.ts';
import type { TraceNode } from './schema.ts';

/** A thing that happened, with what leads to its neighbours. */
export interface Found {
  node: Omit<TraceNode, 'causedBy' | 'depth'>;
  /** The channel in which it is; null for none. */
  channelId: string | null;
  /** The run that caused it. */
  runId: string | null;
  /** The event that caused it. */
  eventId: string | null;
  /** The message that it is about. */
  messageId: string | null;
  /** Of a run that went on: the reply. Only what the run did after it followed from it. */
  replyId?: string;
}

/** A thing that followed from another one. */
export type Followed = Found & { causeId: string };

export interface MessageNode {
  id: string;
  sender: 'inbound' | 'outbound';
  type: string;
  status: string;
  error: TraceNode['error'];
  vendor_id: string | null;
  text: string | null;
  channel_id: string;
  contact_id: string;
  chat_id: string;
  run_id: string | null;
  created_at: Date;
  updated_at: Date;
}
export interface EventNode {
  id: string;
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  chat_id: string | null;
  origin_run_id: string | null;
  message_id: string | null;
  created_at: Date;
}
export interface RunNode {
  id: string;
  name: string;
  status: string;
  error: TraceNode['error'];
  channel_id: string | null;
  contact_id: string;
  chat_id: string | null;
  automation_id: string;
  campaign_id: string | null;
  cause_event_id: string | null;
  created_at: Date;
  updated_at: Date;
}
export interface DeliveryNode {
  id: string;
  event_id: string;
  webhook_id: string;
  url: string | null;
  status: string;
  created_at: Date;
  updated_at: Date;
}
/** A request of a vendor, or to one. */
export interface RequestNode {
  id: string;
  provider: string;
  channel_id: string;
  /** Of one that is still stored. */
  status: 'queued' | 'failed' | null;
  error: string | null;
  created_at: Date;
}

const NOTHING = {
  sender: null,
  status: null,
  updatedAt: null,
  vendorId: null,
  text: null,
  contactId: null,
  chatId: null,
  automationId: null,
  campaignId: null,
  hasContinued: false,
  webhookId: null,
  error: null,
};
const ALONE = { channelId: null, runId: null, eventId: null, messageId: null };

export const ofMessage = (row: MessageNode): Found => ({
  ...ALONE,
  node: {
    ...NOTHING,
    id: row.id,
    type: 'message',
    at: timestamp(row.created_at),
    summary: `${row.sender} ${row.type}${row.text === null ? '' : `: ${row.text}`}`,
    sender: row.sender,
    status: row.status,
    updatedAt: timestamp(row.updated_at),
    vendorId: row.vendor_id,
    text: row.text,
    contactId: row.contact_id,
    chatId: row.chat_id,
    error: row.error,
  },
  channelId: row.channel_id,
  runId: row.run_id,
});
export const ofEvent = (row: EventNode): Found => ({
  ...ALONE,
  node: {
    ...NOTHING,
    id: row.id,
    type: 'event',
    at: timestamp(row.created_at),
    summary: row.type,
    contactId: row.contact_id,
    // Those who see some channels only see events without one, but perhaps not the chat.
    chatId: row.channel_id === null ? null : row.chat_id,
  },
  channelId: row.channel_id,
  runId: row.origin_run_id,
  messageId: row.message_id,
});
export const ofRun = (row: RunNode, replyId?: string): Found => ({
  ...ALONE,
  node: {
    ...NOTHING,
    id: row.id,
    type: 'run',
    at: timestamp(row.created_at),
    summary: row.name,
    status: row.status,
    updatedAt: timestamp(row.updated_at),
    contactId: row.contact_id,
    chatId: row.chat_id,
    automationId: row.automation_id,
    campaignId: row.campaign_id,
    hasContinued: replyId !== undefined,
    error: row.error,
  },
  channelId: row.channel_id,
  eventId: row.cause_event_id,
  ...(replyId === undefined ? {} : { replyId }),
});
export const ofDelivery = (row: DeliveryNode): Found => ({
  ...ALONE,
  node: {
    ...NOTHING,
    id: row.id,
    type: 'delivery',
    at: timestamp(row.created_at),
    summary: row.url ?? '',
    status: row.status,
    updatedAt: timestamp(row.updated_at),
    webhookId: row.webhook_id,
  },
  eventId: row.event_id,
});
export const ofRequest = (row: RequestNode): Found => ({
  ...ALONE,
  node: {
    ...NOTHING,
    id: row.id,
    type: 'vendor_request',
    at: timestamp(row.created_at),
    summary: row.provider,
    status: row.status,
    error: row.error === null ? null : { code: 'request_failed', message: row.error },
  },
  channelId: row.channel_id,
});
