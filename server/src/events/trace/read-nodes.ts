import { firstIdAt, timeOfId } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import { timestamp } from '../../http/schema.ts';
import type { TraceNode } from './schema.ts';

/** A thing that happened, with what leads to its neighbours. */
export interface Found {
  node: Omit<TraceNode, 'causedById' | 'depth'>;
  /** The channel in which it is; null for none. */
  channelId: string | null;
  /** The run that caused it. */
  runId: string | null;
  /** The event that caused it. */
  eventId: string | null;
  /** The message that it is about. */
  messageId: string | null;
}

interface MessageNode {
  id: string;
  sender: string;
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
interface EventNode {
  id: string;
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  chat_id: string | null;
  origin_run_id: string | null;
  message_id: string | null;
  created_at: Date;
}
interface RunNode {
  id: string;
  name: string;
  status: string;
  error: TraceNode['error'];
  channel_id: string | null;
  contact_id: string;
  chat_id: string | null;
  automation_id: string;
  cause_event_id: string | null;
  created_at: Date;
  updated_at: Date;
}
interface DeliveryNode {
  id: string;
  event_id: string;
  webhook_id: string;
  url: string | null;
  status: string;
  created_at: Date;
  updated_at: Date;
}

/** Enough to recognise a message. */
const TEXT_CHARACTERS = 200;
const MESSAGE = `m.id, m.sender, m.status, m.error, m.vendor_id, left(m.text, ${TEXT_CHARACTERS}) as text,
  m.channel_id, m.contact_id, m.chat_id, m.run_id, m.created_at, m.updated_at`;
const EVENT = `e.id, e.type, e.channel_id, e.contact_id, e.chat_id, e.origin_run_id, e.created_at,
  case when e.type like 'message.%' then (e.data::json ->> 'id')::uuid end as message_id`;
/** The channel of a run is that of its chat, else that of its campaign. */
const RUN = `r.id, a.name, r.status, r.error, r.contact_id, r.chat_id, r.automation_id, r.cause_event_id, r.created_at, r.updated_at, coalesce(
  (select k.channel_id from visible_chats k where k.id = r.chat_id and (k.tenant_id = r.tenant_id) is true),
  (select c.channel_id from visible_campaigns c where c.id = r.campaign_id and (c.tenant_id = r.tenant_id) is true)) as channel_id`;

const messageById = statement<[id: string], MessageNode>(
  'trace.message',
  `select ${MESSAGE} from visible_messages m where m.id = $1 and m.tenant_id = $tenant`,
);
const eventById = statement<[id: string], EventNode>(
  'trace.event',
  `select ${EVENT} from visible_events e where e.id = $1 and e.tenant_id = $tenant and e.sequence is not null`,
);
const runById = statement<[id: string], RunNode>(
  'trace.run',
  `select ${RUN} from visible_automation_runs r join automations a on a.id = r.automation_id and a.tenant_id = r.tenant_id
    where r.id = $1 and r.tenant_id = $tenant`,
);
const messagesOfRuns = statement<[runIds: string[], limit: number], MessageNode>(
  'trace.messages_of_runs',
  `select ${MESSAGE} from visible_messages m where m.run_id = any ($1::uuid[]) and (m.tenant_id = $tenant) is true
    order by m.id limit $2`,
);
const runsOfEvents = statement<[eventIds: string[], limit: number], RunNode>(
  'trace.runs_of_events',
  // The index is by automation and event.
  `select ${RUN} from automations a cross join unnest($1::uuid[]) as n (event_id)
     join visible_automation_runs r on r.automation_id = a.id and r.cause_event_id = n.event_id and (r.tenant_id = $tenant) is true
    where a.tenant_id = $tenant order by r.id limit $2`,
);
const deliveriesOfEvents = statement<[eventIds: string[], limit: number], DeliveryNode>(
  'trace.deliveries_of_events',
  `select d.id, d.event_id, d.webhook_id, w.url, d.status, d.created_at, d.updated_at from deliveries d
     left join webhooks w on w.id = d.webhook_id and (w.tenant_id = $tenant) is true
    where d.event_id = any ($1::uuid[]) and (d.tenant_id = $tenant) is true order by d.id limit $2`,
);
const eventsAfter = statement<
  [contactIds: string[], after: string, runIds: string[], messageIds: string[], limit: number],
  EventNode
>(
  'trace.events',
  // An index leads to the events of the contacts.
  `select ${EVENT} from visible_events e
    where e.contact_id = any ($1::uuid[]) and (e.tenant_id = $tenant) is true and e.id > $2 and e.sequence is not null
      and (e.origin_run_id = any ($3::uuid[]) and e.type not like 'message.%'
           or e.type like 'message.%' and (e.data::json ->> 'id')::uuid = any ($4::uuid[]))
    order by e.id limit $5`,
);

const NOTHING = {
  status: null,
  updatedAt: null,
  vendorId: null,
  text: null,
  contactId: null,
  chatId: null,
  automationId: null,
  webhookId: null,
  error: null,
};

const ofMessage = (row: MessageNode): Found => ({
  node: {
    ...NOTHING,
    type: 'message',
    id: row.id,
    at: timestamp(row.created_at),
    name: row.sender,
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
  eventId: null,
  messageId: null,
});
const ofEvent = (row: EventNode): Found => ({
  node: {
    ...NOTHING,
    type: 'event',
    id: row.id,
    at: timestamp(row.created_at),
    name: row.type,
    contactId: row.contact_id,
    // Those who see some channels only see events without one, but perhaps not the chat.
    chatId: row.channel_id === null ? null : row.chat_id,
  },
  channelId: row.channel_id,
  runId: row.origin_run_id,
  eventId: null,
  messageId: row.message_id,
});
const ofRun = (row: RunNode): Found => ({
  node: {
    ...NOTHING,
    type: 'run',
    id: row.id,
    at: timestamp(row.created_at),
    name: row.name,
    status: row.status,
    updatedAt: timestamp(row.updated_at),
    contactId: row.contact_id,
    chatId: row.chat_id,
    automationId: row.automation_id,
    error: row.error,
  },
  channelId: row.channel_id,
  runId: null,
  eventId: row.cause_event_id,
  messageId: null,
});
const ofDelivery = (row: DeliveryNode): Found => ({
  node: {
    ...NOTHING,
    type: 'delivery',
    id: row.id,
    at: timestamp(row.created_at),
    name: row.url ?? '',
    status: row.status,
    updatedAt: timestamp(row.updated_at),
    webhookId: row.webhook_id,
  },
  channelId: null,
  runId: null,
  eventId: row.event_id,
  messageId: null,
});

export async function findMessage(db: TenantReader, id: string): Promise<Found | undefined> {
  const row = await db.find(messageById, [id]);
  return row && ofMessage(row);
}
export async function findEvent(db: TenantReader, id: string): Promise<Found | undefined> {
  const row = await db.find(eventById, [id]);
  return row && ofEvent(row);
}
export async function findRun(db: TenantReader, id: string): Promise<Found | undefined> {
  const row = await db.find(runById, [id]);
  return row && ofRun(row);
}

/** An event and its message get their ids from one process, but not in a fixed order. */
const MARGIN_MS = 60_000;

/** Everything that followed directly from some things, each with the id of its cause, at most `limit` of each kind. */
export async function findFollowing(
  db: TenantReader,
  found: readonly Found[],
  limit: number,
): Promise<(Found & { causeId: string })[]> {
  const idsOf = (type: TraceNode['type']): string[] =>
    found.filter(({ node }) => node.type === type).map(({ node }) => node.id);
  const [messageIds, eventIds, runIds] = [idsOf('message'), idsOf('event'), idsOf('run')];
  const contactIds = [
    ...new Set(found.flatMap(({ node }) => (node.type === 'event' ? [] : (node.contactId ?? [])))),
  ];
  const earliest = [...messageIds, ...runIds].sort()[0];
  const after = earliest === undefined ? undefined : firstIdAt(new Date(timeOfId(earliest) - MARGIN_MS));
  const events =
    after === undefined || contactIds.length === 0
      ? []
      : await db.all(eventsAfter, [contactIds, after, runIds, messageIds, limit]);
  const messages = runIds.length === 0 ? [] : await db.all(messagesOfRuns, [runIds, limit]);
  const runs = eventIds.length === 0 ? [] : await db.all(runsOfEvents, [eventIds, limit]);
  const deliveries = eventIds.length === 0 ? [] : await db.all(deliveriesOfEvents, [eventIds, limit]);
  return [
    ...events.map((row) => ({ ...ofEvent(row), causeId: (row.message_id ?? row.origin_run_id) as string })),
    ...messages.map((row) => ({ ...ofMessage(row), causeId: row.run_id as string })),
    ...deliveries.map((row) => ({ ...ofDelivery(row), causeId: row.event_id })),
    ...runs.map((row) => ({ ...ofRun(row), causeId: row.cause_event_id as string })),
  ];
}
