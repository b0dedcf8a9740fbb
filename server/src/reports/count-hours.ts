import { setTimeout as delay } from 'node:timers/promises';
import { groupBy } from '../base/group-by.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { HOUR_MS, hourSql } from './marks.ts';
import { type DueMark, reportsQueue } from './queues.ts';
import { CAMPAIGN_EFFECT, MAX_COUNTED, sources } from './sources.ts';

/** After so long other tenants continue. */
const CALL_MS = 1_000;
/** After each call there is a pause as long as it took, so that half of the time is for others. */
const MAX_PAUSE_MS = 1_000;

type Hours = [from: Date, to: Date];
const period = { tenant: '$tenant', from: '$1::timestamptz', to: '$2::timestamptz' };
const inPeriod = (column: string): string => `${column} >= ${period.from} and ${column} < ${period.to}`;

const deleteFigures = statement<Hours>(
  'report_figures.delete',
  `delete from report_figures where tenant_id = $tenant and ${inPeriod('at')}
      and figure = any (array[${Object.values(sources).flatMap(({ figures }) => figures.map((figure) => `'${figure}'`))}])`,
);
const deleteOrphans = statement<Hours>(
  'chat_changes.delete_orphans',
  `delete from chat_changes c where c.tenant_id = $tenant and ${inPeriod('c.at')}
      and not exists (select 1 from visible_chats k where k.id = c.chat_id and k.tenant_id = c.tenant_id)`,
);
const insertFigures = Object.entries(sources).map(([name, { sql }]) =>
  statement<Hours>(
    `report_figures.insert_${name}`,
    `insert into report_figures (tenant_id, figure, at, channel_id, subject_id, detail, count, total)
     select $tenant, s.figure, s.at, s.channel_id, s.subject_id, s.detail, s.count, s.total from (${sql(period)}) s
     on conflict (tenant_id, figure, at, channel_id, subject_id, detail) do update
       set count = report_figures.count + excluded.count, total = report_figures.total + excluded.total`,
  ),
);
const deleteMarks = statement<[ids: string[]]>(
  'report_marks.delete',
  'delete from report_marks where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const shortenMark = statement<[id: string, from: Date]>(
  'report_marks.shorten',
  'update report_marks set from_at = $2 where id = $1 and tenant_id = $tenant',
);
const nextActivity = statement<Hours, { at: Date | null }>(
  'reports.next_activity',
  `select least(
     (select min(m.created_at) from visible_messages m where m.tenant_id = $tenant and ${inPeriod('m.created_at')}),
     (select min(m.timestamp) from visible_messages m
       where m.tenant_id = $tenant and m.scheduled_at is not null and ${inPeriod('m.timestamp')}),
     (select min(c.at) from chat_changes c where c.tenant_id = $tenant and ${inPeriod('c.at')}),
     (select min(r.created_at) from visible_automation_runs r where r.tenant_id = $tenant and ${inPeriod('r.created_at')})) as at`,
);
const messagesIn = statement<Hours, { count: number }>(
  'reports.messages_in',
  `select ((select count(*) from visible_messages m where m.tenant_id = $tenant and ${inPeriod('m.created_at')})
         + (select count(*) from visible_messages m
             where m.tenant_id = $tenant and m.scheduled_at is not null and ${inPeriod('m.timestamp')}))::int as count`,
);
const lockFigures = statement(
  'report_figures.lock',
  `select pg_advisory_xact_lock(hashtextextended('report_figures:' || $tenant::text, 0))`,
);
const markCampaigns = statement<[...Hours, shard: number, now: Date]>(
  'report_marks.of_campaigns',
  // What contacts do after a campaign counts in the hour of its message.
  `insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
   select gen_random_uuid(), $tenant, h.hour, h.hour + interval '1 hour', false, $3, ${DUE_NOW}, $4
     from (select ${hourSql('c.created_at')} as hour from visible_messages m
            cross join lateral (
              select c.created_at from visible_messages c
               where c.chat_id = m.chat_id and c.campaign_id is not null
                 and c.created_at < m.created_at and c.created_at > m.created_at - ${CAMPAIGN_EFFECT}
               order by c.created_at desc limit 1) c
            where m.tenant_id = $tenant and ${inPeriod('m.created_at')} and m.sender = 'inbound'
           union
           select ${hourSql('c.created_at')} from visible_consents s
             join visible_messages c on c.tenant_id = $tenant and c.contact_id = s.contact_id and c.campaign_id is not null
                  and c.created_at < s.created_at and c.created_at > s.created_at - ${CAMPAIGN_EFFECT}
            where s.tenant_id = $tenant and ${inPeriod('s.created_at')} and s.status = 'unsubscribed') h
    where h.hour < ${period.from}`,
);

