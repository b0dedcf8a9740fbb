import type { Clock } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { AT_ONCE, shardOf } from '../../engine/queue.ts';
import type { Reaction, SequencedEvent } from '../../engine/sequencer.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { findMessages } from '../../messages/message.ts';
import type { Message } from '../../messages/schema.ts';
import { hasKeyword } from '../definition/keywords.ts';
import type { TriggerType } from '../definition/steps.ts';
import { freshState, type Issue } from '../runs/interpreter.ts';
import { RUNS_LIST } from '../runs/run.ts';
import type { Variable } from '../schema.ts';
import { fillVariables } from './api.ts';

interface Listening {
  id: string;
  version_id: string;
  trigger_type: TriggerType;
  channel_id: string | null;
  parameters: { keywords?: string[]; labelId?: string; fromAutomations?: boolean };
  variables: Variable[];
}

const listening = statement<[tenantId: string, types: string[]], Listening>(
  'automations.listening',
  `select a.id, v.id as version_id, a.active_trigger_type as trigger_type, a.active_channel_id as channel_id,
          v.definition -> 'trigger' -> 'parameters' as parameters, v.definition -> 'variables' as variables
     from automations a join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.tenant_id = $1 and a.status = 'active' and a.active_trigger_type = any ($2::text[])
    order by a.created_at, a.id`,
);
const subjects = statement<[ids: string[], tenantId: string], { id: string; subject_id: string }>(
  'events.subjects',
  // What a machine wrote, such as an out-of-office note, nothing answers by itself.
  `select e.id, m.id as subject_id from events e
     join messages m on m.id = (e.data::json ->> 'id')::uuid and m.tenant_id = e.tenant_id and not m.is_automatic
    where e.id = any ($1::uuid[]) and e.tenant_id = $2`,
);
const insertRuns = statement<
  [
    tenantId: string,
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
  ]
