import { firstIdAt, isUuid, timeOfId } from '../../base/ids.ts';
import { storable } from '../../base/storable.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import {
  type DeliveryNode,
  type EventNode,
  type Followed,
  type Found,
  type MessageNode,
  ofDelivery,
  ofEvent,
  ofMessage,
  ofRequest,
  ofRun,
  type RequestNode,
  type RunNode,
} from './nodes.ts';
import type { TraceNode } from './schema.ts';

/** Enough to recognise a message. */
const TEXT_CHARACTERS = 200;
const MESSAGE = `m.id, m.sender, m.type, m.status, m.error, m.vendor_id, left(m.text, ${TEXT_CHARACTERS}) as text,
  m.channel_id, m.contact_id, m.chat_id, m.run_id, m.created_at, m.updated_at`;
/** The message of an event: the one that it is about, or that opened the chat or made the contact. */
const MESSAGE_ID = `case when e.type like 'message.%' then (e.data::json ->> 'id')::uuid else (e.facts ->> 'messageId')::uuid end`;
const EVENT = `e.id, e.type, e.channel_id, e.contact_id, e.chat_id, e.origin_run_id, e.created_at, ${MESSAGE_ID} as message_id`;
/** The channel of a run is that of its chat, else that of its campaign. */
const RUN = `r.id, a.name, r.status, r.error, r.contact_id, r.chat_id, r.automation_id, r.campaign_id, r.cause_event_id,
  r.created_at, r.updated_at, coalesce(
  (select k.channel_id from visible_chats k where k.id = r.chat_id and (k.tenant_id = r.tenant_id) is true),
  (select c.channel_id from visible_campaigns c where c.id = r.campaign_id and (c.tenant_id = r.tenant_id) is true)) as channel_id`;
const DELIVERY = `d.id, d.event_id, d.webhook_id, w.url, d.status, d.created_at, d.updated_at from deliveries d
     left join webhooks w on w.id = d.webhook_id and (w.tenant_id = $tenant) is true`;

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
const deliveryById = statement<[id: string], DeliveryNode>(
  'trace.delivery',
  `select ${DELIVERY} where d.id = $1 and d.tenant_id = $tenant`,
);
const requestById = statement<[id: string], RequestNode>(
  'trace.request',
  `select i.id, c.provider, i.channel_id, case when i.due_at is null then 'failed' else 'queued' end as status, i.error, i.created_at
     from visible_inbound i join visible_channels c on c.id = i.channel_id and (c.tenant_id = i.tenant_id) is true
    where i.id = $1 and i.tenant_id = $tenant`,
);
const messagesOfVendor = statement<[vendorId: string, limit: number], MessageNode & { provider: string }>(
  'trace.messages_of_vendor',
  // The index is by channel and vendor's id.
  `select ${MESSAGE}, c.provider from visible_channels c
     join vendor_messages v on v.channel_id = c.id and v.vendor_id = $1 and (v.tenant_id = $tenant) is true
     join visible_messages m on m.id = v.message_id and (m.tenant_id = $tenant) is true
    where c.tenant_id = $tenant order by m.id limit $2`,
);
const messagesOfRuns = statement<[runIds: string[], after: string[], limit: number], MessageNode>(
  'trace.messages_of_runs',
  `select ${MESSAGE} from unnest($1::uuid[], $2::uuid[]) as n (run_id, after)
     join visible_messages m on m.run_id = n.run_id and m.id > n.after and (m.tenant_id = $tenant) is true
    order by m.id limit $3`,
);
const runsOfEvents = statement<[eventIds: string[], limit: number], RunNode>(
  'trace.runs_of_events',
  // The index is by automation and event.
  `select ${RUN} from automations a cross join unnest($1::uuid[]) as n (event_id)
     join visible_automation_runs r on r.automation_id = a.id and r.cause_event_id = n.event_id and (r.tenant_id = $tenant) is true
    where a.tenant_id = $tenant order by r.id limit $2`,
);
const runsOfReplies = statement<[messageIds: string[], limit: number], RunNode & { reply_id: string }>(
  'trace.runs_of_replies',
  `select ${RUN}, m.id as reply_id from visible_messages m
     join visible_automation_runs r on r.id = m.reply_run_id and (r.tenant_id = m.tenant_id) is true
     join automations a on a.id = r.automation_id and (a.tenant_id = r.tenant_id) is true
    where m.id = any ($1::uuid[]) and m.tenant_id = $tenant order by m.id limit $2`,
);
const deliveriesOfEvents = statement<[eventIds: string[], limit: number], DeliveryNode>(
  'trace.deliveries_of_events',
  `select ${DELIVERY} where d.event_id = any ($1::uuid[]) and (d.tenant_id = $tenant) is true order by d.id limit $2`,
);
const eventsAfter = statement<
  [
    contactIds: string[],
    after: string,
    runIds: string[],
    afterOfRuns: string[],
    messageIds: string[],
    limit: number,
  ],
  EventNode
