import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../../http/schema.ts';
import { exampleAutomation, exampleRun } from '../example.ts';
import { type Obstacle, obstacles } from './match.ts';

export const ExplainBody = Type.Object({
  eventId: Type.Optional(Uuid('An event of the last days')),
  messageId: Type.Optional(Uuid('A message of a contact, instead of an event')),
  automationIds: Type.Optional(
    Type.Array(Uuid(), { minItems: 1, maxItems: 100, description: 'Only these automations. Default: all' }),
  ),
});

export const Explanation = Type.Object(
  {
    event: Type.Object({
      id: Uuid(),
      type: Type.String(),
      createdAt: Timestamp(),
      channelId: Nullable(Uuid()),
      contactId: Nullable(Uuid()),
      chatId: Nullable(Uuid()),
      messageId: Nullable(Uuid('The message of `message.received`')),
    }),
    automations: Type.Array(
      Type.Object({
        automationId: Uuid(),
        name: Type.String(),
        versionId: Nullable(Uuid('The version that was in force at the event; null if none was')),
        hasStarted: Type.Boolean(),
        runId: Nullable(
          Uuid('The run. With `missing_variables` and `chain_too_deep` it failed before its first step'),
        ),
        continuedRunId: Nullable(
          Uuid(
            'The run that waited for the message as a reply and went on with it, also if the automation did not start another one',
          ),
        ),
        reason: Type.Unsafe<Obstacle | null>({
          type: ['string', 'null'],
          enum: [...obstacles, null],
          description: 'Why it did not start; null if it did',
        }),
      }),
      { description: 'In the order of their creation' },
    ),
    isComplete: Type.Boolean({ description: 'False if the tenant has more than 1000 automations' }),
  },
  { title: 'AutomationExplanation' },
);
export type Explanation = Static<typeof Explanation>;

export const exampleExplanation: Explanation = {
  event: {
    id: '019a82a0-0000-7000-8000-0000000000f0',
    type: 'message.received',
    createdAt: exampleRun.createdAt,
    channelId: '019a82a0-0000-7000-8000-000000000020',
    contactId: exampleRun.contactId,
    chatId: '019a82a0-0000-7000-8000-000000000010',
    messageId: '019a82a0-0000-7000-8000-000000000030',
  },
  automations: [
    {
      automationId: exampleAutomation.id,
      name: exampleAutomation.name,
      versionId: exampleAutomation.latestVersionId,
      hasStarted: false,
      runId: null,
      continuedRunId: null,
      reason: 'other_trigger',
    },
  ],
  isComplete: true,
};