>(
  'automation_runs.insert_caused',
  // An event is numbered once, and starts each automation once whatever happens in between. Contacts that are gone
  // meanwhile are left out.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, cause_event_id, status,
                                state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
   select n.id, $1, n.automation_id, n.version_id, c.id, h.id, n.event_id, n.status, n.state, n.error, n.shard, $2::timestamptz,
          case when n.error is null then ${AT_ONCE}::timestamptz end, case when n.error is not null then $2::timestamptz end,
          $2::timestamptz, $2::timestamptz
     from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::jsonb[],
                 $11::jsonb[], $12::smallint[])
       with ordinality as n (id, automation_id, version_id, contact_id, chat_id, event_id, status, state, error, shard, number)
     join contacts c on c.id = n.contact_id and c.tenant_id = $1
     left join chats h on h.id = n.chat_id and h.tenant_id = $1
    order by n.number
   on conflict (automation_id, cause_event_id) where cause_event_id is not null do nothing`,
);
const nudge = statement<[tenantId: string, chatIds: string[]], { automation_id: string; shard: number }>(
  'automation_runs.nudge',
  // One that is held goes on at once as soon as nothing holds it.
  `update automation_runs set due_at = case when held_due_at is null then ${AT_ONCE}::timestamptz end,
          held_due_at = case when held_due_at is not null then ${AT_ONCE}::timestamptz end
    where chat_id = any ($2::uuid[]) and tenant_id = $1 and waiting_reply and status = 'waiting'
   returning automation_id, shard`,
);

/** Which trigger an event pulls, if any. Chats say so themselves: not every opening or closing is meant to. */
function triggerOf(event: SequencedEvent): TriggerType | undefined {
  switch (event.type) {
    case 'message.received':
      return 'message_received';
    case 'contact.created':
      return 'contact_created';
    case 'contact.labels_added':
      return 'label_added';
    case 'chat.created':
    case 'chat.status_changed':
      return event.facts?.trigger as TriggerType | undefined;
    default:
      return undefined;
  }
}

interface Pull {
  event: SequencedEvent;
  trigger: TriggerType;
  message: Message | null;
}

function starts(automation: Listening, { event, trigger, message }: Pull): boolean {
  const { parameters } = automation;
  if (automation.trigger_type !== trigger) return false;
  if (event.origin_run_id !== null && parameters.fromAutomations !== true) return false;
  // What belongs to no channel is not restricted to one: there the channel says where the run talks.
  if (
    event.channel_id !== null &&
    automation.channel_id !== null &&
    event.channel_id !== automation.channel_id
  )
    return false;
  if (trigger === 'message_received')
    return message !== null && (!parameters.keywords || hasKeyword(message.text, parameters.keywords));
  if (trigger === 'label_added')
    return ((event.facts?.labelIds ?? []) as string[]).includes(parameters.labelId as string);
  return true;
}

async function messagesOf(tx: Tx, tenantId: string, events: SequencedEvent[]): Promise<Map<string, Message>> {
  const received = events.filter(({ type }) => type === 'message.received').map(({ id }) => id);
  if (received.length === 0) return new Map();
  const named = await tx.all(subjects, [received, tenantId]);
  const found = await findMessages(
    tx,
    tenantId,
    named.map((row) => row.subject_id),
  );
  const byId = new Map(found.map((message) => [message.id, message]));
  return new Map(
    named.flatMap((row) => {
      const message = byId.get(row.subject_id);
      return message ? [[row.id, message]] : [];
    }),
  );
}

/** Why a run that nobody gave its variables cannot begin. */
export const missingVariables = (names: string[], cause: string): Issue => ({
  code: 'missing_variables',
  message: `The automation needs ${names.join(', ')}, which ${cause} cannot give`,
});

/**
 * Starts the runs of automations that wait for what happened, each once an event, and wakes runs that wait for a reply
 * in chats where somebody wrote. Which reply it is, the run finds out under its own lock.
 */
export function startRuns(wakeUps: WakeUps, clock: Clock): Reaction {
  return async (tx, tenantId, events) => {
    const written = [
      ...new Set(events.flatMap((event) => (event.type === 'message.received' && event.chat_id) || [])),
    ];
    const pulled = events.flatMap((event) => {
      const trigger = triggerOf(event);
      return trigger === undefined || event.contact_id === null ? [] : [{ event, trigger }];
    });
    const triggers = [...new Set(pulled.map(({ trigger }) => trigger))];
    const [nudged, automations] = await Promise.all([
      written.length === 0 ? [] : tx.all(nudge, [tenantId, written]),
      triggers.length === 0 ? [] : tx.all(listening, [tenantId, triggers]),
    ]);
    for (const { automation_id, shard } of nudged)
      tx.afterCommit(() => wakeUps.give(RUNS_LIST, shard, automation_id));
    if (automations.length === 0) return;
    const messages = await messagesOf(
      tx,
      tenantId,
      pulled.map(({ event }) => event),
    );
    const runs = pulled.flatMap(({ event, trigger }) => {
      const message = messages.get(event.id) ?? null;
      return automations
        .filter((automation) => starts(automation, { event, trigger, message }))
        .map((automation) => {
          const id = newId();
          const { variables, issues } = fillVariables(automation.variables, {});
          const missing = Object.keys(issues);
          return {
            id,
            automation,
            event,
            state: JSON.stringify(freshState(id, variables, message?.id ?? null)),
            error: missing.length > 0 ? JSON.stringify(missingVariables(missing, 'an event')) : null,
          };
        });
    });
    if (runs.length === 0) return;
    await tx.write(insertRuns, [
      tenantId,
      clock.now(tenantId),
      runs.map(({ id }) => id),
      runs.map(({ automation }) => automation.id),
      runs.map(({ automation }) => automation.version_id),
      runs.map(({ event }) => event.contact_id as string),
      runs.map(({ event }) => event.chat_id),
      runs.map(({ event }) => event.id),
      runs.map(({ error }) => (error === null ? 'scheduled' : 'failed')),
      runs.map(({ state }) => state),
      runs.map(({ error }) => error),
      runs.map(({ automation }) => shardOf(automation.id, tenantId)),
    ]);
    for (const id of new Set(runs.map(({ automation }) => automation.id)))
      tx.afterCommit(() => wakeUps.give(RUNS_LIST, shardOf(id, tenantId), id));
  };
}
