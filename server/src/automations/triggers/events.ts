import type { InvalidParams } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { collectIssues } from '../../base/issues.ts';
import { createTurns } from '../../base/turns.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { PublishedEvent } from '../../engine/outbox.ts';
import { shardOf } from '../../engine/queue.ts';
import type { Consequences } from '../../engine/sequencer.ts';
import { findMessages } from '../../messages/message.ts';
import type { Message } from '../../messages/schema.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import type { TriggerType } from '../definition/steps.ts';
import { runsQueue } from '../queues.ts';
import { startTimes } from '../runs/limit-runs.ts';
import { freshState, type RunError } from '../runs/state.ts';
import type { Variable } from '../schema.ts';
import { fillVariables } from './api.ts';

interface TriggerableAutomation {
  id: string;
  version_id: string;
  trigger_type: TriggerType;
  channel_id: string | null;
  parameters: { keywords?: string[]; labelId?: string; fromAutomations?: boolean; evenIfAssigned?: boolean };
  variables: Variable[];
}

const findByTriggers = statement<[types: string[]], TriggerableAutomation>(
  'automations.by_triggers',
  `select a.id, v.id as version_id, a.active_trigger_type as trigger_type, a.active_channel_id as channel_id,
          v.definition -> 'trigger' -> 'parameters' as parameters, v.definition -> 'variables' as variables
     from automations a join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.tenant_id = $tenant and a.status = 'active' and a.active_trigger_type = any ($1::text[])
    order by a.created_at, a.id`,
);
interface ChatPause {
  id: string;
  is_assigned: boolean;
  /** As it was set by hand. */
  automation_pause: boolean | null;
}
const findPauses = statement<[chatIds: string[]], ChatPause>(
  'chats.automation_pauses',
  `select id, assigned_user_id is not null as is_assigned, automation_pause from visible_chats
    where id = any ($1::uuid[]) and tenant_id = $tenant and (assigned_user_id is not null or automation_pause)`,
);
const messagesOfEvents = statement<[ids: string[]], { id: string; message_id: string }>(
  'events.messages',
  // Without automatic messages, such as out-of-office notes: an answer could start an endless exchange.
  // The events are read first and each message by its id: no index matches the condition on the tenant. The planner could
  // otherwise compare every message of the tenant with every event.
  `with written as materialized (
     select e.id, (e.data::json ->> 'id')::uuid as message_id from visible_events e
      where e.id = any ($1::uuid[]) and (e.tenant_id = $tenant) is true)
   select w.id, m.id as message_id from written w
     join visible_messages m on m.id = w.message_id and (m.tenant_id = $tenant) is true and not m.is_automatic`,
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
    startsAt: (Date | '-infinity')[],
  ]
