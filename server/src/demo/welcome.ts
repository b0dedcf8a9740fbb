import type { AutomationInput } from '../automations/automation.ts';

/** Greets everybody who begins a chat, asks what it is about, and gives the chat to a team unless it can answer itself. */
export const welcome = (ids: { channelId: string; teamId: string; repairsId: string }): AutomationInput => ({
  name: 'Welcome',
  purpose: 'service',
  trigger: { type: 'chat_opened', parameters: { channelId: ids.channelId } },
  steps: [
    {
      id: 'hello',
      type: 'send_message',
      parameters: {
        text: "Hello {{ contact.firstName | default: 'there' }}! This is the assistant of the bicycle shop. What is it about?",
        interactive: {
          buttons: [
            { id: 'repair', title: 'A repair' },
            { id: 'order', title: 'My order' },
            { id: 'hours', title: 'Opening hours' },
          ],
        },
      },
    },
    { id: 'answer', type: 'wait_for_reply', parameters: { timeout: 'P1D', onTimeout: 'done' } },
    {
      id: 'which',
      type: 'branch',
      parameters: {
        cases: [
          { when: 'hasWord(message.text,"hours")', next: 'hours' },
          { when: 'hasWord(message.text,"repair")', next: 'is_repair' },
        ],
        else: 'to_person',
      },
    },
    {
      id: 'hours',
      type: 'send_message',
      parameters: { text: 'We are open from Tuesday to Saturday, ten to six. See you soon!' },
      next: 'done',
    },
    { id: 'is_repair', type: 'add_label', parameters: { labelId: ids.repairsId } },
    {
      id: 'to_person',
      type: 'send_message',
      parameters: { text: 'Thank you. Somebody from the shop will be with you in a moment.' },
    },
    { id: 'to_team', type: 'assign', parameters: { teamId: ids.teamId } },
    { id: 'done', type: 'end', parameters: {} },
  ],
});
