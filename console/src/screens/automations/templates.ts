import type { FlowDefinition } from '../../flow/definition.ts';
import type { Translator } from '../../i18n/i18n.tsx';

/** What a new automation can begin with. */
export const templateNames = ['empty', 'welcome', 'appointment', 'cart', 'person'] as const;
export type TemplateName = (typeof templateNames)[number];

/** The definition of a template, with texts in the language of the person; undefined for the empty one. */
export function templateOf(name: TemplateName, t: Translator['t']): FlowDefinition | undefined {
  return name === 'empty' ? undefined : TEMPLATES[name](t);
}

/** The customer's first name, or something friendly. */
export const firstName = (t: Translator['t']): string =>
  `{{ contact.firstName | default: '${t('automations.there')}' }}`;

const hasWord = (word: string): string => `hasWord(message.text,"${word}")`;

const TEMPLATES: Record<Exclude<TemplateName, 'empty'>, (t: Translator['t']) => FlowDefinition> = {
  welcome: (t) => ({
    trigger: { type: 'chat_opened', parameters: {} },
    variables: [],
    steps: [
      {
        id: 'hello',
        type: 'send_message',
        parameters: { text: t('automations.text.welcome', { name: firstName(t) }) },
      },
      { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'quiet' } },
      {
        id: 'which',
        type: 'branch',
        parameters: {
          cases: [
            { when: hasWord(t('automations.text.orderWord')), next: 'is_order' },
            { when: hasWord(t('automations.text.buyWord')), next: 'is_sale' },
          ],
          else: 'unclear',
        },
      },
      { id: 'is_order', type: 'add_label', parameters: { labelId: '' } },
      {
        id: 'order_text',
        type: 'send_message',
        parameters: { text: t('automations.text.order') },
        next: 'to_team',
      },
      { id: 'is_sale', type: 'add_label', parameters: { labelId: '' } },
      {
        id: 'sale_text',
        type: 'send_message',
        parameters: { text: t('automations.text.sale') },
        next: 'to_team',
      },
      { id: 'unclear', type: 'send_message', parameters: { text: t('automations.text.person') } },
      { id: 'to_team', type: 'assign', parameters: { teamId: '' }, next: 'done' },
      { id: 'quiet', type: 'set_chat_status', parameters: { status: 'closed' } },
      { id: 'done', type: 'end', parameters: {} },
    ],
  }),
  appointment: (t) => ({
    trigger: { type: 'api', parameters: {} },
    variables: [
      { name: 'appointmentId', type: 'string', required: true },
      { name: 'remindAt', type: 'string', required: true },
      { name: 'when', type: 'string', required: true },
    ],
    steps: [
      { id: 'sleep', type: 'wait', parameters: { until: '{{ variables.remindAt }}' } },
      { id: 'remind', type: 'send_template', parameters: { templateId: '' } },
      { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'PT20H', onTimeout: 'done' } },
      {
        id: 'which',
        type: 'branch',
        parameters: {
          cases: [{ when: hasWord(t('automations.text.yesWord')), next: 'thanks' }],
          else: 'unclear',
        },
      },
      {
        id: 'thanks',
        type: 'send_message',
        parameters: { text: t('automations.text.confirmed') },
        next: 'done',
      },
      { id: 'unclear', type: 'send_message', parameters: { text: t('automations.text.person') } },
      { id: 'to_team', type: 'assign', parameters: { teamId: '' } },
      { id: 'done', type: 'end', parameters: {} },
    ],
  }),
  cart: (t) => ({
    trigger: { type: 'label_added', parameters: { labelId: '' } },
    variables: [],
    steps: [
      { id: 'hour', type: 'wait', parameters: { for: 'PT1H' } },
      {
        id: 'still',
        type: 'branch',
        parameters: { cases: [{ when: '', next: 'remind' }], else: 'done' },
      },
      { id: 'remind', type: 'send_message', parameters: { text: t('automations.text.cart') } },
      { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'done' } },
      { id: 'person', type: 'assign', parameters: { teamId: '' } },
      { id: 'done', type: 'end', parameters: {} },
    ],
  }),
  person: (t) => ({
    trigger: {
      type: 'message_received',
      parameters: { keywords: t('automations.text.personWords').split(', ') },
    },
    variables: [],
    steps: [
      { id: 'notice', type: 'send_message', parameters: { text: t('automations.text.person') } },
      { id: 'to_team', type: 'assign', parameters: { teamId: '' } },
      { id: 'done', type: 'end', parameters: {} },
    ],
  }),
};