>(
  'automation_runs.insert_caused',
  // An event starts each automation once, even if its batch is repeated. What is deleted is left out, and so is what is
  // being deleted: only a deletion takes a lock that these wait for, and numbering must not wait.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, cause_event_id, status,
                                state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
   select n.id, $tenant, n.automation_id, v.id, c.id, h.id, n.event_id, n.status, n.state, n.error, n.shard,
          greatest(n.starts_at, $1::timestamptz), case when n.error is null then n.starts_at end,
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
/** The triggers of an event. Events of chats contain theirs, as not every change triggers automations. */
function triggersOf({ type, facts }: PublishedEvent): TriggerType[] {
  if (facts?.triggerAutomations === false) return [];
  switch (type) {
    case 'message.received':
      return ['message_received'];
    case 'contact.created':
      return facts?.labelIds === undefined ? ['contact_created'] : ['contact_created', 'label_added'];
    case 'contact.labels_added':
      return ['label_added'];
    case 'chat.created':
    case 'chat.status_changed':
      return facts?.trigger === undefined ? [] : [facts.trigger as TriggerType];
    default:
      return [];
  }
}

interface TriggeringEvent {
  event: PublishedEvent;
  trigger: TriggerType;
  message: Message | null;
  /** Of a chat in which automations may have to stay silent. */
  pause: ChatPause | undefined;
  /** Whether the message contains one of the keywords. */
  hasKeyword(keywords: readonly string[]): boolean;
}

const isSilent = ({ automation_pause, is_assigned }: ChatPause, evenIfAssigned: boolean): boolean =>
  automation_pause ?? (is_assigned && !evenIfAssigned);

/** The triggers that answer the contact. A closed chat has nobody to disturb. */
const ANSWERING: ReadonlySet<TriggerType> = new Set(['message_received', 'chat_opened']);

async function pausesOf(
  tx: TenantTx,
  triggering: readonly { event: PublishedEvent; trigger: TriggerType }[],
): Promise<Map<string, ChatPause>> {
  const chatIds = triggering.flatMap(({ event, trigger }) => (ANSWERING.has(trigger) && event.chat_id) || []);
  if (chatIds.length === 0) return new Map();
  const rows = await tx.all(findPauses, [[...new Set(chatIds)]]);
  return new Map(rows.map((row) => [row.id, row]));
}

function starts(
  automation: TriggerableAutomation,
  { event, trigger, message, pause, hasKeyword }: TriggeringEvent,
): boolean {
  const { parameters } = automation;
  if (automation.trigger_type !== trigger) return false;
  if (pause && isSilent(pause, parameters.evenIfAssigned === true)) return false;
  if (event.origin_run_id !== null && parameters.fromAutomations !== true) return false;
  // For an event without a channel, the automation's channel is only where the run sends.
  if (
    event.channel_id !== null &&
    automation.channel_id !== null &&
    event.channel_id !== automation.channel_id
  )
    return false;
  if (trigger === 'message_received')
    return message !== null && (!parameters.keywords || hasKeyword(parameters.keywords));
  if (trigger === 'label_added')
    return ((event.facts?.labelIds ?? []) as string[]).includes(parameters.labelId as string);
  return true;
}

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

/** So many runs may follow each other, each started by an event of the one before. */
const MAX_CHAIN_DEPTH = 10;
const CHAIN_TOO_LONG: RunError = {
  code: 'chain_too_long',
  message: `The run would be the ${MAX_CHAIN_DEPTH + 2}th in a chain of runs that start each other. Change the automations so that the chain ends: perhaps one triggers itself with fromAutomations`,
};

/** How many runs came before a run that this event starts. */
const chainDepthOf = ({ origin_run_id, facts }: PublishedEvent): number =>
  origin_run_id === null ? 0 : ((facts?.chainDepth as number | undefined) ?? 0) + 1;

const stored = (error: RunError | null): string | null => error && JSON.stringify(error);

/** The error of a run that cannot start because required variables have no value. */
export const missingVariables = (params: InvalidParams, cause: string): RunError => ({
  code: 'missing_variables',
  message: `The automation needs ${Object.keys(params).join(', ')}, which ${cause} cannot provide`,
});

/** The runs that an event starts, as they are inserted. */
interface NewRun {
  id: string;
  automation: TriggerableAutomation;
  event: PublishedEvent;
  state: string;
  error: string | null;
}

/** The same with the time at which it may start. */
interface TimedRun extends NewRun {
  startsAt: Date | '-infinity';
}

async function runsOf(tx: TenantTx, events: PublishedEvent[]): Promise<NewRun[]> {
  const triggering = events.flatMap((event) =>
    event.contact_id === null ? [] : triggersOf(event).map((trigger) => ({ event, trigger })),
  );
  if (triggering.length === 0) return [];
  const triggers = [...new Set(triggering.map(({ trigger }) => trigger))];
  const automations = await tx.all(findByTriggers, [triggers]);
  if (automations.length === 0) return [];
  const messages = await messagesOf(
    tx,
    triggering.map(({ event }) => event),
  );
  const pauses = await pausesOf(tx, triggering);
  const runs: NewRun[] = [];
  // Hundreds of long messages may meet hundreds of automations with a hundred keywords each.
  const turn = createTurns();
  for (const { event, trigger } of triggering) {
    const message = messages.get(event.id) ?? null;
    const pause = ANSWERING.has(trigger) ? pauses.get(event.chat_id ?? '') : undefined;
    const happened = {
      event,
      trigger,
      message,
      pause,
      hasKeyword: createKeywordFinder(message?.text ?? null),
    };
    for (const automation of automations) {
      const rest = turn();
      if (rest) await rest;
      if (!starts(automation, happened)) continue;
      const id = newId();
      const issues = collectIssues();
      const variables = fillVariables(automation.variables, {}, issues);
      const error = issues.isEmpty ? null : missingVariables(issues.params, 'an event');
      const chainDepth = chainDepthOf(event);
      runs.push({
        id,
        automation,
        event,
        state: JSON.stringify({ ...freshState(id, variables, message?.id ?? null), chainDepth }),
        error: stored(chainDepth > MAX_CHAIN_DEPTH ? CHAIN_TOO_LONG : error),
      });
    }
  }
  return runs;
}

function insertNewRuns(tx: TenantTx, runs: readonly TimedRun[]): void {
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
  const found = await runsOf(tx, events);
  const times = found.length === 0 ? [] : await startTimes(tx, found.length);
  const runs = found.map((run, index): TimedRun => ({ ...run, startsAt: times[index] ?? '-infinity' }));
  return {
    rows: runs.length,
    write: (sequences) =>
      insertNewRuns(
        tx,
        runs.filter(({ event }) => sequences.has(event.id)),
      ),
  };
}
