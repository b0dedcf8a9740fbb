import type { Chat, View } from '@parley/sdk';
import { basePath } from '../../api/client.ts';
import type { PlainKey } from '../../i18n/catalogue.ts';
import type { IconName } from '../../ui/icon.tsx';

/** A list of chats that a person can choose. */
export interface InboxView {
  id: string;
  query: string | undefined;
  sortBy: string;
  /** Whether a chat belongs to it, so that events can change the list. Unknown for saved filters and searches. */
  belongs?: (chat: Chat) => boolean;
  /** Which of two chats comes first. */
  compare: (a: Chat, b: Chat) => number;
}

export const BUILT_IN = ['open', 'mine', 'unassigned', 'waiting', 'snoozed', 'closed'] as const;
export type BuiltIn = (typeof BUILT_IN)[number];

export const VIEW_ICONS: Readonly<Record<BuiltIn, IconName>> = {
  open: 'inbox',
  mine: 'profile',
  unassigned: 'assign',
  waiting: 'clock',
  snoozed: 'event',
  closed: 'check',
};
export const titleKeyOf = (view: BuiltIn): PlainKey => `inbox.view.${view}`;
export const isBuiltIn = (id: string): id is BuiltIn => BUILT_IN.some((known) => known === id);

const byText = (a: string | null, b: string | null): number => (a ?? '~').localeCompare(b ?? '~');
const latestAt = ({ latestMessage, createdAt }: Chat): string => latestMessage?.timestamp ?? createdAt;
const newestFirst = (a: Chat, b: Chat): number => byText(latestAt(b), latestAt(a));
const NEWEST = { sortBy: 'desc(latestMessageAt)', compare: newestFirst };

/** The views that everybody has. `userId` is who looks. */
export function builtInView(id: BuiltIn, userId: string): InboxView {
  const views: Record<BuiltIn, Omit<InboxView, 'id'>> = {
    open: { ...NEWEST, query: 'eq(status,"open")', belongs: ({ status }) => status === 'open' },
    mine: {
      ...NEWEST,
      query: `and(eq(status,"open"),eq(assignedUserId,"${userId}"))`,
      belongs: ({ status, assignedUserId }) => status === 'open' && assignedUserId === userId,
    },
    unassigned: {
      ...NEWEST,
      query: 'and(eq(status,"open"),isNull(assignedUserId))',
      belongs: ({ status, assignedUserId }) => status === 'open' && assignedUserId === null,
    },
    waiting: {
      query: 'and(eq(status,"open"),not(isNull(waitingSince)))',
      sortBy: 'asc(waitingSince)',
      belongs: ({ status, waitingSince }) => status === 'open' && waitingSince !== null,
      compare: (a, b) => byText(a.waitingSince, b.waitingSince),
    },
    snoozed: {
      query: 'eq(status,"snoozed")',
      sortBy: 'asc(snoozedUntil)',
      belongs: ({ status }) => status === 'snoozed',
      compare: (a, b) => byText(a.snoozedUntil, b.snoozedUntil),
    },
    closed: { ...NEWEST, query: 'eq(status,"closed")', belongs: ({ status }) => status === 'closed' },
  };
  return { id, ...views[id] };
}

export const savedView = ({ id, query, sortBy }: View): InboxView => ({
  ...NEWEST,
  id,
  query,
  ...(sortBy === null ? {} : { sortBy }),
});

/** A search looks at all chats, whatever their state is. */
export const SEARCH_VIEW: InboxView = { ...NEWEST, id: 'search', query: undefined };

/** Where the chats of a view, or those that a search finds, are downloaded as CSV. */
export const exportPathOf = ({
  tenantId,
  query,
  search,
}: Record<'tenantId' | 'search', string> & Pick<InboxView, 'query'>): string =>
  `${basePath}/v3/chats/export.csv?${new URLSearchParams({
    tenantId,
    ...(query === undefined ? {} : { query }),
    ...(search === '' ? {} : { search }),
  })}`;
