import { newId } from '../../base/ids.ts';
import { createTurns } from '../../base/turns.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import type { PublishedEvent } from '../../engine/outbox.ts';
import { shardOf } from '../../engine/queue.ts';
import type { Consequences } from '../../engine/sequencer.ts';
import { findMessages } from '../../messages/message.ts';
import type { Message } from '../../messages/schema.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import type { TriggerType } from '../definition/steps.ts';
import { runsQueue } from '../queues.ts';
import { startTimes } from '../runs/limit-runs.ts';
import { freshState } from '../runs/state.ts';
import {
  ANSWERING,
  type ChatPause,
  matchAutomation,
  type Occurrence,
  type TriggerableAutomation,
  triggersOf,
} from './match.ts';

const findByTriggers = statement<[types: string[]], TriggerableAutomation>(
  'automations.by_triggers',
  `select a.id, v.id as version_id, a.active_trigger_type as trigger_type, a.active_channel_id as channel_id,
          v.definition -> 'trigger' -> 'parameters' as parameters, v.definition -> 'variables' as variables
     from automations a join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.tenant_id = $tenant and a.status = 'active' and a.active_trigger_type = any ($1::text[])
    order by a.created_at, a.id`,
);
const findPauses = statement<[chatIds: string[]], ChatPause & { id: string }>(
  'chats.automation_pauses',
  `select id, assigned_user_id is not null as is_assigned, automation_pause from visible_chats
    where id = any ($1::uuid[]) and tenant_id = $tenant and (assigned_user_id is not null or automation_pause)`,
);
const messagesOfEvents = statement<[ids: string[]], { id: string; message_id: string }>(
  'events.messages',
  // The events are read first and each message by its id: no index matches the condition on the tenant. The planner could
  // otherwise compare every message of the tenant with every event.
  `with written as materialized (
     select e.id, (e.data::json ->> 'id')::uuid as message_id from visible_events e
      where e.id = any ($1::uuid[]) and (e.tenant_id = $tenant) is true)
   select w.id, m.id as message_id from written w
     join visible_messages m on m.id = w.message_id and (m.tenant_id = $tenant) is true`,
);
/** SQL: the row with an id, with the lock that a foreign key takes, unless it is being deleted. */
const held = (join: 'join' | 'left join', table: string, id: string, alias: string): string =>
  `${join} lateral (
       select id from ${table} where id = ${id} and tenant_id = $tenant for key share skip locked) ${alias} on true`;
const insertRuns = statement<
  [
    now: Date,
    ids: string[],
    automationIds: string[],
    versionIds: string[],
    contactIds: string[],
    chatIds: (string | null)[],
    eventIds: string[],
    statuses: string[],
    states: string[],
    errors: (string | null)[],
    shards: number[],
    startsAt: (Date | '-infinity' | 'infinity')[],
  ]
