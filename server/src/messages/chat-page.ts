import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type PersonFacts, personFacts, presentPerson } from '../contacts/contact.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { isBeyondCap, rememberBeyondCap } from '../search/beyond-cap.ts';
import { END, type FoundPage, toFoundPage } from '../search/plain-page.ts';
import { getOffset, type SearchRequest } from '../search/request.ts';
import { OWN_COLUMNS, type OwnMessageRow, presentMessageOf } from './message.ts';
import type { Message } from './schema.ts';
import { COUNT_CAP } from './search.ts';

/** A message as PostgreSQL's JSON: its times are texts. */
type JsonMessageRow = OwnMessageRow & { created_at: string };

/** The first row is the chat, the others are messages. */
type ChatPageRow =
  | { contact_id: string; person: PersonFacts; total: number | null; message: null }
  | { contact_id: null; message: JsonMessageRow };

const chatPage = statement<
  [chatId: string, limit: number, offset: number, beforeTime: string, beforeId: string, isCounted: boolean],
  ChatPageRow
>(
  'messages.chat_page',
  // The chat is compared in the order of messages_by_chat, so that no other index can serve: while the table is small, the
  // planner would read all messages of the tenant in order and keep doing so. Each message is a JSON value of its own: a mail
  // may have 2.5 MB, and a hundred of them in one value blocked the event loop while they were parsed.
  `select k.contact_id, ${personFacts('k.contact_id', 'k.handle_id')} as person,
     case when $6::boolean then (select count(*)::int from (
        select from messages m where m.tenant_id = $tenant and m.chat_id = $1 limit ${COUNT_CAP + 1}) counted) end as total,
     null::json as message
     from visible_chats k where k.id = $1 and k.tenant_id = $tenant
   union all
   select null, null, null, to_json(p) from (
     select ${OWN_COLUMNS} from messages m
      where m.tenant_id = $tenant and m.chat_id >= $1 and (m.chat_id, m.created_at, m.id) < ($1, $4::timestamptz, $5::uuid)
      order by m.chat_id desc, m.created_at desc, m.id desc limit $2 offset $3) p`,
);

/**
 * A page of a chat's messages, the newest first, in one statement: the chat, its contact, the messages and how many there are.
 * Throws `chat_not_found` if the tenant has no chat with this id, also if it is not a UUID. It takes no longer than any other
 * request, so there is no limit on how many run at the same time: with one, they took a third longer.
 */
export async function readChatPage(
  db: TenantDatabase,
  chatId: string,
  request: SearchRequest,
): Promise<FoundPage<Message>> {
  const { limit, after = END, withTotal } = request;
  const [beforeTime, beforeId] = after as [string, string];
  const offset = getOffset(request);
  const isLong = isBeyondCap(chatId);
  // A page after the last one does not show how many messages there are.
  const wantsTotal = withTotal || offset > 0;
  const isCounted = wantsTotal && !isLong;
  const rows = isUuid(chatId)
    ? await db.all(chatPage, [chatId, limit + 1, offset, beforeTime, beforeId, isCounted])
    : [];
  const chat = rows.find((row) => row.contact_id !== null);
  if (!chat) throw new ApiError('chat_not_found');
  const total = chat.total ?? COUNT_CAP + 1;
  if (isCounted && total > COUNT_CAP) rememberBeyondCap(chatId);
  const person = presentPerson(chat.contact_id, chat.person);
  const messages = rows.flatMap(({ message }) => message ?? []);
  return toFoundPage(request, messages, wantsTotal ? total : undefined, COUNT_CAP, (row) =>
    presentMessageOf(person, row, db),
  );
}
