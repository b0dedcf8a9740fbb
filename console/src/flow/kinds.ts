import type { StepType, TriggerType } from './definition.ts';

/** Every type of step, in the order in which they are offered. */
export const stepTypes = [
  'send_message',
  'send_template',
  'wait',
  'wait_for_reply',
  'branch',
  'add_label',
  'remove_label',
  'set_attribute',
  'assign',
  'set_chat_status',
  'subscribe',
  'unsubscribe',
  'http_request',
  'end',
] as const satisfies readonly StepType[];

/** Every type of trigger, in the order in which they are offered. */
export const triggerTypes = [
  'message_received',
  'chat_opened',
  'chat_closed',
  'contact_created',
  'label_added',
  'schedule',
  'campaign',
  'api',
] as const satisfies readonly TriggerType[];
