import { invalidParam } from '../../base/errors.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import { timestamp } from '../../http/schema.ts';
import { requireContact } from '../contact.ts';
import { chatValues, compareValues, contactValues } from './changes.ts';
import {
  DEFAULT_LIMIT,
  maxTimelineItems,
  type TimelineItem,
  type TimelinePage,
  type TimelineQuery,
  timelineTypes,
} from './schema.ts';

interface ItemRow {
  id: string;
  type: TimelineItem['type'];
  sequence: number;
  channel_id: string | null;
  chat_id: string | null;
  created_at: Date;
  data: string;
  /** The data of the event about the same contact or chat before it, of those with a whole contact or chat. */
  before: string | null;
}

/** Events whose data is the whole contact. */
const WITH_CONTACT = `('contact.created', 'contact.updated', 'contact.labels_added', 'contact.labels_removed',
  'contact.unsubscribed', 'contact.subscribed')`;

const eventsOfContact = statement<
  [contactId: string, before: number, limit: number, types: string[], channelIds: string[] | null],
  ItemRow
>(
  'contacts.timeline',
  // Events of runs have no channel, so that callers who are restricted to channels do not see them. The tenant is compared in a
  // form that no index serves: one by sequence would read the events of all contacts.
  `with own as materialized (
     select e.id, e.type, e.sequence, e.channel_id, e.chat_id, e.created_at, case
              when e.type in ${WITH_CONTACT} then 'contact' when e.type like 'chat.%' then e.chat_id::text end as subject
       from visible_events e
      where e.contact_id = $1 and (e.tenant_id = $tenant) is true and e.sequence is not null),
   page as (
     select * from (
       select *, lag(id) over (partition by subject order by sequence) as before_id from own) o
      where o.sequence < $2 and o.type = any ($4::text[]) and (
        $5::uuid[] is null or o.channel_id = any ($5::uuid[]) or o.channel_id is null and o.type not like 'automation.%')
      order by o.sequence desc limit $3)
   select p.id, p.type, p.sequence, p.channel_id, p.chat_id, p.created_at, e.data, b.data as before
     from page p
     join visible_events e on e.id = p.id and (e.tenant_id = $tenant) is true
     left join visible_events b on p.subject is not null and b.id = p.before_id and (b.tenant_id = $tenant) is true
    order by p.sequence desc`,
);

type Data = Record<string, unknown>;
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function changesOf({ type, before }: ItemRow, data: Data): TimelineItem['changes'] {
  const earlier: Data = before === null ? {} : JSON.parse(before);
  if (type.startsWith('chat.')) return compareValues(chatValues(earlier), chatValues(data));
  // Without an event before it, nobody knows what of the contact is new.
  if (before === null && type !== 'contact.created') return [];
  return compareValues(contactValues(earlier), contactValues(data));
}

function presentItem(row: ItemRow): TimelineItem {
  const data = JSON.parse(row.data) as Data;
  const { id, type, channel_id, chat_id, created_at } = row;
  const isMerge = type === 'contact.merged';
  const hasChanges = !isMerge && (type.startsWith('contact.') || type.startsWith('chat.'));
  return {
    id,
    type,
    createdAt: timestamp(created_at),
    channelId: channel_id,
    chatId: chat_id,
    resourceId: (isMerge ? data.mergedContactId : data.id) as string,
    author: (data.author as TimelineItem['author'] | undefined) ?? null,
    text: textOf(data.text),
    automationId: textOf(data.automationId),
    changes: hasChanges ? changesOf(row, data) : [],
  };
}

/** Everything before the number of the first event there could be. */
const NEWEST = Number.MAX_SAFE_INTEGER;

/** What happened to a contact, the newest first, as far as its events are stored. */
export async function readTimeline(
  db: TenantReader,
  contactId: string,
  { cursor, limit: given = String(DEFAULT_LIMIT) }: TimelineQuery,
  { channelIds }: Principal,
): Promise<TimelinePage> {
  const limit = Number(given);
  if (limit < 1 || limit > maxTimelineItems)
    throw invalidParam('limit', 'custom', `Must be from 1 to ${maxTimelineItems}`);
  const contact = await requireContact(db, contactId);
  const rows = await db.all(eventsOfContact, [
    contact.id,
    cursor ? Number(cursor) : NEWEST,
    limit + 1,
    [...timelineTypes],
    channelIds ? [...channelIds] : null,
  ]);
  const page = rows.slice(0, limit);
  return {
    data: page.map(presentItem),
    pagination: { limit, nextCursor: rows.length > limit ? String(page.at(-1)?.sequence) : null },
  };
}
