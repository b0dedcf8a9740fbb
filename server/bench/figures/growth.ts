import type { Case, Side, Workload } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { type Inbox, seedInbox } from '../seed-inbox.ts';
import { chargeServer, postBytes } from '../workload.ts';
import { percentile } from './latency.ts';

const SMALL_CHATS = 5_000;
const MORE_CHATS = 100_000;
const MESSAGES_PER_CHAT = 48;
const WARM_UP = 20;
const REQUESTS = 100;
const PAGE_SIZE = 100;
/** How much longer the slowest in a hundred requests may take. */
const GOAL = 1.5;
/** How long a search for a text that nobody wrote may take, in milliseconds. */
const STOP_GOAL = 1_000;

const NEWEST = 'desc(latestMessageAt)';
const OPEN = 'eq(status,"open")';

/** The views of the console's inbox. */
const viewsOf = ({ userId }: Inbox) => ({
  open: { query: OPEN, sortBy: NEWEST },
  mine: { query: `and(${OPEN},eq(assignedUserId,"${userId}"))`, sortBy: NEWEST },
  unassigned: { query: `and(${OPEN},isNull(assignedUserId))`, sortBy: NEWEST },
  waiting: { query: `and(${OPEN},not(isNull(waitingSince)))`, sortBy: 'asc(waitingSince)' },
  snoozed: { query: 'eq(status,"snoozed")', sortBy: 'asc(snoozedUntil)' },
  closed: { query: 'eq(status,"closed")', sortBy: NEWEST },
});

/** What else is asked of an inbox. */
const SEARCHES: Record<string, object> = {
  'open chats, oldest message first': { query: OPEN, sortBy: 'asc(latestMessageAt)' },
  'open chats by last change': { query: OPEN, sortBy: 'desc(updatedAt)' },
  'all chats, newest message first': { sortBy: NEWEST },
  'all chats by last change': { sortBy: 'desc(updatedAt)' },
  'all chats by creation': {},
  'unread chats': { query: `and(${OPEN},eq(isUnread,true))`, sortBy: NEWEST },
  'a name that one has': { search: 'zuse', sortBy: NEWEST },
  'a name that one in eight has': { search: 'grace', sortBy: NEWEST },
};

interface Request {
  title: string;
  path: string;
  bodyOf(inbox: Inbox): object;
}

const withPage = (body: object): object => ({ ...body, pagination: { limit: PAGE_SIZE } });
/** As the inbox asks: its counts are read by themselves. */
const withoutTotal = (body: object): object => ({
  ...body,
  pagination: { limit: PAGE_SIZE, withTotal: false },
});
/** As an integrator may ask. */
const WITH_TOTAL = ['open chats by last change', 'unread chats', 'a name that one in eight has'];

const REQUESTS_OF_INBOX: Request[] = [
  ...(['open', 'mine', 'unassigned', 'waiting', 'snoozed', 'closed'] as const).map((view) => ({
    title: `view: ${view}`,
    path: '/v3/chats/search',
    bodyOf: (inbox: Inbox) => withoutTotal(viewsOf(inbox)[view]),
  })),
  ...Object.entries(SEARCHES).map(([title, body]) => ({
    title,
    path: '/v3/chats/search',
    bodyOf: () => withoutTotal(body),
  })),
  ...WITH_TOTAL.map((title) => ({
    title: `${title}, with the total`,
    path: '/v3/chats/search',
    bodyOf: () => withPage(SEARCHES[title] as object),
  })),
  {
    title: 'counts of all views',
    path: '/v3/chats/counts',
    bodyOf: (inbox) => ({
      views: Object.entries(viewsOf(inbox)).map(([key, { query }]) => ({ key, query })),
    }),
  },
  {
    title: 'contacts: a name that one has',
    path: '/v3/contacts/search',
    bodyOf: () => withPage({ search: 'zuse' }),
  },
  {
    title: 'contacts: a name that one in eight has',
    path: '/v3/contacts/search',
    bodyOf: () => withPage({ search: 'grace' }),
  },
];

/**
 * What a request costs a tenant with 105,000 chats and 5,000,000 messages, compared with one of 5,000 chats, one request at a
 * time. `--scale 0.1` adds a tenth as many.
 */
export async function createGrowth({ getTarget, scale }: Side): Promise<Case[]> {
  const target = await getTarget();
  const seed = (chats: number): Promise<Inbox> => seedInbox(target, chats, chats * MESSAGES_PER_CHAT);
  const small = await seed(SMALL_CHATS);
  const large = await seed(SMALL_CHATS + Math.round(MORE_CHATS * scale));
  await target.db.query('vacuum analyze');
  await target.db.query('checkpoint');

  const workloadOf = ({ tenant }: Inbox, path: string, body: object): Workload => {
    const request = postBytes(tenant, path, body);
    return {
      ...chargeServer(target),
      async run(count) {
        const sentAt: number[] = [];
        const next = (): Buffer => {
          sentAt.push(performance.now());
          return request;
        };
        const result = await sendRequests(target.server.port, count, next, 1);
        const answeredAt = [...sentAt.slice(1), performance.now()];
        const times = answeredAt.map((at, index) => at - (sentAt[index] as number));
        return { ...result, values: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) } };
      },
    };
  };
  const values = {
    p50: { title: '  p50', unit: 'ms', digits: 1, betweenCommits: 'shown' },
    p99: { title: '  p99', unit: 'ms', digits: 1, bareGoal: GOAL, betweenCommits: 'shown' },
  } as const;
  const chats = large.chats.toLocaleString('en');
  const cases = REQUESTS_OF_INBOX.map(
    ({ title, path, bodyOf }): Case => ({
      title: `${title}, ${chats} chats`,
      warmUp: WARM_UP,
      count: () => REQUESTS,
      restarts: 'once',
      values: {
        p50: { ...values.p50, title: `${title}: p50` },
        p99: { ...values.p99, title: `${title}: p99` },
      },
      ours: workloadOf(large, path, bodyOf(large)),
      bares: [{ create: async () => workloadOf(small, path, bodyOf(small)) }],
    }),
  );
  const unwritten = { search: 'nobody wrote this', pagination: { limit: PAGE_SIZE } };
  return [
    ...cases,
    {
      title: 'a text that nobody wrote',
      warmUp: 3,
      count: () => 5,
      restarts: 'once',
      values: { p99: { title: '  longest', unit: 'ms', goal: STOP_GOAL, betweenCommits: 'shown' } },
      ours: workloadOf(large, '/v3/messages/search', unwritten),
    },
  ];
}
