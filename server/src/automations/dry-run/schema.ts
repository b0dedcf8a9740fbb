import { type Static, Type } from 'typebox';
import { Change } from '../../contacts/timeline/schema.ts';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';
import { messageTypes } from '../../providers/kinds.ts';
import { exampleAutomation, exampleRun } from '../example.ts';
import { AutomationTrigger, Definition, Failure, TraceEntry } from '../schema.ts';
import { Reason } from '../triggers/explanation.ts';

const MAX_TEXT = 65_536;
const MAX_REPLIES = 50;

const written = {
  type: Type.Optional(OneOf(messageTypes, '`text` by default, `email` on email channels')),
  text: Type.Optional(Type.String({ maxLength: MAX_TEXT })),
  content: Type.Optional(
    FreeObject('As in messages, such as `{ id, title }` of a button for the type `interactive`'),
  ),
};

const WrittenMessage = Type.Object({
  ...written,
  channelId: Type.Optional(
    Uuid(
      'Where the contact writes. Default: the channel of the trigger, else of the latest chat, else the first that reaches the contact',
    ),
  ),
});
export type WrittenMessage = Static<typeof WrittenMessage>;

const Reply = Type.Object({
  ...written,
  after: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'How long after the question, as an ISO 8601 duration. Default: a minute',
    }),
  ),
});
export type Reply = Static<typeof Reply>;

const Response = Type.Object({
  status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599, description: '200 by default' })),
  body: Type.Optional(Type.Unsafe<unknown>({ description: 'Any JSON; `{}` by default' })),
});

export const DryRunBody = Type.Object({
  contactId: Uuid('For whom'),
  chatId: Type.Optional(Uuid('The chat in which the run begins, if no message does')),
  message: Type.Optional(WrittenMessage),
  variables: AutomationTrigger.properties.variables,
  replies: Type.Optional(
    Type.Array(Reply, {
      maxItems: MAX_REPLIES,
      description:
        'What the contact answers to each `wait_for_reply` in turn. One without text and content, or a missing one, is no answer: the time passes',
    }),
  ),
  responses: Type.Optional(
    Type.Unsafe<Record<string, Static<typeof Response>>>({
      type: 'object',
      maxProperties: 200,
      additionalProperties: Response,
      description: 'What the calls of `http_request` steps return, by the id of the step',
    }),
  ),
  at: Type.Optional(Timestamp('When the run begins. Default: now')),
  versionId: Type.Optional(Uuid('A version of the automation. Default: the latest')),
  definition: Type.Optional(
    Type.Object(
      {
        purpose: Definition.properties.purpose,
        trigger: Definition.properties.trigger,
        variables: Type.Optional(Definition.properties.variables),
        steps: Definition.properties.steps,
      },
      { description: 'A definition that is not saved, instead of a version' },
    ),
  ),
});
export type DryRunBody = Static<typeof DryRunBody>;

const SentMessage = Type.Object({
  text: Nullable(Type.String()),
  step: Type.String({ description: 'The id of the step that would send it' }),
  at: Timestamp(),
  channelId: Uuid(),
  chatId: Nullable(Uuid('Null for a chat that would be created')),
  type: OneOf(messageTypes),
  media: Type.Array(FreeObject('A file')),
  content: FreeObject('Depends on the type'),
});

const { detail: _detail, startedAt: _startedAt, ...entry } = TraceEntry.properties;
const DryRunEntry = Type.Object({
  ...entry,
  at: Timestamp('When the step would begin'),
  input: FreeObject(
    'The parameters of the step. Of `http_request` the call: `method`, `url`, `headers` and `body` (both null if it uses secrets), `usesSecrets`',
  ),
  output: FreeObject(
    'What came of it: the message that the step would send, the `status` and `body` of the response of a call, else what the trace of a run has as `detail`',
  ),
  why: Type.String({
    description:
      'What decided: the case of a branch with the values that it compared, the time of a wait, the error, else the step before',
  }),
  isAssumed: Nullable(
    Type.Boolean({ description: 'Whether no response was given for the call; null for a step without one' }),
  ),
});

const dryRunStatuses = ['completed', 'failed', 'cancelled', 'stopped'] as const;

export const DryRun = Type.Object(
  {
    automationId: Uuid(),
    versionId: Nullable(Uuid('Null for a definition that is not saved')),
    contactId: Uuid(),
    startReason: Nullable({
      ...Reason,
      description: 'Why the given message would not start the automation; null if it would, or without one',
    }),
    status: OneOf(dryRunStatuses, '`stopped` if the dry run ended before the run did'),
    stoppedBy: Type.Unsafe<'too_many_steps' | 'too_slow' | null>({
      type: ['string', 'null'],
      enum: ['too_many_steps', 'too_slow', null],
      description: 'After 300 steps, or after some seconds',
    }),
    startedAt: Timestamp(),
    endedAt: Timestamp('When the last step would be done'),
    variables: FreeObject('The variables of the run, defaults included'),
    error: Failure,
    trace: Type.Array(DryRunEntry),
    messages: Type.Array(SentMessage, { description: 'What the run would send, in order' }),
    changes: Type.Array(Change, {
      description: 'What of the contact and of the chat would be different at the end',
    }),
  },
  { title: 'AutomationDryRun' },
);
export type DryRun = Static<typeof DryRun>;

export const exampleDryRun: DryRun = {
  automationId: exampleAutomation.id,
  versionId: exampleAutomation.latestVersionId,
  contactId: exampleRun.contactId,
  startReason: null,
  status: 'completed',
  stoppedBy: null,
  startedAt: exampleRun.createdAt,
  endedAt: exampleRun.createdAt,
  variables: exampleRun.variables,
  error: null,
  trace: [
    {
      number: 1,
      step: 'done',
      type: 'end',
      status: 'completed',
      error: null,
      at: exampleRun.createdAt,
      endedAt: exampleRun.createdAt,
      input: {},
      output: {},
      why: 'It is the first step',
      isAssumed: null,
    },
  ],
  messages: [],
  changes: [],
};
