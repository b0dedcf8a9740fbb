import { ApiError, invalidParam } from '../../base/errors.ts';
import { firstIdAt, timeOfId } from '../../base/ids.ts';
import { createTurns } from '../../base/turns.ts';
import type { Queryable } from '../../db/queryable.ts';
import { statement, systemStatement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { Principal } from '../../http/permissions.ts';
import { createKeywordFinder } from '../definition/keywords.ts';
import { type Explanation, reasonOf } from './explanation.ts';
import { type ChatPause, matchAutomation, type Obstacle, type TriggerableAutomation } from './match.ts';

interface ExplainedEvent {
  id: string;
  sequence: number | null;
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  origin_run_id: string | null;
  facts: Record<string, unknown> | null;
  message_id: string | null;
  /** As they were when the event was published. */
  text: string | null;
  is_automatic: boolean | null;
  /** The text of the message now: events in sensitive chats have none. */
  stored_text: string | null;
  /** The run that waited for the message as a reply. */
  reply_run_id: string | null;
  is_paused: boolean | null;
}

const EVENT = `e.id, e.sequence, e.type, e.channel_id, e.contact_id, e.origin_run_id, e.facts,
  case when e.type = 'message.received' then (e.data::json ->> 'id')::uuid end as message_id,
  case when e.type = 'message.received' then e.data::json ->> 'text' end as text,
  case when e.type = 'message.received' then (e.data::json ->> 'isAutomatic')::boolean end as is_automatic,
  case when e.type = 'message.received' then (
    select m.text from visible_messages m where m.id = (e.data::json ->> 'id')::uuid and (m.tenant_id = $tenant) is true
  ) end as stored_text,
  case when e.type = 'message.received' then (
    select m.reply_run_id from visible_messages m where m.id = (e.data::json ->> 'id')::uuid and (m.tenant_id = $tenant) is true
  ) end as reply_run_id,
  (select s.is_paused from silenced_events s where s.event_id = e.id and s.tenant_id = $tenant) as is_paused`;

const eventById = statement<[id: string], ExplainedEvent>(
  'automations.explained_event',
  `select ${EVENT} from visible_events e where e.id = $1 and e.tenant_id = $tenant`,
);
const messageById = statement<[id: string], { sender: string; contact_id: string }>(
  'automations.explained_message',
  'select sender, contact_id from visible_messages where id = $1 and tenant_id = $tenant',
);
const eventsOfMessage = statement<
  [messageId: string, contactId: string, from: string, to: string],
  ExplainedEvent
>(
  'automations.events_of_message',
  // An index leads to the events of the contact; the range of ids to two hours of them. A message may also have created its
  // contact, and created or opened its chat.
  `select ${EVENT} from visible_events e
    where e.contact_id = $2 and (e.tenant_id = $tenant) is true and e.id >= $3 and e.id < $4
      and case e.type when 'message.received' then e.data::json ->> 'id' = $1::text
                      when 'contact.created' then e.facts ->> 'messageId' = $1::text
                      when 'chat.created' then e.facts ->> 'messageId' = $1::text
                      when 'chat.status_changed' then e.facts ->> 'messageId' = $1::text
                      else false end
    order by e.type = 'message.received' desc, e.id limit 10`,
);

/** An automation with the version that was in force at the event, or that its run uses. */
interface ExplainedAutomation extends Omit<TriggerableAutomation, 'version_id' | 'trigger_type'> {
  name: string;
  version_id: string | null;
  trigger_type: TriggerableAutomation['trigger_type'] | null;
  was_active_before: boolean;
  was_active_after: boolean;
  run_id: string | null;
  /** The channel of its chat. */
  run_channel_id: string | null;
  continued_run_id: string | null;
}
const automationsAt = statement<
  [eventId: string, automationIds: string[] | null, limit: number, replyRunId: string | null],
  ExplainedAutomation
>(
  'automations.in_force_at',
  `select a.id, a.name, v.id as version_id, v.definition #>> '{trigger,type}' as trigger_type,
          (v.definition #>> '{trigger,parameters,channelId}')::uuid as channel_id,
          coalesce(v.definition #> '{trigger,parameters}', '{}') as parameters,
          coalesce(v.definition -> 'variables', '[]') as variables,
          exists (select 1 from automation_activations b
            where b.automation_id = a.id and (b.tenant_id = $tenant) is true and b.id < $1) as was_active_before,
          exists (select 1 from automation_activations b
            where b.automation_id = a.id and (b.tenant_id = $tenant) is true and b.id > $1) as was_active_after,
          r.id as run_id, c.id as continued_run_id,
          (select k.channel_id from visible_chats k where k.id = r.chat_id and (k.tenant_id = $tenant) is true) as run_channel_id
     from automations a
     left join lateral (
       select b.version_id from automation_activations b
        where b.automation_id = a.id and (b.tenant_id = $tenant) is true and b.id < $1 and (b.ended_id is null or b.ended_id > $1)
        order by b.id desc limit 1) b on true
     left join visible_automation_runs r
       on r.automation_id = a.id and r.cause_event_id = $1 and (r.tenant_id = $tenant) is true
     left join visible_automation_runs c on c.id = $4 and c.automation_id = a.id and c.tenant_id = $tenant
     left join automation_versions v on v.id = coalesce(r.version_id, b.version_id) and v.tenant_id = a.tenant_id
    where a.tenant_id = $tenant and not a.is_hidden and ($2::uuid[] is null or a.id = any ($2::uuid[]))
    order by a.created_at, a.id limit $3`,
);

const sweepSilenced = systemStatement<[before: string]>(
  'silenced_events.sweep',
  'delete from silenced_events where event_id < $1',
);

/** Deletes what was noted about events that are older. */
export const sweepSilencedEvents = (db: Pick<Queryable, 'run'>, before: Date): Promise<number> =>
  db.run(sweepSilenced, [firstIdAt(before)]);

const MAX_AUTOMATIONS = 1_000;
const HOUR_MS = 3600_000;

/** The ids around that of a message, between which its event is: both are made for one transaction. */
const idsAround = (messageId: string): [from: string, to: string] => {
  const ms = timeOfId(messageId);
  return [firstIdAt(new Date(ms - HOUR_MS)), firstIdAt(new Date(ms + HOUR_MS))];
};

async function requireEventsOfMessage(db: TenantReader, messageId: string): Promise<ExplainedEvent[]> {
  const message = await db.find(messageById, [messageId]);
  if (!message) throw new ApiError('message_not_found');
  if (message.sender !== 'inbound')
    throw invalidParam('messageId', 'custom', 'Only messages of contacts start automations');
  const events = await db.all(eventsOfMessage, [messageId, message.contact_id, ...idsAround(messageId)]);
  if (events[0]?.type !== 'message.received')
    throw new ApiError('event_not_found', {
      detail: 'the message was imported, or its event is older than the events that are kept',
    });
  return events;
}

/** Callers who are restricted to channels see no events of others. Those of runs and jobs have no channel. */
const isVisible = ({ channelIds }: Principal, { channel_id, type }: ExplainedEvent): boolean =>
  channelIds === undefined ||
  (channel_id === null ? !/^(?:automation|job)\./.test(type) : channelIds.has(channel_id));

/** An event without a channel may start a run that writes in any chat. */
const isHidden = ({ channelIds }: Principal, channelId: string | null): boolean =>
  channelIds !== undefined && channelId !== null && !channelIds.has(channelId);

export interface ExplainRequest {
  eventId?: string;
  messageId?: string;
  automationIds?: string[];
}

/** The event, or all events by which the message could start automations. */
async function requireEvents(
  db: TenantReader,
  { eventId, messageId }: ExplainRequest,
  principal: Principal,
): Promise<ExplainedEvent[]> {
  if ((eventId === undefined) === (messageId === undefined))
    throw eventId === undefined
      ? invalidParam('eventId', 'invalid_type', 'Required, unless messageId is given')
      : invalidParam('messageId', 'custom', 'Only one of eventId and messageId is allowed');
  const events =
    messageId === undefined
      ? await db.all(eventById, [eventId as string])
      : await requireEventsOfMessage(db, messageId.toLowerCase());
  if (events.length === 0 || !events.every((event) => isVisible(principal, event)))
    throw new ApiError('event_not_found');
  if (events.some(({ sequence }) => sequence === null))
    throw new ApiError('conflict', { detail: 'the event is still being handled; try again in a moment' });
  return events;
}

const pauseOf = ({ is_paused }: ExplainedEvent): ChatPause | undefined =>
  is_paused === null ? undefined : { is_assigned: true, automation_pause: is_paused || null };

/** Why nothing was in force at the event. */
const obstacleOfInactive = ({ was_active_before, was_active_after }: ExplainedAutomation): Obstacle =>
  !was_active_before && was_active_after ? 'published_later' : 'not_active';

/** For every automation: whether an event started it, or why not, by the version that was in force at the event. */
async function explainEvent(
  db: TenantReader,
  event: ExplainedEvent,
  { automationIds }: ExplainRequest,
  principal: Principal,
): Promise<Explanation[]> {
  const rows = await db.all(automationsAt, [
    event.id,
    automationIds ?? null,
    MAX_AUTOMATIONS,
    event.reply_run_id,
  ]);
  const text = event.text ?? event.stored_text;
  const occurrence = {
    event,
    message: event.message_id === null ? null : { text, isAutomatic: event.is_automatic === true },
    pause: pauseOf(event),
    hasKeyword: createKeywordFinder(text),
  };
  const turn = createTurns();
  const automations: Explanation[] = [];
  for (const row of rows) {
    await turn();
    const { id, name, version_id, trigger_type, run_id, continued_run_id } = row;
    const decision =
      version_id === null || trigger_type === null
        ? { obstacle: obstacleOfInactive(row), error: null }
        : matchAutomation({ ...row, version_id, trigger_type }, occurrence);
    // A run that has not failed at once proves that it started. Without one, the version came while the event was handled.
    const started = run_id !== null && decision.error === null;
    automations.push({
      automationId: id,
      name,
      versionId: version_id,
      eventId: event.id,
      started,
      runId: isHidden(principal, row.run_channel_id) ? null : run_id,
      continuedRunId: continued_run_id,
      reasons: started ? [] : [reasonOf(decision.obstacle ?? 'published_later')],
    });
  }
  return automations;
}

/** How near an automation came to starting. */
const rankOf = ({ started, reasons }: Explanation): number =>
  started ? 2 : reasons.some(({ code }) => code !== 'other_trigger') ? 1 : 0;

/** Explains an event, or all events of a message: of each automation, what came nearest to starting it. */
export async function explainStarts(
  db: TenantReader,
  request: ExplainRequest,
  principal: Principal,
): Promise<Explanation[]> {
  const explained = new Map<string, Explanation>();
  for (const event of await requireEvents(db, request, principal))
    for (const one of await explainEvent(db, event, request, principal)) {
      const before = explained.get(one.automationId);
      const nearest = before && rankOf(before) >= rankOf(one) ? before : one;
      const continuedRunId = before?.continuedRunId ?? one.continuedRunId;
      explained.set(one.automationId, { ...nearest, continuedRunId });
    }
  return [...explained.values()];
}
