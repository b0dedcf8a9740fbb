import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Uuid } from '../../http/schema.ts';
import { exampleAutomation } from '../example.ts';
import { type Obstacle, obstacles } from './match.ts';

export const ExplainBody = Type.Object({
  eventId: Type.Optional(Uuid('An event of the last days')),
  messageId: Type.Optional(Uuid('A message of a contact, instead of an event')),
  automationIds: Type.Optional(
    Type.Array(Uuid(), { minItems: 1, maxItems: 100, description: 'Only these automations. Default: all' }),
  ),
});

/** Why an automation did not start, in words. */
const messages: Readonly<Record<Obstacle, string>> = {
  not_active: 'The automation was not active',
  published_later: 'The automation was published after the event',
  other_trigger: 'The trigger of the automation is for other events',
  triggers_off: 'The change was made without starting automations',
  unsubscribed: 'The message was an opt-out such as STOP',
  other_channel: 'The trigger of the automation is for another channel',
  automatic_mail: 'A machine wrote the message',
  no_keyword: 'The message has none of the keywords of the automation',
  other_label: 'Another label was added',
  from_automation: 'A run caused the event, and the trigger of the automation has no fromAutomations',
  assigned_to_user:
    'The chat was assigned to a user, and the trigger of the automation has no evenIfAssigned',
  paused: 'Automations were paused in the chat',
  chain_too_deep: 'Too many automations have started each other',
  missing_variables: 'A required variable has no value',
};

export const Reason = Type.Object({ code: OneOf(obstacles), message: Type.String() });
export type Reason = Static<typeof Reason>;
export const reasonOf = (code: Obstacle): Reason => ({ code, message: messages[code] });

export const Explanation = Type.Object(
  {
    automationId: Uuid(),
    name: Type.String(),
    versionId: Nullable(Uuid('The version that was in force at the event; null if none was')),
    eventId: Uuid('The event that started it, or that came nearest to it: a message can also open a chat'),
    started: Type.Boolean(),
    runId: Nullable(
      Uuid('The run. With `missing_variables` and `chain_too_deep` it failed before its first step'),
    ),
    continuedRunId: Nullable(
      Uuid(
        'The run that waited for the message as a reply and went on with it, also if the automation did not start another one',
      ),
    ),
    reasons: Type.Array(Reason, { description: 'Why it did not start; empty if it did' }),
  },
  { title: 'AutomationExplanation' },
);
export type Explanation = Static<typeof Explanation>;

export const exampleExplanation: Explanation = {
  automationId: exampleAutomation.id,
  name: exampleAutomation.name,
  versionId: exampleAutomation.latestVersionId,
  eventId: '019a82a0-0000-7000-8000-0000000000f0',
  started: false,
  runId: null,
  continuedRunId: null,
  reasons: [reasonOf('other_trigger')],
};
