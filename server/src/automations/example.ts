import type { Automation, AutomationRun, AutomationVersion } from './schema.ts';

const createdAt = '2026-11-15T01:02:03.456Z';

const version: AutomationVersion = {
  id: '019a82a0-0000-7000-8000-000000000071',
  number: 1,
  purpose: 'marketing',
  trigger: { type: 'label_added', parameters: { labelId: '019a82a0-0000-7000-8000-000000000040' } },
  variables: [{ name: 'plan', type: 'string', required: true }],
  steps: [
    { id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}!' } },
    {
      id: 'choose',
      type: 'branch',
      parameters: { cases: [{ when: 'eq(variables.plan,"gold")', next: 'done' }], else: 'hello' },
    },
    { id: 'done', type: 'end', parameters: {} },
  ],
  createdAt,
};

/** The automation in the examples of the API reference. */
export const exampleAutomation: Automation = {
  id: '019a82a0-0000-7000-8000-000000000070',
  createdAt,
  updatedAt: createdAt,
  name: 'Welcome',
  status: 'active',
  activeVersionId: version.id,
  activeVersionTriggerType: 'label_added',
  activeVersionTriggerParametersChannelId: null,
  latestVersionTriggerType: 'label_added',
  latestVersionTriggerParametersChannelId: null,
  latestVersionId: version.id,
  activeVersion: version,
  latestVersion: version,
};

/** The same automation as the body of a request. */
export const exampleDefinition = {
  name: exampleAutomation.name,
  trigger: version.trigger,
  variables: version.variables,
  steps: version.steps,
};

/** The run in the examples of the API reference. */
export const exampleRun: AutomationRun = {
  id: '019a82a0-0000-7000-8000-000000000072',
  automationId: exampleAutomation.id,
  versionId: version.id,
  contactId: '019a82a0-0000-7000-8000-000000000011',
  chatId: null,
  campaignId: null,
  status: 'scheduled',
  variables: { plan: 'gold' },
  scheduledAt: createdAt,
  startedAt: null,
  endedAt: null,
  step: null,
  error: null,
  createdAt,
  updatedAt: createdAt,
};
