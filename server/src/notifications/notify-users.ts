import { newId } from '../base/ids.ts';
import { type ParameterOf, type RowOf, rowSet } from '../db/rows.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { PublishedEvent } from '../engine/outbox.ts';
import type { Consequences } from '../engine/sequencer.ts';
import type { NotificationType } from './schema.ts';

/** Why somebody is notified: users, members of teams, or, with neither, the user to whom the chat is assigned. */
const causes = rowSet({
  event_id: 'uuid',
  type: 'text',
  chat_id: 'uuid',
  user_id: 'uuid?',
  team_id: 'uuid?',
  note_id: 'uuid?',
  message_id: 'uuid?',
  caused_by_id: 'uuid?',
});
type Cause = RowOf<typeof causes>;

interface Target {
  event_id: string;
  type: NotificationType;
  chat_id: string;
  channel_id: string;
  user_id: string;
  team_id: string | null;
  note_id: string | null;
  message_id: string | null;
  caused_by_id: string | null;
}

const findTargets = statement<[causes: ParameterOf<typeof causes>], Target>(
  'notifications.find_targets',
  // Users who are being deleted at this moment are skipped: numbering waits for no row. Others cannot be deleted until it ends.
  // The tenant is compared with `is true`, which no index can serve: one would lead to all rows of the tenant.
  `with cause as (select * from ${causes.fromNumbered(1, 'c')}),
   reached as (
     select c.*, c.user_id as reached_id from cause c where c.user_id is not null
     union all
     select c.*, m.user_id from cause c
       join team_members m on m.team_id = c.team_id and (m.tenant_id = $tenant) is true
     union all
     select c.*, k.assigned_user_id from cause c
       join visible_chats k on k.id = c.chat_id and (k.tenant_id = $tenant) is true
      where c.user_id is null and c.team_id is null),
   known as (
     select u.id, u.access = 'teams' and u.role in ('agent', 'viewer') as is_restricted from users u
      where u.id = any (array(select reached_id from reached)) and (u.tenant_id = $tenant) is true
        and u.person_id is not null
      order by u.id for key share skip locked)
   select r.event_id, r.type, r.chat_id, k.channel_id, r.reached_id as user_id, r.team_id, r.note_id,
          case when r.type = 'message_received' then k.latest_message_id else r.message_id end as message_id, r.caused_by_id
     from reached r join known u on u.id = r.reached_id
     join visible_chats k on k.id = r.chat_id and (k.tenant_id = $tenant) is true
    where r.reached_id is distinct from r.caused_by_id
      and (not u.is_restricted or exists (
        select 1 from team_members m join team_channels tc on tc.team_id = m.team_id
         where m.user_id = u.id and (m.tenant_id = $tenant) is true and tc.channel_id = k.channel_id))
    order by r.number`,
);
const lockUnread = statement<
  [userIds: string[], chatIds: string[], types: string[]],
  { id: string; user_id: string; chat_id: string; type: string }
>(
  'notifications.lock_unread',
  // One that its user marks as read at this moment is skipped; a new one follows it.
  `select n.id, n.user_id, n.chat_id, n.type
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as t (user_id, chat_id, type)
     join notifications n on n.user_id = t.user_id and n.chat_id = t.chat_id and n.type = t.type
    where n.read_at is null and (n.tenant_id = $tenant) is true
    order by n.id for no key update of n skip locked`,
);

const stored = rowSet({
  id: 'uuid',
  user_id: 'uuid',
  type: 'text',
  chat_id: 'uuid',
  team_id: 'uuid?',
  note_id: 'uuid?',
  message_id: 'uuid?',
  caused_by_id: 'uuid?',
  event_id: 'uuid',
  count: 'int',
});
const insertRows = statement<[rows: ParameterOf<typeof stored>, now: Date]>(
  'notifications.insert',
  `insert into notifications (id, tenant_id, user_id, type, chat_id, team_id, note_id, message_id, caused_by_id, event_id, count,
                              created_at, updated_at)
   select r.id, $tenant, r.user_id, r.type, r.chat_id, r.team_id, r.note_id, r.message_id, r.caused_by_id, r.event_id, r.count,
          $2, $2
     from ${stored.from(1, 'r')}`,
);
const updateRows = statement<[rows: ParameterOf<typeof stored>, now: Date]>(
  'notifications.repeat',
  `update notifications n set count = n.count + r.count, team_id = r.team_id, note_id = r.note_id, message_id = r.message_id,
          caused_by_id = r.caused_by_id, event_id = r.event_id, updated_at = $2
     from ${stored.from(1, 'r')} where n.id = r.id and n.tenant_id = $tenant`,
);

