import { type Chat, getChat } from '@parley/sdk';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { client, queryClient } from '../../api/api.ts';
import { statusOf } from '../../api/errors.ts';
import { type ListData, mapPages } from '../../api/lists.ts';
import { changeLists, readAfterwards } from '../../api/read-afterwards.ts';
import type { InboxView } from './views.ts';

export type ChatPages = ListData<Chat>;

export const CHAT_LISTS = ['chats', 'list'] as const;
export const CHAT_COUNTS = ['chats', 'counts'] as const;
export const chatListKey = ({ id, query, sortBy }: InboxView, search: string) =>
  [...CHAT_LISTS, id, query ?? '', sortBy, search] as const;
export const chatKey = (chatId: string) => ['chats', 'one', chatId] as const;

/** The views that are or were shown, by their ids: the cache knows only keys. */
const knownViews = new Map<string, InboxView>();
export function rememberView(view: InboxView): void {
  knownViews.set(view.id, view);
}

const REFRESH_MS = 1_000;
const timers = new Map<string, ReturnType<typeof setTimeout>>();
/** Does something at once, and again at most once a second. */
function throttle(name: string, work: () => void): void {
  if (timers.has(name)) {
    again.add(name);
    return;
  }
  work();
  timers.set(
    name,
    setTimeout(() => {
      timers.delete(name);
      if (again.delete(name)) throttle(name, work);
    }, REFRESH_MS),
  );
}
const again = new Set<string>();

const refreshCounts = (cache: QueryClient = queryClient): void =>
  throttle('counts', () => void cache.invalidateQueries({ queryKey: CHAT_COUNTS }));

/** The list with the chat where it belongs now; the same list if nothing changes. */
function placeChat(pages: ChatPages, view: InboxView, chat: Chat): ChatPages {
  const all = pages.pages.flatMap(({ items }) => items);
  const old = all.find(({ id }) => id === chat.id);
  const belongs = view.belongs?.(chat) ?? old !== undefined;
  if (!belongs) return old ? mapPages(pages, (items) => items.filter(({ id }) => id !== chat.id)) : pages;
  // What somebody does with a chat leaves it where it is; a new message moves it.
  const stays =
    old !== undefined &&
    (old.latestMessage?.id === chat.latestMessage?.id || view.belongs === undefined) &&
    old.waitingSince === chat.waitingSince &&
    old.snoozedUntil === chat.snoozedUntil;
  if (stays) return mapPages(pages, (items) => items.map((item) => (item.id === chat.id ? chat : item)));
  const others = all.filter(({ id }) => id !== chat.id);
  const found = others.findIndex((other) => view.compare(chat, other) <= 0);
  const next = found < 0 ? undefined : others[found]?.id;
  const isComplete = pages.pages.at(-1)?.pagination.nextCursor === null;
  const lastPage = pages.pages.length - 1;
  return mapPages(pages, (items, index) => {
    const rest = items.filter(({ id }) => id !== chat.id);
    const position = rest.findIndex(({ id }) => id === next);
    if (next !== undefined && position >= 0)
      return [...rest.slice(0, position), chat, ...rest.slice(position)];
    return next === undefined && isComplete && index === lastPage ? [...rest, chat] : rest;
  });
}

const isOlder = (chat: Chat, than: Chat | undefined): boolean =>
  than !== undefined && chat.updatedAt < than.updatedAt;

/** Puts a chat as it is now into everything that shows it. `isGuess`: the server has not confirmed it. */
export function storeChat(chat: Chat, { isGuess = false } = {}): void {
  const known = queryClient.getQueryData<Chat>(chatKey(chat.id));
  if (!isGuess && isOlder(chat, known)) return;
  // What is being read may be from before.
  void queryClient.cancelQueries({ queryKey: chatKey(chat.id), exact: true });
  queryClient.setQueryData(chatKey(chat.id), chat);
  for (const [key] of queryClient.getQueriesData<ChatPages>({ queryKey: CHAT_LISTS })) {
    if (!isGuess) readAfterwards(key, () => placeInList(key, findCachedChat(chat.id) ?? chat));
    const view = placeInList(key, chat);
    // Only the server knows whether a chat belongs to a saved filter.
    if (view && !view.belongs && !isGuess)
      throttle(JSON.stringify(key), () => void queryClient.invalidateQueries({ queryKey: key }));
  }
  refreshCounts();
}

/** Puts a part of a chat that the server has confirmed into everything that shows it. If the whole is being read, it is read again. */
export function storePart(chat: Chat, part: Partial<Chat>): void {
  const isBeingRead = queryClient.isFetching({ queryKey: chatKey(chat.id), exact: true }) > 0;
  storeChat({ ...chat, ...part });
  if (isBeingRead) refreshChat(chat.id);
}

/** Returns the view of the list; undefined if it was not read yet. */
function placeInList(key: QueryKey, chat: Chat): InboxView | undefined {
  const view = knownViews.get(String(key[2]));
  const pages = queryClient.getQueryData<ChatPages>(key);
  if (!pages || !view) return undefined;
  const next = placeChat(pages, view, chat);
  if (next !== pages) queryClient.setQueryData(key, next);
  return view;
}

/** The chat as it was last read, if it was. */
export function findCachedChat(chatId: string): Chat | undefined {
  const one = queryClient.getQueryData<Chat>(chatKey(chatId));
  if (one) return one;
  for (const [, pages] of queryClient.getQueriesData<ChatPages>({ queryKey: CHAT_LISTS })) {
    const found = pages?.pages.flatMap(({ items }) => items).find(({ id }) => id === chatId);
    if (found) return found;
  }
  return undefined;
}

export function removeChat(chatId: string): void {
  changeLists<Chat>(queryClient, CHAT_LISTS, (chats) => chats.filter(({ id }) => id !== chatId));
  void queryClient.invalidateQueries({ queryKey: chatKey(chatId) });
  refreshCounts();
}

const COALESCE_MS = 60;
const refreshing = new Set<string>();
/** Reads a chat again. Events of messages say nothing about what they change in the chat. */
export function refreshChat(chatId: string): void {
  if (refreshing.has(chatId)) return;
  refreshing.add(chatId);
  setTimeout(async () => {
    refreshing.delete(chatId);
    try {
      storeChat(await getChat(client, { path: { chatId } }));
    } catch (error) {
      if (statusOf(error) === 404) removeChat(chatId);
    }
  }, COALESCE_MS);
}
