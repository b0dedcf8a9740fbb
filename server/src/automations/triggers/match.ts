import type { InvalidParams } from '../../base/errors.ts';
import { collectIssues } from '../../base/issues.ts';
import type { PublishedEvent } from '../../engine/outbox.ts';
import type { TriggerType } from '../definition/steps.ts';
import type { RunError } from '../runs/state.ts';
import type { Scalar, Variable } from '../schema.ts';
import { fillVariables } from './api.ts';

/** Why an event did not start an automation, as the API shows it. */
export const obstacles = [
  'not_active',
  'published_later',
  'other_trigger',
  'triggers_off',
  'unsubscribed',
  'other_channel',
  'automatic_mail',
  'no_keyword',
  'other_label',
  'from_automation',
  'assigned_to_user',
  'paused',
  'chain_too_deep',
  'missing_variables',
] as const;
export type Obstacle = (typeof obstacles)[number];

/** A version of an automation that is in force. */
export interface TriggerableAutomation {
  id: string;
  version_id: string;
  trigger_type: TriggerType;
  channel_id: string | null;
  parameters: { keywords?: string[]; labelId?: string; fromAutomations?: boolean; evenIfAssigned?: boolean };
  variables: Variable[];
}

/** Why automations may have to stay silent in a chat. */
export interface ChatPause {
  is_assigned: boolean;
  /** As it was set by hand. */
  automation_pause: boolean | null;
}

/** The message of an event, as far as automations are chosen by it. */
interface TriggeringMessage {
  text: string | null;
  isAutomatic: boolean;
}

/** An event with what decides about the automations that it starts. */
export interface Occurrence {
  event: Pick<PublishedEvent, 'type' | 'facts' | 'origin_run_id' | 'channel_id' | 'contact_id'>;
  /** Null for an event that is not about a message, and for one whose message is deleted. */
  message: TriggeringMessage | null;
  /** Undefined for a chat in which automations may speak, and for triggers that answer nobody. */
  pause: ChatPause | undefined;
  /** Whether the message contains one of the keywords. */
  hasKeyword(keywords: readonly string[]): boolean;
}

export type Decision =
  | { obstacle: null; error: null; variables: Record<string, Scalar>; chainDepth: number }
  /** With an error there is a run all the same, which has failed. */
  | { obstacle: Obstacle; error: RunError | null; variables: Record<string, Scalar>; chainDepth: number };

/** The triggers that each type of event can fire. */
const TRIGGERS: Readonly<Record<string, readonly TriggerType[]>> = {
  'message.received': ['message_received'],
  'contact.created': ['contact_created', 'label_added'],
  'contact.labels_added': ['label_added'],
  'chat.created': ['chat_opened'],
  'chat.status_changed': ['chat_opened', 'chat_closed'],
};

/** The triggers that answer the contact. A closed chat has nobody to disturb. */
export const ANSWERING: ReadonlySet<TriggerType> = new Set(['message_received', 'chat_opened']);

/** So many runs may follow each other, each started by an event of the one before. */
const MAX_CHAIN_DEPTH = 10;
const CHAIN_TOO_LONG: RunError = {
  code: 'chain_too_long',
  message: `The run would be the ${MAX_CHAIN_DEPTH + 2}th in a chain of runs that start each other. Change the automations so that the chain ends: perhaps one triggers itself with fromAutomations`,
};

/** The error of a run that cannot start because required variables have no value. */
export const missingVariables = (params: InvalidParams, cause: string): RunError => ({
  code: 'missing_variables',
  message: `The automation needs ${Object.keys(params).join(', ')}, which ${cause} cannot provide`,
});

/** Why an event does not fire a trigger; undefined if it does. Events of chats contain the trigger that they fire. */
function findObstacleOfEvent(event: Occurrence['event'], trigger: TriggerType): Obstacle | undefined {
  const { type, facts, contact_id } = event;
  if (contact_id === null || !TRIGGERS[type]?.includes(trigger)) return 'other_trigger';
  if (facts?.triggerAutomations === false)
    return facts.isOptOut ? 'unsubscribed' : facts.isAutomatic ? 'automatic_mail' : 'triggers_off';
  if (type === 'contact.created' && trigger === 'label_added')
    return facts?.labelIds === undefined ? 'other_trigger' : undefined;
  if (type !== 'chat.created' && type !== 'chat.status_changed') return undefined;
  if (facts?.trigger === undefined) return 'triggers_off';
  return facts.trigger === trigger ? undefined : 'other_trigger';
}

/** The triggers that an event fires. */
export const triggersOf = (event: Occurrence['event']): TriggerType[] =>
  (TRIGGERS[event.type] ?? []).filter((trigger) => findObstacleOfEvent(event, trigger) === undefined);

/** How many runs came before a run that this event starts. */
const chainDepthOf = ({ origin_run_id, facts }: Occurrence['event']): number =>
  origin_run_id === null ? 0 : ((facts?.chainDepth as number | undefined) ?? 0) + 1;

function findObstacle(automation: TriggerableAutomation, occurrence: Occurrence): Obstacle | undefined {
  const { parameters, trigger_type: trigger, channel_id } = automation;
  const { event, message, pause, hasKeyword } = occurrence;
  const ofEvent = findObstacleOfEvent(event, trigger);
  if (ofEvent !== undefined) return ofEvent;
  // For an event without a channel, the automation's channel is only where the run sends.
  if (event.channel_id !== null && channel_id !== null && event.channel_id !== channel_id)
    return 'other_channel';
  if (trigger === 'message_received') {
    if (message === null) return 'other_trigger';
    // An answer to an out-of-office note, for example, could start an endless exchange.
    if (message.isAutomatic) return 'automatic_mail';
    if (parameters.keywords && !hasKeyword(parameters.keywords)) return 'no_keyword';
  }
  if (trigger === 'label_added') {
    const added = (event.facts?.labelIds ?? []) as string[];
    if (!added.includes(parameters.labelId as string)) return 'other_label';
  }
  if (event.origin_run_id !== null && parameters.fromAutomations !== true) return 'from_automation';
  // Last, because it depends on the moment: it is only noted if it decides.
  if (!pause || !ANSWERING.has(trigger) || pause.automation_pause === false) return undefined;
  if (pause.automation_pause) return 'paused';
  return pause.is_assigned && parameters.evenIfAssigned !== true ? 'assigned_to_user' : undefined;
}

/** Decides whether an event starts an automation. Every start by an event, and every explanation of one, comes from here. */
export function matchAutomation(automation: TriggerableAutomation, occurrence: Occurrence): Decision {
  const chainDepth = chainDepthOf(occurrence.event);
  const obstacle = findObstacle(automation, occurrence);
  if (obstacle !== undefined) return { obstacle, error: null, variables: {}, chainDepth };
  const issues = collectIssues();
  const variables = fillVariables(automation.variables, {}, issues);
  if (chainDepth > MAX_CHAIN_DEPTH)
    return { obstacle: 'chain_too_deep', error: CHAIN_TOO_LONG, variables, chainDepth };
  if (issues.isEmpty) return { obstacle: null, error: null, variables, chainDepth };
  const error = missingVariables(issues.params, 'an event');
  return { obstacle: 'missing_variables', error, variables, chainDepth };
}
