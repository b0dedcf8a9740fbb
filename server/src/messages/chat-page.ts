import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type PersonFacts, personFacts, presentPerson } from '../contacts/contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { isBeyondCap, rememberBeyondCap } from '../search/beyond-cap.ts';
import { getOffset, type SearchRequest } from '../search/request.ts';
import { toPagination, toUncountedPagination } from '../search/result.ts';
import type { SearchEcho, SearchPagination } from '../search/schema.ts';
import { type Key, keyTime } from '../search/sql/key.ts';
import { OWN_COLUMNS, type OwnMessageRow, presentMessageOf } from './message.ts';
import type { Message } from './schema.ts';
import { COUNT_CAP } from './search.ts';

/** A message as PostgreSQL's JSON: its times are texts. */
type JsonMessageRow = OwnMessageRow & { created_at: string };

const chatPage = statement<
  [chatId: string, limit: number, offset: number, beforeTime: string, beforeId: string, isCounted: boolean],
  { contact_id: string; person: PersonFacts; messages: JsonMessageRow[] | null; total: number | null }
>(
  'messages.chat_page',
  // The chat is compared in the order of messages_by_chat, so that no other index can serve: while the table is small, the
  // planner would read all messages of the tenant in order and keep doing so. As one JSON value a page is read and parsed
  // faster than as rows.
  `select k.contact_id, ${personFacts('k.contact_id', 'k.handle_id')} as person,
     (select json_agg(p) from (
        select ${OWN_COLUMNS} from messages m
         where m.tenant_id = $tenant and m.chat_id >= $1 and (m.chat_id, m.created_at, m.id) < ($1, $4::timestamptz, $5::uuid)
         order by m.chat_id desc, m.created_at desc, m.id desc limit $2 offset $3) p) as messages,
     case when $6::boolean then (select count(*)::int from (
        select from messages m where m.tenant_id = $tenant and m.chat_id = $1 limit ${COUNT_CAP + 1}) counted) end as total
     from visible_chats k where k.id = $1 and k.tenant_id = $tenant`,
);

/** Later than every message. */
const END: Key = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * A page of a chat's messages, the newest first, in one statement: the chat, its contact, the messages and how many there are.
 * Throws `chat_not_found` if the tenant has no chat with this id, also if it is not a UUID.
 */
export async function readChatPage(
  db: TenantReader,
  chatId: string,
  request: SearchRequest,
): Promise<{ data: Message[]; pagination: SearchPagination; query: SearchEcho }> {
  const { limit, after = END, echo, withTotal } = request;
  const [beforeTime, beforeId] = after as [string, string];
  const offset = getOffset(request);
  const isLong = isBeyondCap(chatId);
  // A page after the last one does not show how many messages there are.
  const wantsTotal = withTotal || offset > 0;
  const isCounted = wantsTotal && !isLong;
  const found = isUuid(chatId)
    ? await db.find(chatPage, [chatId, limit + 1, offset, beforeTime, beforeId, isCounted])
    : undefined;
  if (!found) throw new ApiError('chat_not_found');
  const rows = found.messages ?? [];
  const total = found.total ?? COUNT_CAP + 1;
  if (isCounted && total > COUNT_CAP) rememberBeyondCap(chatId);
  const person = presentPerson(found.contact_id, found.person);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const next = last && { key: [keyTime(last.created_at), last.id] };
  return {
    data: page.map((row) => presentMessageOf(person, row, db)),
    pagination: wantsTotal
      ? toPagination(request, next, total, COUNT_CAP)
      : toUncountedPagination(request, next, page.length),
    query: echo,
  };
}
