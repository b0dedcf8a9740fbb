import {
  type Channel,
  type Chat,
  countChats,
  getChat,
  type Message,
  type Note,
  type Page,
  searchChannels,
  searchChatMessages,
  searchChats,
  searchLabels,
  searchNotes,
  searchSavedReplies,
  searchTeams,
  searchUsers,
  searchViews,
} from '@parley/sdk';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { client, useRead } from '../../api/api.ts';
import { useAll } from '../../api/lists.ts';
import { useWorkspace } from '../../api/session.tsx';
import { CHAT_COUNTS, chatKey, chatListKey, findCachedChat } from './chat-cache.ts';
import { messagesKey, notesKey } from './thread-cache.ts';
import { BUILT_IN, builtInView, type InboxView } from './views.ts';

const CHATS_PER_PAGE = 50;
const MESSAGES_AT_FIRST = 40;
const MESSAGES_PER_PAGE = 100;
const NOTES_PER_PAGE = 100;
/** How many views the API counts in one request, and how many are counted at all. */
const COUNTS_AT_ONCE = 20;
const COUNTED = 100;

const nextCursorOf = ({ pagination }: Page<unknown>): string | undefined =>
  pagination.nextCursor ?? undefined;
const pageAfter = (limit: number, cursor: string | undefined) => ({
  limit,
  withTotal: false,
  ...(cursor === undefined ? {} : { cursor }),
});

/** The chats of a view, page by page. */
export function useChatList(view: InboxView, search: string, enabled: boolean) {
  const query = useInfiniteQuery({
    enabled,
    queryKey: chatListKey(view, search),
    queryFn: ({ pageParam, signal }) =>
      searchChats(client, {
        body: {
          ...(view.query === undefined ? {} : { query: view.query }),
          sortBy: view.sortBy,
          ...(search === '' ? {} : { search }),
          pagination: pageAfter(CHATS_PER_PAGE, pageParam),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursorOf,
    ...(search === '' ? {} : { placeholderData: keepPreviousData }),
  });
  return { ...query, chats: query.data?.pages.flatMap(({ items }) => items) };
}

/** The messages of a chat, the newest page first. */
export const useMessages = (chatId: string) =>
  useInfiniteQuery({
    queryKey: messagesKey(chatId),
    queryFn: ({ pageParam, signal }): Promise<Page<Message>> =>
      searchChatMessages(client, {
        path: { chatId },
        body: {
          sortBy: 'desc(createdAt)',
          pagination: pageAfter(pageParam === undefined ? MESSAGES_AT_FIRST : MESSAGES_PER_PAGE, pageParam),
        },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursorOf,
  });

export const useNotes = (chatId: string) =>
  useInfiniteQuery({
    queryKey: notesKey(chatId),
    queryFn: ({ pageParam, signal }): Promise<Page<Note>> =>
      searchNotes(client, {
        path: { chatId },
        body: { sortBy: 'desc(createdAt)', pagination: pageAfter(NOTES_PER_PAGE, pageParam) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursorOf,
  });

/** One chat; what a list knows about it is shown until it is read. */
export function useChat(chatId: string): { chat: Chat | undefined; error: unknown; refetch(): unknown } {
  const query = useRead(chatKey(chatId), (signal) => getChat(client, { path: { chatId }, signal }));
  return { chat: query.data ?? findCachedChat(chatId), error: query.error, refetch: query.refetch };
}

/** Of every view: how many chats, and how many of them are unread. */
export function useCounts(saved: readonly InboxView[]) {
  const { userId } = useWorkspace().membership;
  const views = [...BUILT_IN.map((id) => builtInView(id, userId)), ...saved].slice(0, COUNTED);
  const query = useRead(
    [...CHAT_COUNTS, ...views.map(({ id, query }) => `${id} ${query}`)],
    async (signal) => {
      const asked = views.map(({ id, query }) => ({ key: id, ...(query === undefined ? {} : { query }) }));
      const parts = Array.from({ length: Math.ceil(asked.length / COUNTS_AT_ONCE) }, (_, index) =>
        asked.slice(index * COUNTS_AT_ONCE, (index + 1) * COUNTS_AT_ONCE),
      );
      const counts = await Promise.all(
        parts.map((part) => countChats(client, { body: { views: part }, signal })),
      );
      return counts.flat();
    },
    { keepsPrevious: true },
  );
  return new Map(query.data?.map((count) => [count.key, count]));
}

export const useViews = () => useAll(['views'], searchViews);
export const useUsers = () => useAll(['users'], searchUsers);
export const useTeams = () => useAll(['teams'], searchTeams);
export const useLabels = () => useAll(['labels'], searchLabels);
export const useChannels = () => useAll(['channels'], searchChannels);
export const useSavedReplies = () =>
  useAll(['savedReplies'], searchSavedReplies, { sortBy: 'asc(shortcut)' });

export function useChannel(channelId: string): Channel | undefined {
  return useChannels().data?.find(({ id }) => id === channelId);
}
