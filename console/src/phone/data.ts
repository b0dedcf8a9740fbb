import {
  type Channel,
  type Chat,
  getChat,
  getMessage,
  getMessageTemplate,
  getSandbox,
  getTenantSettings,
  type Message,
  searchChannels,
  searchChatMessages,
  searchChats,
  searchContacts,
} from '@parley/sdk';
import type { QueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { client, queryClient, useRead } from '../api/api.ts';
import { type ListData, mapPages, useAll, useList } from '../api/lists.ts';
import { readAfterwards } from '../api/read-afterwards.ts';
import { useScope } from '../api/session.tsx';
import { addPatch } from '../live/patches.ts';
import type { Customer } from './customer.ts';
import { forgetWritten } from './written.ts';

const CONTACTS = 20;
const CHATS = ['phone', 'chat'] as const;
const chatKey = (channelId: string, from: string) => [...CHATS, channelId, from] as const;
const messagesKey = (chatId: string) => ['phone', 'messages', chatId] as const;
export const sandboxKey = (channelId: string) => ['phone', 'sandbox', channelId] as const;

/** Whether a person may play customers. */
export const useCanPlay = (): boolean => useScope('channels:write');

/** The channels without a vendor; undefined until they are read. */
export function useSandboxes(isWanted = true): { channels: readonly Channel[] | undefined; error: unknown } {
  const { data, error } = useAll(['channels'], searchChannels, { enabled: isWanted });
  return { channels: data?.filter(isSandbox), error };
}
const isSandbox = ({ provider }: Channel): boolean => provider === 'sandbox';

/** The id of the customer's chat; null before the first message. */
export const useChatOf = ({ channelId, from }: Customer) =>
  useRead(chatKey(channelId, from), async (signal) => {
    const body = { query: `eq(channelId,"${channelId}")`, search: from, pagination: { limit: CONTACTS } };
    const { items } = await searchChats(client, { body, signal });
    return items.find(({ handle }) => handle.value === from)?.id ?? null;
  });

/** Whom a chat on a sandbox channel is with; undefined until it is read, and for others. */
export function useCustomerOf(chatId: string | undefined, isWanted: boolean): Customer | undefined {
  const { data: chat } = useRead(
    ['phone', 'customer', chatId ?? ''],
    (signal) => getChat(client, { path: { chatId: chatId as string }, signal }),
    { enabled: chatId !== undefined && isWanted },
  );
  const { data: channels } = useAll(['channels'], searchChannels, { enabled: isWanted });
  const channel = channels?.find(({ id }) => id === chat?.channelId);
  // No event says that a channel was created.
  const unknownId = channels && !channel ? chat?.channelId : undefined;
  useEffect(() => {
    if (unknownId !== undefined) void queryClient.invalidateQueries({ queryKey: ['channels'] });
  }, [unknownId]);
  return chat && channel && isSandbox(channel) ? customerOf(chat) : undefined;
}
const customerOf = ({ channelId, handle, contact }: Chat): Customer => ({
  channelId,
  from: handle.value,
  name: contact.displayName,
  contactId: contact.id,
});

/** What the business and the customer wrote, the newest first. */
export const useMessagesOf = (chatId: string) =>
  useList<Message>(
    messagesKey(chatId),
    (own, { body, signal }) => searchChatMessages(own, { path: { chatId }, body: body ?? {}, signal }),
    { sortBy: 'desc(createdAt)' },
  );

/** Contacts who can be played. */
export const usePlayable = (search: string) =>
  useRead(
    ['phone', 'contacts', search],
    (signal) =>
      searchContacts(client, {
        body: {
          ...(search === '' ? {} : { search }),
          sortBy: 'desc(updatedAt)',
          pagination: { limit: CONTACTS },
        },
        signal,
      }),
    { keepsPrevious: true },
  );

export const useSandbox = (channelId: string) =>
  useRead(sandboxKey(channelId), (signal) => getSandbox(client, { path: { channelId }, signal }));

/** A template has the buttons of the messages that were made from it. */
export const useTemplate = (messageTemplateId: string | undefined) =>
  useRead(
    ['messageTemplates', 'one', messageTemplateId ?? ''],
    (signal) =>
      getMessageTemplate(client, { path: { messageTemplateId: messageTemplateId as string }, signal }),
    { enabled: messageTemplateId !== undefined },
  );

/** Whether the tenant has a clock of its own. */
export const useIsTest = (): boolean =>
  useRead(['tenant'], (signal) => getTenantSettings(client, { signal })).data?.isTest === true;

/** The first message of a customer creates the chat. A search that is under way may have missed it. */
async function storeChat({ channelId, handle, chatId }: Message, cache: QueryClient): Promise<void> {
  if (handle === null) return;
  const queryKey = chatKey(channelId, handle.value);
  const state = cache.getQueryState(queryKey);
  if (!state || state.data === chatId) return;
  await cache.cancelQueries({ queryKey });
  cache.setQueryData(queryKey, chatId);
}

function storeMessage(message: Message, cache: QueryClient): void {
  void storeChat(message, cache);
  const queryKey = messagesKey(message.chatId);
  for (const [key] of cache.getQueriesData({ queryKey })) {
    const store = (): void =>
      void cache.setQueryData<ListData<Message>>(key, (data) => data && withMessage(data, message));
    store();
    // The answer that is on its way may be from before this message.
    readAfterwards(key, store);
  }
  if (message.vendorId !== null) forgetWritten(message.vendorId);
}

function withMessage(data: ListData<Message>, message: Message): ListData<Message> {
  const known = data.pages.flatMap(({ items }) => items).find(({ id }) => id === message.id);
  if (known && known.updatedAt > message.updatedAt) return data;
  return mapPages(data, (items, index) =>
    known
      ? items.map((one) => (one.id === message.id ? message : one))
      : index === 0
        ? [message, ...items]
        : items,
  );
}

addPatch(['message.*'], (event, cache) => {
  const message = event.data as unknown as Message;
  // Events of sensitive chats leave texts and persons out.
  if (message.contact !== null) storeMessage(message, cache);
  else if (cache.getQueriesData({ queryKey: messagesKey(message.chatId) }).length > 0)
    getMessage(client, { path: { messageId: message.id } }).then(
      (whole) => storeMessage(whole, queryClient),
      () => {},
    );
});
addPatch(['chat.deleted'], (event, cache) => {
  const { id } = event.data as unknown as Chat;
  for (const [key, chatId] of cache.getQueriesData<string | null>({ queryKey: CHATS }))
    if (chatId === id) cache.setQueryData(key, null);
});
