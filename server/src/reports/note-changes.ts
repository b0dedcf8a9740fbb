import { createCache } from '../base/cache.ts';
import { groupBy } from '../base/group-by.ts';
import { type ParameterOf, type RowOf, rowSet } from '../db/rows.ts';
import { statement } from '../db/statement.ts';
import type { PublishedEvent } from '../engine/outbox.ts';
import type { Subscriber } from '../engine/sequencer.ts';
import { type ChangedHour, HOUR_MS, markHours, QUARTER_MS } from './marks.ts';

/** Late changes of an hour are counted together, at most once in so many minutes. */
const LATE_MS = 300_000;
/** What is written until the moment at which an hour is due has this long to be committed. */
const GRACE_MS = 30_000;
const REMEMBERED = 50_000;
/**
 * After so many events of an hour its figures are stored after each quarter, not only at its end: a report that had to count more
 * than 50,000 rows uses what is stored.
 */
const MANY_EVENTS = 10_000;

const changes = rowSet({
  id: 'uuid',
  chat_id: 'uuid',
  channel_id: 'uuid',
  change: 'text',
  user_id: 'uuid?',
  at: 'timestamptz',
});
const insertChanges = statement<[changes: ParameterOf<typeof changes>]>(
  'chat_changes.insert',
  `insert into chat_changes (id, tenant_id, chat_id, channel_id, change, user_id, at)
   select c.id, $tenant, c.chat_id, c.channel_id, c.change, c.user_id, c.at from ${changes.from(1, 'c')}
   on conflict do nothing`,
);

/** What events say for reports. Never sent to clients. */
interface Facts {
  /** What became of the chat. */
  change?: 'reopened' | 'closed';
  causedById?: string;
  isImported?: boolean;
  /** The hour of what the event is about, if it is another one. */
  countsAt?: string;
}

const isCounted = (type: string): boolean =>
  type.startsWith('message.') ||
  type.startsWith('automation.run_') ||
  type === 'chat.created' ||
  type === 'chat.status_changed' ||
  type === 'contact.unsubscribed';

function changeOf({
  id,
  type,
  chat_id,
  channel_id,
  created_at,
  facts,
}: PublishedEvent): RowOf<typeof changes>[] {
  if (chat_id === null || channel_id === null) return [];
  const { change, causedById, isImported } = (facts ?? {}) as Facts;
  const became = type === 'chat.created' && !isImported ? 'opened' : change;
  if (became === undefined) return [];
  return [{ id, chat_id, channel_id, change: became, user_id: causedById ?? null, at: created_at }];
}

function hourOf({ created_at, facts }: PublishedEvent): number {
  const { countsAt } = (facts ?? {}) as Facts;
  const time = countsAt === undefined ? created_at.getTime() : Date.parse(countsAt);
  return Math.floor(time / HOUR_MS) * HOUR_MS;
}

/** When an hour is counted: after its end, and after what changed later, a few minutes of it together. */
export function dueTimeOf(hour: Date, now: Date): Date {
  const end = hour.getTime() + HOUR_MS;
  const next = (Math.floor(now.getTime() / LATE_MS) + 1) * LATE_MS;
  return new Date(Math.max(end, now.getTime() < end ? 0 : next) + GRACE_MS);
}

/** When an hour with many events is counted before its end: after the current quarter. */
const endOfQuarter = (now: Date): Date =>
  new Date((Math.floor(now.getTime() / QUARTER_MS) + 1) * QUARTER_MS + GRACE_MS);

/**
 * Subscriber of events: stores what became of chats, and which hours are to be counted. An hour in which something happens costs
 * one row for each process, whatever its number of events: what is marked already is remembered.
 */
export function createReportsSubscriber(): Subscriber {
  const marked = createCache<string, true>(REMEMBERED);
  /** How many events of a running hour this process has seen, which has all events of a tenant until another one takes over. */
  const seen = createCache<string, number>(REMEMBERED);
  return async (tx, events) => {
    const rows = events.flatMap(changeOf);
    const touched = groupBy(
      events.filter(({ type }) => isCounted(type)),
      hourOf,
    );
    const hours = new Map<string, ChangedHour>();
    const mark = (hour: Date, dueAt: Date): void => {
      const key = `${tx.tenantId} ${hour.getTime()} ${dueAt.getTime()}`;
      if (!marked.get(key)) hours.set(key, { hour, dueAt });
    };
    for (const [time, { length }] of touched) {
      const hour = new Date(time);
      mark(hour, dueTimeOf(hour, tx.now));
      if (tx.now.getTime() >= time + HOUR_MS) continue;
      const key = `${tx.tenantId} ${time}`;
      const count = (seen.get(key) ?? 0) + length;
      // Not after the commit: an event that is seen twice makes the hour a little busier than it is.
      seen.set(key, count);
      if (count >= MANY_EVENTS) mark(hour, endOfQuarter(tx.now));
    }
    return {
      rows: rows.length + hours.size,
      write: () => {
        if (rows.length > 0) tx.enqueue(insertChanges, [changes.encode(rows)]);
        if (hours.size === 0) return;
        markHours(tx, [...hours.values()]);
        tx.afterCommit(() => {
          for (const key of hours.keys()) marked.set(key, true);
        });
      },
    };
  };
}