>(
  'automation_runs.insert_caused',
  // An event starts each automation once, even if its batch is repeated. What is deleted is left out, and so is what is
  // being deleted: only a deletion takes a lock that these wait for, and numbering must not wait.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, cause_event_id, status,
                                state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
   select n.id, $tenant, n.automation_id, v.id, c.id, h.id, n.event_id, n.status, n.state, n.error, n.shard,
          greatest(nullif(n.starts_at, 'infinity'), $1::timestamptz), case when n.error is null then n.starts_at end,
          case when n.error is not null then $1::timestamptz end, $1::timestamptz, $1::timestamptz
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::jsonb[],
                 $10::jsonb[], $11::smallint[], $12::timestamptz[])
       with ordinality as n (id, automation_id, version_id, contact_id, chat_id, event_id, status, state, error, shard,
                            starts_at, number)
     ${held('join', 'automation_versions', 'n.version_id', 'v')}
     ${held('join', 'visible_contacts', 'n.contact_id', 'c')}
     ${held('left join', 'visible_chats', 'n.chat_id', 'h')}
    order by n.number
   on conflict (automation_id, cause_event_id) where cause_event_id is not null do nothing`,
);
const noteSilence = statement<[eventIds: string[], arePaused: boolean[]]>(
  'silenced_events.insert',
  `insert into silenced_events (event_id, tenant_id, is_paused)
   select n.event_id, $tenant, n.is_paused from unnest($1::uuid[], $2::boolean[]) as n (event_id, is_paused)
   on conflict (event_id, tenant_id) do nothing`,
);

async function pausesOf(tx: TenantTx, events: readonly PublishedEvent[]): Promise<Map<string, ChatPause>> {
  const answered = events.filter((event) => triggersOf(event).some((trigger) => ANSWERING.has(trigger)));
  const chatIds = new Set(answered.flatMap(({ chat_id }) => chat_id ?? []));
  if (chatIds.size === 0) return new Map();
  const rows = await tx.all(findPauses, [[...chatIds]]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether automations may have to stay silent in a chat now. */
export const findPause = (db: TenantReader, chatId: string): Promise<ChatPause | undefined> =>
  db.find(findPauses, [[chatId]]);

async function messagesOf(tx: TenantTx, events: PublishedEvent[]): Promise<Map<string, Message>> {
  const received = events.filter(({ type }) => type === 'message.received').map(({ id }) => id);
  if (received.length === 0) return new Map();
  const rows = await tx.all(messagesOfEvents, [received]);
  const found = await findMessages(
    tx,
    rows.map((row) => row.message_id),
  );
  const byId = new Map(found.map((message) => [message.id, message]));
  return new Map(
    rows.flatMap((row) => {
      const message = byId.get(row.message_id);
      return message ? [[row.id, message]] : [];
    }),
  );
}

/** The runs that an event starts, as they are inserted. */
interface NewRun {
  id: string;
  automation: Pick<TriggerableAutomation, 'id' | 'version_id'>;
  event: Pick<PublishedEvent, 'id' | 'contact_id' | 'chat_id'>;
  state: string;
  error: string | null;
}

/** The same with the time at which it may start. */
interface TimedRun extends NewRun {
  startsAt: Date | '-infinity' | 'infinity';
}

/** What events start, and where automations would have started had they been allowed to speak. */
interface Started {
  runs: NewRun[];
  /** By the id of the event: whether it was paused by hand. */
  silenced: Map<string, boolean>;
}

async function runsOf(tx: TenantTx, events: PublishedEvent[]): Promise<Started> {
  const runs: NewRun[] = [];
  const silenced = new Map<string, boolean>();
  const triggers = new Set<TriggerType>();
  const triggering = events.filter((event) => {
    const fired = triggersOf(event);
    for (const trigger of fired) triggers.add(trigger);
    return fired.length > 0;
  });
  if (triggers.size === 0) return { runs, silenced };
  const automations = await tx.all(findByTriggers, [[...triggers]]);
  if (automations.length === 0) return { runs, silenced };
  const messages = await messagesOf(tx, triggering);
  const pauses = await pausesOf(tx, triggering);
  // Hundreds of long messages may meet hundreds of automations with a hundred keywords each.
  const turn = createTurns();
  for (const event of triggering) {
    const message = messages.get(event.id) ?? null;
    const occurrence: Occurrence = {
      event,
      message,
      pause: pauses.get(event.chat_id ?? ''),
      hasKeyword: createKeywordFinder(message?.text ?? null),
    };
    for (const automation of automations) {
      const rest = turn();
      if (rest) await rest;
      const { obstacle, error, variables, chainDepth } = matchAutomation(automation, occurrence);
      if (obstacle === 'paused' || obstacle === 'assigned_to_user')
        silenced.set(event.id, obstacle === 'paused');
      if (obstacle !== null && error === null) continue;
      const id = newId();
      runs.push({
        id,
        automation,
        event,
        state: JSON.stringify({ ...freshState(id, variables, message?.id ?? null), chainDepth }),
        error: error && JSON.stringify(error),
      });
    }
  }
  return { runs, silenced };
}

export function insertNewRuns(tx: TenantTx, runs: readonly TimedRun[]): void {
  if (runs.length === 0) return;
  tx.enqueue(insertRuns, [
    tx.now,
    runs.map(({ id }) => id),
    runs.map(({ automation }) => automation.id),
    runs.map(({ automation }) => automation.version_id),
    runs.map(({ event }) => event.contact_id as string),
    runs.map(({ event }) => event.chat_id),
    runs.map(({ event }) => event.id),
    runs.map(({ error }) => (error === null ? 'scheduled' : 'failed')),
    runs.map(({ state }) => state),
    runs.map(({ error }) => error),
    runs.map(({ automation }) => shardOf(automation.id, tx.tenantId)),
    runs.map(({ startsAt }) => startsAt),
  ]);
  for (const id of new Set(runs.map(({ automation }) => automation.id))) tx.wake(runsQueue, id);
}

/** Subscriber of events: starts the runs of automations that they trigger, each once per event. */
export async function startRuns(tx: TenantTx, events: PublishedEvent[]): Promise<Consequences> {
  const { runs: found, silenced } = await runsOf(tx, events);
  const times = found.length === 0 ? [] : await startTimes(tx, found.length);
  const runs = found.map((run, index): TimedRun => ({ ...run, startsAt: times[index] ?? '-infinity' }));
  return {
    rows: runs.length + silenced.size,
    write: (sequences) => {
      insertNewRuns(
        tx,
        runs.filter(({ event }) => sequences.has(event.id)),
      );
      const noted = [...silenced].filter(([eventId]) => sequences.has(eventId));
      if (noted.length > 0)
        tx.enqueue(noteSilence, [noted.map(([eventId]) => eventId), noted.map(([, isPaused]) => isPaused)]);
    },
  };
}
