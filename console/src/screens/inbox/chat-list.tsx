import type { Chat } from '@parley/sdk';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { useText } from '../../i18n/i18n.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState, ErrorNotice, Skeleton } from '../../ui/notices.tsx';
import styles from './chat-list.module.css';
import { ChatRow, ROW_HEIGHT } from './chat-row.tsx';
import { useChannels, type useChatList, useTeams, useUsers } from './data.ts';
import type { Selection } from './selection.ts';
import { isBuiltIn } from './views.ts';

/** Rows that are loaded before they are reached. */
const AHEAD = 20;

export interface ListHandle {
  /** Shows the row with this index. */
  show(index: number): void;
}

interface ChatListProps {
  list: ReturnType<typeof useChatList>;
  viewId: string;
  text: string;
  shownId: string | undefined;
  /** The part of the address after `?`, which stays when a chat is opened. */
  search: Record<string, unknown>;
  selection: Selection | undefined;
  handle: RefObject<ListHandle | null>;
}

/** Names of users and teams, and kinds of channels, by their ids. */
function useNames() {
  const users = new Map(useUsers().data?.map(({ id, name }) => [id, name]));
  const teams = new Map(useTeams().data?.map(({ id, name }) => [id, name]));
  const kinds = new Map(useChannels().data?.map(({ id, kind }) => [id, kind]));
  return {
    assigneeOf: ({ assignedUserId, assignedTeamId }: Chat): string | undefined =>
      users.get(assignedUserId ?? '') ?? teams.get(assignedTeamId ?? ''),
    kindOf: ({ channelId }: Chat): string | undefined => kinds.get(channelId),
  };
}

/** The list scrolls as one, however many chats there are: only rows that are seen exist. */
export function ChatList({ list, viewId, text, shownId, search, selection, handle }: ChatListProps) {
  const { chats, hasNextPage, isFetchingNextPage, fetchNextPage, error, refetch } = list;
  const names = useNames();
  const isSelecting = selection !== undefined && selection.ids.size > 0;
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useRef<VirtualizerHandle>(null);
  handle.current = { show: (index) => rows.current?.scrollToIndex(index, { align: 'nearest' }) };
  useStableScroll(scroller, chats);

  const count = chats?.length ?? 0;
  const loadMore = (): void => {
    const element = scroller.current;
    if (!element || !hasNextPage || isFetchingNextPage || error) return;
    const last = (element.scrollTop + element.clientHeight) / ROW_HEIGHT;
    if (last + AHEAD >= count) void fetchNextPage();
  };
  // Also without scrolling: events may have taken most rows away.
  useEffect(loadMore);

  if (!chats)
    return error ? (
      <div className={styles.notice}>
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      </div>
    ) : (
      <div className={styles.notice}>
        <Skeleton lines={9} />
      </div>
    );
  if (count === 0 && !hasNextPage)
    return (
      <div className={styles.scroller}>
        <EmptyList viewId={viewId} text={text} />
      </div>
    );
  return (
    <div ref={scroller} className={classes(styles.scroller, isSelecting && styles.selecting)}>
      <Virtualizer
        ref={rows}
        as="ul"
        item="li"
        itemSize={ROW_HEIGHT}
        scrollRef={scroller}
        onScroll={loadMore}
        data={chats}
      >
        {(chat) => (
          <ChatRow
            key={chat.id}
            chat={chat}
            isShown={chat.id === shownId}
            kind={names.kindOf(chat)}
            assignee={names.assigneeOf(chat)}
            search={search}
            selection={selection}
          />
        )}
      </Virtualizer>
      {isFetchingNextPage && (
        <div className={styles.notice}>
          <Skeleton lines={2} />
        </div>
      )}
      {error ? (
        <div className={styles.notice}>
          <ErrorNotice error={error} onRetry={() => void fetchNextPage()} />
        </div>
      ) : null}
    </div>
  );
}

/** The rows that somebody looks at stay where they are when others come or go above them. At the top the newest is shown. */
function useStableScroll(
  scroller: RefObject<HTMLDivElement | null>,
  chats: readonly Chat[] | undefined,
): void {
  const before = useRef<readonly Chat[]>([]);
  useLayoutEffect(() => {
    const element = scroller.current;
    const old = before.current;
    before.current = chats ?? [];
    if (!element || !chats || element.scrollTop === 0 || old === chats) return;
    const first = Math.floor(element.scrollTop / ROW_HEIGHT);
    const anchor = old.slice(first).find(({ id }) => chats.some((chat) => chat.id === id));
    if (!anchor) return;
    const moved = chats.findIndex(({ id }) => id === anchor.id) - old.indexOf(anchor);
    if (moved !== 0) element.scrollTop += moved * ROW_HEIGHT;
  }, [chats, scroller]);
}

function EmptyList({ viewId, text }: { viewId: string; text: string }) {
  const t = useText();
  if (text !== '')
    return (
      <EmptyState icon="search" title={t('inbox.nothingFound')}>
        {t('inbox.nothingFoundText', { text })}
      </EmptyState>
    );
  const view = isBuiltIn(viewId) ? viewId : 'saved';
  return (
    <EmptyState icon={view === 'open' ? 'inbox' : 'check'} title={t(`inbox.empty.${view}`)}>
      {t(`inbox.emptyText.${view}`)}
    </EmptyState>
  );
}
