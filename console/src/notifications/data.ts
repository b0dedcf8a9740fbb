import { type Notification, readNotifications, searchNotifications } from '@parley/sdk';
import { useEffect } from 'react';
import { client, queryClient, useRead } from '../api/api.ts';
import { readAfterwards } from '../api/read-afterwards.ts';
import { addPatch } from '../live/patches.ts';

type Notifications = Awaited<ReturnType<typeof searchNotifications>>;

const KEY = ['notifications'] as const;
/** The newest; what is older counts, and is marked with all others. */
const SHOWN = 100;

export const useNotifications = ({ enabled = true } = {}) =>
  useRead(
    KEY,
    (signal) =>
      searchNotifications(client, {
        body: { sortBy: 'desc(updatedAt)', pagination: { limit: SHOWN } },
        signal,
      }),
    { enabled },
  );

export const refreshNotifications = (): void => void queryClient.invalidateQueries({ queryKey: KEY });

function change(next: (data: Notifications) => Notifications): void {
  readAfterwards(KEY, () => {});
  queryClient.setQueryData<Notifications>(KEY, (data) => data && next(data));
}

addPatch(['notification.created'], (event) => {
  const notification = event.data as unknown as Notification;
  change((data) => {
    // What was read just now may have it already. One that counts more than one thing was unread before.
    const isCounted =
      notification.count > 1 || data.items.some(({ id, isRead }) => id === notification.id && !isRead);
    return {
      ...data,
      items: [notification, ...data.items.filter(({ id }) => id !== notification.id)].slice(0, SHOWN),
      unreadCount: data.unreadCount + (isCounted ? 0 : 1),
    };
  });
});

/** Marks notifications, or all, as read: here at once, and on the server. */
export async function markNotifications(which: readonly Notification[] | 'all'): Promise<void> {
  const unread = which === 'all' ? which : which.filter(({ isRead }) => !isRead);
  if (unread.length === 0) return;
  const ids = unread === 'all' ? undefined : unread.map(({ id }) => id);
  const readAt = new Date().toISOString();
  change((data) => ({
    ...data,
    items: data.items.map((item) =>
      item.isRead || (ids && !ids.includes(item.id)) ? item : { ...item, isRead: true, readAt },
    ),
    unreadCount: ids ? Math.max(0, data.unreadCount - ids.length) : 0,
  }));
  const shown = queryClient.getQueryData(KEY);
  try {
    const { unreadCount } = await readNotifications(client, { body: ids ? { ids } : { all: true } });
    // Nobody knows whether the answer counts what has come meanwhile.
    if (queryClient.getQueryData(KEY) === shown) change((data) => ({ ...data, unreadCount }));
    else refreshNotifications();
  } catch {
    refreshNotifications();
  }
}

/** Who looks at a chat has read what its notifications tell. */
export function useReadNotifications(chatId: string): void {
  const items = useNotifications().data?.items;
  useEffect(() => {
    const read = (): void => {
      if (document.visibilityState === 'visible')
        void markNotifications(items?.filter((item) => item.chatId === chatId) ?? []);
    };
    read();
    document.addEventListener('visibilitychange', read);
    return () => document.removeEventListener('visibilitychange', read);
  }, [items, chatId]);
}
