import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import type { Event } from './schema.ts';

/** An event with its number. Events without one are not shown, because their position is not known yet. */
export interface EventRow {
  id: string;
  tenant_id: string;
  type: string;
  channel_id: string | null;
  sequence: number;
  created_at: Date;
  /** JSON text, frozen when the event was published. */
  data: string;
}

const COLUMNS = 'e.id, e.tenant_id, e.type, e.channel_id, e.sequence, e.created_at, e.data';
const COUNT_CAP = 10_000;

/** What was written, in a message or a note. */
const TEXT = `(e.data::json ->> 'text')`;

export const eventFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'e.id' },
    type: { type: 'string', sql: 'e.type' },
    channelId: { type: 'uuid', sql: 'e.channel_id', nullable: true },
    contactId: { type: 'uuid', sql: 'e.contact_id', nullable: true },
    chatId: { type: 'uuid', sql: 'e.chat_id', nullable: true },
    text: { type: 'string', sql: TEXT, nullable: true, isLong: true },
    sequence: { type: 'number', sql: 'e.sequence' },
    createdAt: { type: 'time', sql: 'e.created_at' },
  },
  names: ['e.type'],
  id: 'e.id',
};

/** How types of events begin that have no channel, whatever chat they are about: those of runs, jobs and uploads. */
export const aboutAnyChat = ['automation.', 'job.', 'file.'] as const;

export const eventSource: SearchSource = {
  select: COLUMNS,
  from: 'visible_events e',
  tenantColumn: 'e.tenant_id',
  where: () => 'e.sequence is not null',
  inChannels: (ids) =>
    `e.channel_id = any (${ids}) or e.channel_id is null and ${aboutAnyChat.map((prefix) => `e.type not like '${prefix}%'`).join(' and ')}`,
  countCap: COUNT_CAP,
  stops: { within: [], unless: ['id', 'contactId'] },
};

export const presentEvent = (row: EventRow): Event => ({
  id: row.id,
  type: row.type,
  createdAt: timestamp(row.created_at),
  tenantId: row.tenant_id,
  channelId: row.channel_id,
  sequence: row.sequence,
  data: JSON.parse(row.data) as Event['data'],
});

/** Commit order is sequence order (engine/sequencer.ts), so a reader that continues after the last one misses nothing. */
const eventsAfter = statement<[last: number, limit: number], EventRow>(
  'events.after',
  `select ${COLUMNS} from visible_events e where e.tenant_id = $tenant and e.sequence > $1 order by e.sequence limit $2`,
);
const keptRange = statement<[], { oldest: number | null; newest: number; epoch: number }>(
  'events.kept_range',
  `select (select e.sequence from visible_events e where e.tenant_id = $tenant and e.sequence is not null
            order by e.sequence limit 1) as oldest,
          coalesce((select c.sequence from tenant_counters c where c.tenant_id = $tenant), 0) as newest,
          coalesce((select i.epoch from installation i), 0) as epoch`,
);
const newestNumbers = systemStatement<[tenantIds: string[]], { tenant_id: string; sequence: number }>(
  'events.newest_numbers',
  'select tenant_id, sequence from tenant_counters where tenant_id = any ($1::uuid[])',
);

export const findEventsAfter = (db: TenantQueryable, last: number, limit: number): Promise<EventRow[]> =>
  db.all(eventsAfter, [last, limit]);

/** The events that can be read. */
export interface KeptRange {
  /** The number of the oldest stored event; the next number if there is none. */
  oldest: number;
  /** The highest number so far. */
  newest: number;
  /** 0, or after a restore the epoch that began with it. */
  epoch: number;
}

export async function findKeptRange(db: TenantQueryable): Promise<KeptRange> {
  const { oldest, newest, epoch } = (await db.find(keptRange, [])) as {
    oldest: number | null;
    newest: number;
    epoch: number;
  };
  return { oldest: oldest ?? newest + 1, newest, epoch };
}

/** The highest number of each of these tenants. Every event up to it is visible to later reads. */
export const findNewestNumbers = (
  db: Queryable,
  tenantIds: string[],
): Promise<{ tenant_id: string; sequence: number }[]> => db.all(newestNumbers, [tenantIds]);
