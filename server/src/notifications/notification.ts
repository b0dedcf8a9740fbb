import { invalidParam } from '../base/errors.ts';
import { type PersonFacts, personFacts, presentPerson } from '../contacts/contact.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { meOf, type Principal } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { type Notification, type NotificationType, notificationTypes } from './schema.ts';

interface NotificationRow {
  id: string;
  type: NotificationType;
  chat_id: string;
  channel_id: string;
  contact_id: string;
  person: PersonFacts;
  caused_by_id: string | null;
  caused_by_name: string | null;
  team_id: string | null;
  note_id: string | null;
  message_id: string | null;
  count: number;
  read_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `n.id, n.type, n.chat_id, k.channel_id, k.contact_id, ${personFacts('k.contact_id', 'k.handle_id')} as person,
  a.id as caused_by_id, a.name as caused_by_name, n.team_id, n.note_id, n.message_id, n.count, n.read_at, n.created_at, n.updated_at`;
/** What is about a deleted chat is not shown; neither is a user who is gone. */
const FROM = `notifications n join visible_chats k on k.id = n.chat_id and (k.tenant_id = n.tenant_id) is true
  left join users a on a.id = n.caused_by_id and (a.tenant_id = n.tenant_id) is true`;

export const presentNotification = (row: NotificationRow): Notification => {
  const { id, displayName } = presentPerson(row.contact_id, row.person).contact;
  return {
    id: row.id,
    type: row.type,
    chatId: row.chat_id,
    channelId: row.channel_id,
    contact: { id, displayName },
    causedBy: row.caused_by_id === null ? null : { id: row.caused_by_id, name: row.caused_by_name as string },
    teamId: row.team_id,
    noteId: row.note_id,
    messageId: row.message_id,
    count: row.count,
    isRead: row.read_at !== null,
    readAt: timestampOrNull(row.read_at),
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  };
};

export const notificationFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'n.id' },
    type: { type: 'enum', sql: 'n.type', values: notificationTypes },
    chatId: { type: 'uuid', sql: 'n.chat_id' },
    channelId: { type: 'uuid', sql: 'k.channel_id' },
    teamId: { type: 'uuid', sql: 'n.team_id', nullable: true },
    noteId: { type: 'uuid', sql: 'n.note_id', nullable: true },
    messageId: { type: 'uuid', sql: 'n.message_id', nullable: true },
    count: { type: 'number', sql: 'n.count' },
    isRead: { type: 'boolean', sql: 'n.read_at is not null' },
    readAt: { type: 'time', sql: 'n.read_at', nullable: true },
    createdAt: { type: 'time', sql: 'n.created_at' },
    updatedAt: { type: 'time', sql: 'n.updated_at' },
  },
  names: ['n.type'],
  id: 'n.id',
};

/** The notifications of the caller. A token has none. */
export const notificationSource = (principal: Principal): SearchSource => ({
  select: COLUMNS,
  from: FROM,
  tenantColumn: 'n.tenant_id',
  where: (bind) => `n.user_id = ${bind(userOf(principal))}::uuid`,
  inChannels: (ids) => `k.channel_id = any (${ids})`,
  countCap: 10_000,
});

const userOf = (principal: Principal): string | null => meOf(principal)?.userId ?? null;
/** What a caller sees who is restricted to channels; null for all. */
const channelsOf = ({ channelIds }: Principal): string[] | null => (channelIds ? [...channelIds] : null);

const byIds = statement<[ids: string[]], NotificationRow>(
  'notifications.by_ids',
  `select ${COLUMNS} from ${FROM} where n.id = any ($1::uuid[]) and n.tenant_id = $tenant`,
);
const countUnread = statement<[userId: string | null, channelIds: string[] | null], { count: number }>(
  'notifications.count_unread',
  `select count(*)::int as count from notifications n
     join visible_chats k on k.id = n.chat_id and (k.tenant_id = n.tenant_id) is true
    where n.user_id = $1 and n.tenant_id = $tenant and n.read_at is null
      and ($2::uuid[] is null or k.channel_id = any ($2))`,
);
const markRead = statement<[userId: string | null, ids: string[] | null, now: Date]>(
  'notifications.mark_read',
  // In the order of ids, so that two requests never wait for each other in a circle.
  `with own as (
     select id from notifications where user_id = $1 and tenant_id = $tenant and read_at is null
        and ($2::uuid[] is null or id = any ($2)) order by id for no key update)
   update notifications n set read_at = $3 from own where n.id = own.id and n.tenant_id = $tenant`,
);
const sweep = systemStatement<[before: Date, limit: number]>(
  'notifications.sweep',
  `delete from notifications where ctid = any (array(
     select ctid from notifications where updated_at < $1 order by updated_at limit $2))`,
);

/** How many notifications of the caller are unread. */
export const countUnreadOf = async (reader: TenantReader, principal: Principal): Promise<number> =>
  (await reader.find(countUnread, [userOf(principal), channelsOf(principal)]))?.count ?? 0;

/** Marks notifications of the caller as read. Ids of others, and of what is gone, are ignored. */
export async function readNotifications(
  tx: TenantTx,
  { ids, all }: { ids?: string[]; all?: true },
  principal: Principal,
): Promise<{ unreadCount: number }> {
  if ((ids === undefined) === (all === undefined))
    throw invalidParam(ids ? 'all' : 'ids', 'custom', 'Give either ids or all');
  await tx.run(markRead, [userOf(principal), ids ?? null, tx.now]);
  return { unreadCount: await countUnreadOf(tx, principal) };
}

/** The data of `notification.created`, by the ids of notifications. */
export async function loadNotifications(
  reader: TenantReader,
  ids: string[],
): Promise<ReadonlyMap<string, Notification>> {
  const rows = await reader.all(byIds, [ids]);
  return new Map(rows.map((row) => [row.id, presentNotification(row)]));
}

const ROWS_PER_DELETE = 10_000;

/** Deletes notifications about which nothing happened since. */
export async function sweepNotifications(db: Queryable, before: Date): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await db.run(sweep, [before, ROWS_PER_DELETE]);
    deleted += count;
    if (count < ROWS_PER_DELETE) return deleted;
  }
}