/** What events say about why somebody is to be notified. Never sent to clients. */
interface Facts {
  /** The user who did it. */
  causedById?: string;
  mentions?: { noteId: string; userIds: string[]; teamIds: string[] };
  /** To whom a chat was assigned that was not assigned there before. */
  assigned?: { userId: string | null; teamId: string | null };
  isSnoozeEnd?: boolean;
  /** Nobody was assigned to the chat when the contact wrote. */
  isUnassigned?: boolean;
  /** The message of a user that failed. */
  failed?: { userId: string; messageId: string };
}

/** Who is to be notified of an event. */
function causesOf({ id, type, chat_id, facts }: PublishedEvent): Cause[] {
  if (chat_id === null) return [];
  const { causedById, mentions, assigned, isSnoozeEnd, isUnassigned, failed } = (facts ?? {}) as Facts;
  const cause = (kind: NotificationType, more: Partial<Cause>): Cause => ({
    event_id: id,
    type: kind,
    chat_id,
    user_id: null,
    team_id: null,
    note_id: null,
    message_id: null,
    caused_by_id: causedById ?? null,
    ...more,
  });
  switch (type) {
    case 'message.received':
      return isUnassigned ? [] : [cause('message_received', {})];
    case 'note.created':
    case 'note.updated': {
      if (!mentions) return [];
      const { noteId, userIds, teamIds } = mentions;
      return [
        ...userIds.map((user_id) => cause('mentioned', { user_id, note_id: noteId })),
        ...teamIds.map((team_id) => cause('mentioned', { team_id, note_id: noteId })),
      ];
    }
    case 'chat.assigned':
      return [
        ...(assigned?.userId ? [cause('assigned', { user_id: assigned.userId })] : []),
        ...(assigned?.teamId ? [cause('assigned', { team_id: assigned.teamId })] : []),
      ];
    case 'chat.status_changed':
      return isSnoozeEnd ? [cause('snooze_ended', {})] : [];
    case 'message.failed':
      return failed
        ? [cause('message_failed', { user_id: failed.userId, message_id: failed.messageId })]
        : [];
    default:
      return [];
  }
}

const keyOf = ({ user_id, chat_id, type }: { user_id: string; chat_id: string; type: string }): string =>
  `${user_id} ${chat_id} ${type}`;

/** One target per event and user: somebody may be mentioned by name and as the member of teams. */
function uniqueTargets(targets: readonly Target[]): Target[] {
  const unique = new Map<string, Target>();
  for (const target of targets) {
    const key = `${target.event_id} ${keyOf(target)}`;
    if (!unique.has(key)) unique.set(key, target);
  }
  return [...unique.values()];
}

/**
 * Subscriber of events: notifies users of what concerns them, in the transaction that numbers the events, so once per event.
 * What happens again in a chat before the user has read of it is counted in the same notification. Nobody is notified of what
 * they did themselves, or of chats that they do not see.
 */
export async function notifyUsers(tx: TenantTx, events: PublishedEvent[]): Promise<Consequences> {
  const found = events.flatMap(causesOf);
  const targets = found.length === 0 ? [] : uniqueTargets(await tx.all(findTargets, [causes.encode(found)]));
  if (targets.length === 0) return { rows: 0, write: () => {} };
  const unread = await tx.all(lockUnread, [
    targets.map(({ user_id }) => user_id),
    targets.map(({ chat_id }) => chat_id),
    targets.map(({ type }) => type),
  ]);
  const known = new Map(unread.map((row) => [keyOf(row), row.id]));
  return { rows: targets.length, write: (sequences) => storeNotifications(tx, targets, known, sequences) };
}

function storeNotifications(
  tx: TenantTx,
  targets: readonly Target[],
  known: ReadonlyMap<string, string>,
  sequences: ReadonlyMap<string, number>,
): void {
  const rows = new Map<string, RowOf<typeof stored>>();
  const channels = new Map<string, string>();
  // In the order of the events: the last one is shown.
  for (const target of targets.filter(({ event_id }) => sequences.has(event_id))) {
    const key = keyOf(target);
    const before = rows.get(key);
    rows.set(key, {
      ...target,
      id: before?.id ?? known.get(key) ?? newId(),
      count: (before?.count ?? 0) + 1,
    });
    channels.set(key, target.channel_id);
  }
  const repeated = [...rows].filter(([key]) => known.has(key)).map(([, row]) => row);
  const created = [...rows].filter(([key]) => !known.has(key)).map(([, row]) => row);
  if (repeated.length > 0) tx.enqueue(updateRows, [stored.encode(repeated), tx.now]);
  if (created.length > 0) tx.enqueue(insertRows, [stored.encode(created), tx.now]);
  for (const [key, { id, user_id }] of rows)
    tx.announce({
      type: 'notification.created',
      channelId: channels.get(key) as string,
      toUserId: user_id,
      id,
    });
}