>(
  'trace.events',
  // An index leads to the events of the contacts.
  `select ${EVENT} from visible_events e
    where e.contact_id = any ($1::uuid[]) and (e.tenant_id = $tenant) is true and e.id > $2 and e.sequence is not null
      and (e.type not like 'message.%' and exists (select 1 from unnest($3::uuid[], $4::uuid[]) as n (run_id, after)
                                                    where n.run_id = e.origin_run_id and e.id > n.after)
           or ${MESSAGE_ID} = any ($5::uuid[]))
    order by e.id limit $6`,
);

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
async function findDelivery(db: TenantReader, id: string): Promise<Found | undefined> {
  const row = await db.find(deliveryById, [id]);
  return row && ofDelivery(row);
}
async function findRequest(db: TenantReader, id: string): Promise<Found | undefined> {
  const row = await db.find(requestById, [id]);
  return row && ofRequest(row);
}

/** What was asked for, with what followed from it that is only known by this id. */
export interface Asked {
  found: Found;
  following: Followed[];
}

/** A mail can come in over several channels. */
const MAX_COPIES = 10;

/** A request is only stored until it is handled. Afterwards the vendor's id of a message leads to it. */
async function findByVendorId(
  db: TenantReader,
  vendorId: string,
  isVisible: (found: Found) => boolean,
): Promise<Asked | undefined> {
  const copies = await db.all(messagesOfVendor, [vendorId, MAX_COPIES]);
  const rows = copies.filter((row) => isVisible(ofMessage(row)));
  const [first] = rows;
  if (!first) return undefined;
  const { provider, channel_id, created_at } = first;
  const request = ofRequest({ id: vendorId, provider, channel_id, status: null, error: null, created_at });
  if (first.sender === 'outbound')
    return { found: ofMessage(first), following: [{ ...request, causeId: first.id }] };
  const received = rows.filter(({ sender }) => sender === 'inbound');
  return { found: request, following: received.map((row) => ({ ...ofMessage(row), causeId: vendorId })) };
}

/** Finds a message, event, run, delivery or vendor's request by its id, if it is visible to the caller. */
export async function findAsked(
  db: TenantReader,
  id: string,
  isVisible: (found: Found) => boolean,
): Promise<Asked | undefined> {
  const finders = isUuid(id) ? [findEvent, findMessage, findRun, findDelivery, findRequest] : [];
  for (const find of finders) {
    const found = await find(db, id);
    if (found) return isVisible(found) ? { found, following: [] } : undefined;
  }
  return findByVendorId(db, storable(id), isVisible);
}

/** An event and its message get their ids from one process, but not in a fixed order. */
const MARGIN_MS = 60_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Everything that followed directly from some things, each with the id of its cause, at most `limit` of each kind. */
export async function findFollowing(
  db: TenantReader,
  found: readonly Found[],
  limit: number,
): Promise<Followed[]> {
  const ofType = (type: TraceNode['type']): Found[] => found.filter(({ node }) => node.type === type);
  const idsOf = (some: readonly Found[]): string[] => some.map(({ node }) => node.id);
  const [messageIds, eventIds, runs] = [idsOf(ofType('message')), idsOf(ofType('event')), ofType('run')];
  const runIds = idsOf(runs);
  const afterOfRuns = runs.map(({ replyId }) => replyId ?? FIRST_ID);
  const contactIds = [
    ...new Set(found.flatMap(({ node }) => (node.type === 'event' ? [] : (node.contactId ?? [])))),
  ];
  const earliest = [...messageIds, ...runIds].sort()[0];
  const after = earliest === undefined ? undefined : firstIdAt(new Date(timeOfId(earliest) - MARGIN_MS));
  const events =
    after === undefined || contactIds.length === 0
      ? []
      : await db.all(eventsAfter, [contactIds, after, runIds, afterOfRuns, messageIds, limit]);
  const messages = runIds.length === 0 ? [] : await db.all(messagesOfRuns, [runIds, afterOfRuns, limit]);
  const started = eventIds.length === 0 ? [] : await db.all(runsOfEvents, [eventIds, limit]);
  const deliveries = eventIds.length === 0 ? [] : await db.all(deliveriesOfEvents, [eventIds, limit]);
  const received = new Map(
    found.flatMap(({ node, messageId }) =>
      node.summary === 'message.received' && messageId !== null ? [[messageId, node.id] as const] : [],
    ),
  );
  const continued = received.size === 0 ? [] : await db.all(runsOfReplies, [[...received.keys()], limit]);
  return [
    ...events.map((row) => ({ ...ofEvent(row), causeId: (row.message_id ?? row.origin_run_id) as string })),
    ...messages.map((row) => ({ ...ofMessage(row), causeId: row.run_id as string })),
    ...deliveries.map((row) => ({ ...ofDelivery(row), causeId: row.event_id })),
    ...started.map((row) => ({ ...ofRun(row), causeId: row.cause_event_id as string })),
    ...continued.map((row) => ({
      ...ofRun(row, row.reply_id),
      causeId: received.get(row.reply_id) as string,
    })),
  ];
}
