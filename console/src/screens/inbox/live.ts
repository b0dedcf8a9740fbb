import type { Chat, Contact, Message, Note, ResourceDeletedEvent, StreamEvent } from '@parley/sdk';
import { queryClient } from '../../api/api.ts';
import { contactKey } from '../../api/contacts.ts';
import { addPatch } from '../../live/patches.ts';
import {
  CHAT_LISTS,
  type ChatPages,
  findCachedChat,
  refreshChat,
  removeChat,
  storeChat,
  storePart,
} from './chat-cache.ts';
import { withhold } from './outgoing.ts';
import { removeMessage, removeNote, storeMessage, storeNote } from './thread-cache.ts';

const dataOf = <T>(event: StreamEvent): T => event.data as unknown as T;

/** The contact of all chats that are shown changed. */
function storeContact(contact: Contact): void {
  const chats = queryClient
    .getQueriesData<ChatPages>({ queryKey: CHAT_LISTS })
    .flatMap(([, pages]) => pages?.pages.flatMap(({ items }) => items) ?? []);
  const ids = new Set([...chats.map(({ id }) => id), ...contact.chats.map(({ id }) => id)]);
  for (const id of ids) {
    const chat = findCachedChat(id);
    if (chat?.contactId === contact.id) storePart(chat, { contact });
  }
  void queryClient.invalidateQueries({ queryKey: contactKey(contact.id) });
}

addPatch(['message.*'], (event) => {
  const message = dataOf<Message>(event);
  // One that a customer takes back leaves a trace; one that was never sent does not.
  if (event.type === 'message.deleted' && message.status === 'queued') removeMessage(message);
  else if (!withhold(message)) storeMessage(message);
  refreshChat(message.chatId);
});
addPatch(['chat.created', 'chat.status_changed', 'chat.assigned', 'chat.read', 'chat.updated'], (event) => {
  const chat = dataOf<Chat>(event);
  // Events of sensitive chats leave texts out.
  if (chat.isSensitive) refreshChat(chat.id);
  else storeChat(chat);
});
addPatch(['chat.deleted'], (event) => removeChat(dataOf<Chat>(event).id));
addPatch(['note.created', 'note.updated'], (event) => storeNote(dataOf<Note>(event)));
addPatch(['note.deleted'], (event) => removeNote(dataOf<Note>(event)));
addPatch(
  [
    'contact.updated',
    'contact.labels_added',
    'contact.labels_removed',
    'contact.unsubscribed',
    'contact.subscribed',
  ],
  (event) => storeContact(dataOf<Contact>(event)),
);
const readAllChats = (): void => void queryClient.invalidateQueries({ queryKey: ['chats'] });
addPatch(['contact.merged', 'contact.deleted'], readAllChats);
// With a channel go its chats.
addPatch(['resource.deleted'], (event) => {
  if (dataOf<ResourceDeletedEvent['data']>(event).resource === 'channel') readAllChats();
});
