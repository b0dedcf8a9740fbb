import type { InvalidParams } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { collectIssues } from '../../base/issues.ts';
import { createTurns } from '../../base/turns.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW, shardOf } from '../../engine/queue.ts';
import type { SequencedEvent } from '../../engine/sequencer.ts';
import { findMessages } from '../../messages/message.ts';
import type { Message } from '../../messages/schema.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import type { TriggerType } from '../definition/steps.ts';
import { runsQueue } from '../queues.ts';
import { freshState, type RunError } from '../runs/state.ts';
import type { Variable } from '../schema.ts';
import { fillVariables } from './api.ts';

interface TriggerableAutomation {
  id: string;
  version_id: string;
  trigger_type: TriggerType;
  channel_id: string | null;
  parameters: { keywords?: string[]; labelId?: string; fromAutomations?: boolean };
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
const messagesOfEvents = statement<[ids: string[]], { id: string; message_id: string }>(
  'events.messages',
  // Without automatic messages, such as out-of-office notes: an answer could start an endless exchange.
  `select e.id, m.id as message_id from events e
     join messages m on m.id = (e.data::json ->> 'id')::uuid and m.tenant_id = e.tenant_id and not m.is_automatic
    where e.id = any ($1::uuid[]) and e.tenant_id = $tenant`,
);
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
  ]
>(
  'automation_runs.insert_caused',
  // An event starts each automation once, even if its batch is repeated. Contacts that were deleted meanwhile are left
  // out.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, cause_event_id, status,
                                state, error, shard, scheduled_at, due_at, ended_at, created_at, updated_at)
   select n.id, $tenant, n.automation_id, n.version_id, c.id, h.id, n.event_id, n.status, n.state, n.error, n.shard, $1::timestamptz,
          case when n.error is null then ${DUE_NOW}::timestamptz end, case when n.error is not null then $1::timestamptz end,
          $1::timestamptz, $1::timestamptz
     from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::jsonb[],
                 $10::jsonb[], $11::smallint[])
       with ordinality as n (id, automation_id, version_id, contact_id, chat_id, event_id, status, state, error, shard, number)
     join contacts c on c.id = n.contact_id and c.tenant_id = $tenant
     left join chats h on h.id = n.chat_id and h.tenant_id = $tenant
    order by n.number
   on conflict (automation_id, cause_event_id) where cause_event_id is not null do nothing`,
);
const wakeWaiting = statement<[chatIds: string[]], { automation_id: string }>(
  'automation_runs.wake_waiting',
  // A held run continues as soon as it is released.
  `update automation_runs set due_at = case when held_due_at is null then ${DUE_NOW}::timestamptz end,
          held_due_at = case when held_due_at is not null then ${DUE_NOW}::timestamptz end
    where chat_id = any ($1::uuid[]) and tenant_id = $tenant and waiting_reply and status = 'waiting'
   returning automation_id`,
);

/** The trigger of an event, if it has one. Events of chats contain theirs, as not every change triggers automations. */
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

interface TriggeringEvent {
  event: SequencedEvent;
  trigger: TriggerType;
  message: Message | null;
  /** Whether the message contains one of the keywords. */
  hasKeyword(keywords: readonly string[]): boolean;
}

function starts(
  automation: TriggerableAutomation,
  { event, trigger, message, hasKeyword }: TriggeringEvent,
): boolean {
  const { parameters } = automation;
  if (automation.trigger_type !== trigger) return false;
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

async function messagesOf(tx: TenantTx, events: SequencedEvent[]): Promise<Map<string, Message>> {
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

/** The error of a run that cannot start because required variables have no value. */
export const missingVariables = (params: InvalidParams, cause: string): RunError => ({
  code: 'missing_variables',
  message: `The automation needs ${Object.keys(params).join(', ')}, which ${cause} cannot provide`,
});

/**
 * Starts the runs of automations that are triggered by these events, each once per event, and wakes runs that wait for a
 * reply in chats in which the contact wrote. The run itself looks up the reply under its lock.
 */
export async function startRuns(tx: TenantTx, events: SequencedEvent[]): Promise<void> {
  const repliedChats = [
    ...new Set(events.flatMap((event) => (event.type === 'message.received' && event.chat_id) || [])),
  ];
  const triggering = events.flatMap((event) => {
    const trigger = triggerOf(event);
    return trigger === undefined || event.contact_id === null ? [] : [{ event, trigger }];
  });
  const triggers = [...new Set(triggering.map(({ trigger }) => trigger))];
  const [woken, automations] = await Promise.all([
    repliedChats.length === 0 ? [] : tx.all(wakeWaiting, [repliedChats]),
    triggers.length === 0 ? [] : tx.all(findByTriggers, [triggers]),
  ]);
  for (const { automation_id } of woken) tx.wake(runsQueue, automation_id);
  if (automations.length === 0) return;
  const messages = await messagesOf(
    tx,
    triggering.map(({ event }) => event),
  );
  const runs: {
    id: string;
    automation: TriggerableAutomation;
    event: SequencedEvent;
    state: string;
    error: string | null;
  }[] = [];
  // Hundreds of long messages may meet hundreds of automations with a hundred keywords each.
  const turn = createTurns();
  for (const { event, trigger } of triggering) {
    const message = messages.get(event.id) ?? null;
    const happened = { event, trigger, message, hasKeyword: createKeywordFinder(message?.text ?? null) };
    for (const automation of automations) {
      const pause = turn();
      if (pause) await pause;
      if (!starts(automation, happened)) continue;
      const id = newId();
      const issues = collectIssues();
      const variables = fillVariables(automation.variables, {}, issues);
      runs.push({
        id,
        automation,
        event,
        state: JSON.stringify(freshState(id, variables, message?.id ?? null)),
        error: issues.isEmpty ? null : JSON.stringify(missingVariables(issues.params, 'an event')),
      });
    }
  }
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
  ]);
  for (const id of new Set(runs.map(({ automation }) => automation.id))) tx.wake(runsQueue, id);
}