/** A period in equal parts, so that each has at most about so many messages. */
function splitPeriod(from: Date, to: Date, messages: number): Hours[] {
  const parts = Math.max(1, Math.ceil(messages / MAX_COUNTED));
  const timeAt = (part: number): Date =>
    new Date(from.getTime() + Math.round(((to.getTime() - from.getTime()) * part) / parts));
  return Array.from({ length: parts }, (_, part) => [timeAt(part), timeAt(part + 1)]);
}

const countMessages = async (tx: TenantTx, from: Date, to: Date): Promise<number> =>
  (await tx.find(messagesIn, [from, to]))?.count ?? 0;

/**
 * Counts everything that happened in a period, in place of what was counted before. The period begins and ends with a quarter of an
 * hour, because figures do. A part of it at a time, so that no statement takes longer than it may.
 */
export async function countPeriod(tx: TenantTx, from: Date, to: Date): Promise<void> {
  // A process that has lost its lease may still count the same hour. What both have counted must not be added.
  tx.enqueue(lockFigures, []);
  tx.enqueue(deleteOrphans, [from, to]);
  tx.enqueue(deleteFigures, [from, to]);
  for (const part of splitPeriod(from, to, await countMessages(tx, from, to)))
    for (const insert of insertFigures) await tx.run(insert, part);
}

/** The quarters of an hour with many messages, each in a transaction of its own. Returns false for other hours. */
async function countQuarters(tenant: TenantDatabase, hour: Date): Promise<boolean> {
  const quarterAt = (quarter: number): Date => new Date(hour.getTime() + (quarter * HOUR_MS) / 4);
  const messages = await tenant.find(messagesIn, [hour, quarterAt(4)]);
  if ((messages?.count ?? 0) <= MAX_COUNTED) return false;
  for (let quarter = 0; quarter < 4; quarter += 1)
    await tenant.transaction((tx) => countPeriod(tx, quarterAt(quarter), quarterAt(quarter + 1)));
  return true;
}

const isHour = ({ from_at, to_at }: DueMark): boolean => to_at.getTime() - from_at.getTime() === HOUR_MS;

/**
 * Counts an hour. Its marks are deleted in the same transaction, or after all of its quarters; those that are added meanwhile stay.
 */
async function countHour(tenant: TenantDatabase, hour: Date, marks: readonly DueMark[]): Promise<void> {
  const isCounted = await countQuarters(tenant, hour);
  await tenant.transaction(async (tx) => {
    const to = new Date(hour.getTime() + HOUR_MS);
    if (!isCounted) await countPeriod(tx, hour, to);
    if (marks.some(({ has_replies }) => has_replies))
      await tx.run(markCampaigns, [hour, to, reportsQueue.shardOf(tx.tenantId, tx.tenantId), tx.now]);
    tx.enqueue(deleteMarks, [marks.map(({ id }) => id)]);
  });
}

/** Counts the next hour of a long period in which something happened, and stores how far it is. Returns where the next one begins. */
async function countNextHour(tenant: TenantDatabase, { id, to_at }: DueMark, from: Date): Promise<Date> {
  const found = await tenant.find(nextActivity, [from, to_at]);
  const hour = found?.at ? Math.floor(found.at.getTime() / HOUR_MS) * HOUR_MS : Infinity;
  const end = new Date(Math.min(hour + HOUR_MS, to_at.getTime()));
  // Nothing happened before it, but figures of what was deleted may be stored.
  const isCounted = hour < to_at.getTime() && (await countQuarters(tenant, new Date(hour)));
  await tenant.transaction(async (tx) => {
    await countPeriod(tx, from, isCounted ? new Date(Math.max(hour, from.getTime())) : end);
    if (end < to_at) tx.enqueue(shortenMark, [id, end]);
    else tx.enqueue(deleteMarks, [[id]]);
  });
  return end;
}

/**
 * Counts the hours of a tenant that have changed. A process that ends meanwhile leaves its marks: counting again gives the same
 * figures.
 */
export async function countMarkedHours({ db }: { db: Database }, rows: DueMark[]): Promise<Outcome> {
  const tenant = db.forTenant((rows[0] as DueMark).tenant_id);
  const begun = performance.now();
  const hasTime = (): boolean => performance.now() - begun < CALL_MS;
  for (const [time, marks] of groupBy(rows.filter(isHour), ({ from_at }) => from_at.getTime())) {
    if (!hasTime()) break;
    await countHour(tenant, new Date(time), marks);
  }
  for (const mark of rows.filter((row) => !isHour(row)))
    for (let from = mark.from_at; from < mark.to_at && hasTime(); )
      from = await countNextHour(tenant, mark, from);
  // What is left, and the hours of campaigns that were marked.
  tenant.autocommit.wake(reportsQueue, tenant.tenantId);
  await delay(Math.min(performance.now() - begun, MAX_PAUSE_MS));
  return 'ok';
}
