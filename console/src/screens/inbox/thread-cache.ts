import { getMessage, type Message, type Note } from '@parley/sdk';
import { client, queryClient } from '../../api/api.ts';
import { type ListData, mapPages } from '../../api/lists.ts';
import { readAfterwards } from '../../api/read-afterwards.ts';

export const messagesKey = (chatId: string) => ['messages', chatId] as const;
export const notesKey = (chatId: string) => ['notes', chatId] as const;

/** Replaces an item of pages whose newest comes first, or adds it. */
function storeItem<T extends { id: string; updatedAt: string }>(key: readonly string[], item: T): void {
  readAfterwards(key, () => storeItem(key, item));
  queryClient.setQueryData<ListData<T>>(key, (data) => {
    if (!data) return data;
    const known = data.pages.flatMap(({ items }) => items).find(({ id }) => id === item.id);
    if (known && known.updatedAt > item.updatedAt) return data;
    return mapPages(data, (items, index) =>
      known ? items.map((one) => (one.id === item.id ? item : one)) : index === 0 ? [item, ...items] : items,
    );
  });
}

/** Whether the message is shown already. */
export const isStored = ({ id, chatId }: Message): boolean =>
  queryClient
    .getQueryData<ListData<Message>>(messagesKey(chatId))
    ?.pages.some(({ items }) => items.some((one) => one.id === id)) ?? false;

export function storeMessage(message: Message): void {
  if (!queryClient.getQueryState(messagesKey(message.chatId))) return;
  // Events of sensitive chats leave texts and persons out.
  if (message.contact === null)
    void getMessage(client, { path: { messageId: message.id } }).then(
      (whole) => storeItem(messagesKey(whole.chatId), whole),
      () => {},
    );
  else storeItem(messagesKey(message.chatId), message);
}

export function storeNote(note: Note): void {
  if (note.text === null) void queryClient.invalidateQueries({ queryKey: notesKey(note.chatId) });
  else storeItem(notesKey(note.chatId), note);
}

function removeItem(key: readonly string[], id: string): void {
  readAfterwards(key, () => removeItem(key, id));
  queryClient.setQueryData<ListData<{ id: string }>>(
    key,
    (data) => data && mapPages(data, (items) => items.filter((one) => one.id !== id)),
  );
}

export const removeNote = ({ id, chatId }: Note): void => removeItem(notesKey(chatId), id);
export const removeMessage = ({ id, chatId }: Message): void => removeItem(messagesKey(chatId), id);
