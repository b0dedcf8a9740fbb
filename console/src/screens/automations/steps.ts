import type { AutomationVersion } from '@parley/sdk';
import type { FlowDefinition, Parameters, StepType, TriggerType } from '../../flow/definition.ts';

/** What the id of a new step begins with. */
export const stepIdBase: Readonly<Record<StepType, string>> = {
  send_message: 'message',
  send_template: 'template',
  wait: 'wait',
  wait_for_reply: 'reply',
  branch: 'decision',
  add_label: 'add_label',
  remove_label: 'remove_label',
  set_attribute: 'attribute',
  assign: 'assign',
  set_chat_status: 'status',
  subscribe: 'subscribe',
  unsubscribe: 'unsubscribe',
  http_request: 'call',
  end: 'end',
};

/** What a new step begins with. `to` is the step after it. */
export function initialParameters(type: StepType, to: string): Parameters {
  const initial: Partial<Record<StepType, Parameters>> = {
    send_message: { text: '' },
    send_template: { templateId: '' },
    wait: { for: 'PT1H' },
    wait_for_reply: { timeout: 'P1D' },
    branch: { cases: [{ when: '', next: to }] },
    add_label: { labelId: '' },
    remove_label: { labelId: '' },
    set_attribute: { externalId: '', value: '' },
    set_chat_status: { status: 'closed' },
    http_request: { method: 'POST', url: '' },
  };
  return initial[type] ?? {};
}

/** What a trigger begins with. */
export function initialTrigger(type: TriggerType): Parameters {
  if (type === 'label_added') return { labelId: '' };
  return type === 'schedule'
    ? {
        rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0',
        audience: '',
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      }
    : {};
}

/** The triggers of automations that nobody asked for; what they send is marketing, unless something else is chosen. */
const MARKETING: ReadonlySet<TriggerType> = new Set([
  'schedule',
  'label_added',
  'contact_created',
  'campaign',
]);

export const purposeOf = ({ purpose, trigger }: FlowDefinition): AutomationVersion['purpose'] =>
  purpose ?? (MARKETING.has(trigger.type) ? 'marketing' : 'service');

/** The definition of a version. A purpose that the trigger implies is left out, so that it follows the trigger. */
export function definitionOf({ purpose, trigger, variables, steps }: AutomationVersion): FlowDefinition {
  const definition = { trigger, variables, steps };
  return purposeOf(definition) === purpose ? definition : { ...definition, purpose };
}
