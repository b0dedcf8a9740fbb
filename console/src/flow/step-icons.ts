import type { IconName } from '../ui/icon.tsx';
import type { StepType, TriggerType } from './definition.ts';

/** The picture of each step. */
export const stepIcons: Readonly<Record<StepType, IconName>> = {
  send_message: 'send',
  send_template: 'template',
  wait: 'clock',
  wait_for_reply: 'reply',
  branch: 'branch',
  add_label: 'label',
  remove_label: 'label',
  set_attribute: 'edit',
  assign: 'assign',
  set_chat_status: 'inbox',
  subscribe: 'bell',
  unsubscribe: 'mute',
  http_request: 'webhook',
  end: 'stop',
};

export const triggerIcons: Readonly<Record<TriggerType, IconName>> = {
  message_received: 'channel',
  chat_opened: 'openMail',
  chat_closed: 'check',
  contact_created: 'contacts',
  label_added: 'label',
  schedule: 'clock',
  campaign: 'campaign',
  api: 'webhook',
};
