import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { changeChats, OF_IDS, requireChanged } from './change-chat.ts';
import type { Chat } from './schema.ts';
import { queueReadReceipts } from './tasks.ts';

const updateRead = statement<[ids: string[], markedUnread: boolean, now: Date]>(
  'chats.update_read',
  `update visible_chats set marked_unread = $2, unread_count = case when $2 then unread_count else 0 end,
          read_at = case when $2 then read_at else $3 end, updated_at = $3 ${OF_IDS}`,
);

/** Marks chats as read, or manually as unread. If a person reads them, the vendor may show the contacts that. */
export const setChatsRead = (
  tx: TenantTx,
  chatIds: readonly string[],
  isUnread: boolean,
  by: 'person' | 'api',
): Promise<string[]> =>
  changeChats(tx, chatIds, {
    event: 'chat.read',
    isChange: (chat) => (chat.marked_unread || chat.unread_count > 0) !== isUnread,
    write: (chats, ids) => {
      if (by === 'person' && !isUnread) queueReadReceipts(tx, chats);
      tx.enqueue(updateRead, [ids, isUnread, tx.now]);
    },
  });

export const setChatRead = async (
  tx: TenantTx,
  chatId: string,
  isUnread: boolean,
  by: 'person' | 'api',
): Promise<Chat> => requireChanged(tx, await setChatsRead(tx, [chatId], isUnread, by));
