import { type Static, Type } from 'typebox';
import { purposes } from '../contacts/consent/schema.ts';
import { DOCUMENTED, FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { documentedStep, documentedTrigger } from './definition/documented-steps.ts';
import { step } from './definition/rules.ts';
import { RULE } from './definition/schema-walker.ts';
import { MAX_STEP_ID, NAME, stepTypes, type TriggerType, triggerTypes } from './definition/steps.ts';

export const automationStatuses = ['draft', 'active', 'inactive', 'archived'] as const;
export const runStatuses = ['scheduled', 'running', 'waiting', 'completed', 'failed', 'cancelled'] as const;
const variableTypes = ['string', 'number', 'boolean'] as const;

const MAX_STEPS = 200;
const MAX_VARIABLES = 50;
const MAX_VALUE_CHARACTERS = 1000;

export type Scalar = string | number | boolean;
const Scalar = (description: string) =>
  Type.Unsafe<Scalar>({
    type: ['string', 'number', 'boolean'],
    maxLength: MAX_VALUE_CHARACTERS,
    description,
  });

const Trigger = Type.Object(
  {
    type: OneOf(triggerTypes, 'What starts a run'),
    parameters: Type.Optional(
      FreeObject('Depends on the type; `channelId` restricts any of them to one channel'),
    ),
  },
  { [DOCUMENTED]: documentedTrigger },
);

const Variable = Type.Object({
  name: Type.String({ pattern: NAME, description: 'Texts and conditions use it as `variables.<name>`' }),
  type: OneOf(variableTypes),
  required: Type.Optional(Type.Boolean({ description: 'Whether a run needs a value for it to start' })),
  default: Type.Optional(Scalar('The value if none is given')),
});
export type Variable = Static<typeof Variable>;

const Step = Type.Object(
  {
    id: Type.String({
      pattern: `^[A-Za-z0-9_-]{1,${MAX_STEP_ID}}$`,
      description: 'Unique in the definition',
    }),
    type: OneOf(stepTypes, 'What the step does'),
    parameters: Type.Optional(FreeObject('Depends on the type')),
    next: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_STEP_ID,
        description: 'The id of the next step. Default: the following step',
        [RULE]: step,
      }),
    ),
  },
  { [DOCUMENTED]: documentedStep },
);

const Name = Type.String({ minLength: 1, maxLength: 200 });

/** The part of a version that the client writes. */
export const Definition = Type.Object({
  purpose: Type.Optional(
    OneOf(
      purposes,
      'What its messages are for. `marketing` never reaches a contact that is unsubscribed. By default `marketing` for the triggers `schedule`, `label_added`, `contact_created` and `campaign`, else `service`',
    ),
  ),
  trigger: Trigger,
  variables: Type.Array(Variable, { maxItems: MAX_VARIABLES }),
  steps: Type.Array(Step, {
    minItems: 1,
    maxItems: MAX_STEPS,
    description: 'A run starts with the first step and is completed after the last',
  }),
});
export type Definition = Static<typeof Definition>;

export const NewAutomation = Type.Object({
  name: Name,
  purpose: Definition.properties.purpose,
  trigger: Definition.properties.trigger,
  variables: Type.Optional(Definition.properties.variables),
  steps: Definition.properties.steps,
});

export const AutomationChange = Type.Object({
  name: Type.Optional(Name),
  purpose: Definition.properties.purpose,
  trigger: Type.Optional(Definition.properties.trigger),
  variables: Type.Optional(Definition.properties.variables),
  steps: Type.Optional(Definition.properties.steps),
  baseVersionId: Type.Optional(
    Uuid('The version that you have changed. Refused with 409 if it is no longer the latest'),
  ),
});

export const Publication = Type.Object({
  versionId: Type.Optional(Uuid('A version of this automation. Default: the latest')),
});

export const AutomationStatusChange = Type.Object({ status: OneOf(automationStatuses) });

export const AutomationTrigger = Type.Object({
  contactId: Uuid('The contact of the run'),
  variables: Type.Optional(
    Type.Unsafe<Record<string, Scalar>>({
      type: 'object',
      maxProperties: 100,
      propertyNames: { maxLength: 100 },
      additionalProperties: Scalar('A value for the run'),
      description: 'Validated against the variables that the active version declares; others are kept',
    }),
  ),
  scheduledAt: Type.Optional(
    Timestamp('When the run starts. Default, also for a time up to 5 minutes ago: now'),
  ),
});

export const AutomationVersion = Type.Object(
  {
    id: Uuid(),
    number: Type.Integer({ description: 'Counts from 1' }),
    purpose: OneOf(purposes),
    trigger: Type.Object(
      { type: OneOf(triggerTypes), parameters: FreeObject('Depends on the type') },
      { [DOCUMENTED]: documentedTrigger },
    ),
    variables: Type.Array(Variable),
    steps: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          type: OneOf(stepTypes),
          parameters: FreeObject('Depends on the type'),
          next: Type.Optional(Type.String()),
        },
        { [DOCUMENTED]: documentedStep },
      ),
    ),
    createdAt: Timestamp(),
  },
  { title: 'AutomationVersion', description: 'A version never changes' },
);
export type AutomationVersion = Static<typeof AutomationVersion>;

export const Automation = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    name: Type.String(),
    status: OneOf(automationStatuses),
    activeVersionId: Nullable(Uuid('The version that new runs use; null if none was published')),
    activeVersionTriggerType: Type.Unsafe<TriggerType | null>({
      type: ['string', 'null'],
      enum: [...triggerTypes, null],
    }),
    activeVersionTriggerParametersChannelId: Nullable(Uuid()),
    latestVersionTriggerType: OneOf(triggerTypes),
    latestVersionTriggerParametersChannelId: Nullable(Uuid()),
    latestVersionId: Uuid('The version that was saved last'),
    activeVersion: Type.Unsafe<AutomationVersion | null>({ ...AutomationVersion, type: ['object', 'null'] }),
    latestVersion: AutomationVersion,
  },
  { title: 'Automation' },
);
export type Automation = Static<typeof Automation>;

export const Failure = Type.Unsafe<{ code: string; message: string } | null>({
  type: ['object', 'null'],
  properties: { code: { type: 'string' }, message: { type: 'string' } },
  required: ['code', 'message'],
});

export const AutomationRun = Type.Object(
  {
    id: Uuid(),
    automationId: Uuid(),
    versionId: Uuid('The version that the run uses from its start to its end'),
    contactId: Uuid(),
    chatId: Nullable(Uuid('The chat of the run; null until it has one')),
    campaignId: Nullable(Uuid()),
    status: OneOf(runStatuses),
    variables: FreeObject('The variables of the run, defaults included'),
    scheduledAt: Timestamp('When the run was scheduled to start'),
    startedAt: Nullable(Timestamp()),
    endedAt: Nullable(Timestamp()),
    step: Nullable(Type.String({ description: 'The id of the next step' })),
    error: Failure,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'AutomationRun' },
);
export type AutomationRun = Static<typeof AutomationRun>;

export const TraceEntry = Type.Object({
  number: Type.Integer({ description: 'Counts from 1' }),
  step: Type.String({ description: 'The id of the step' }),
  type: OneOf(stepTypes),
  status: OneOf(['running', 'waiting', 'completed', 'failed', 'cancelled']),
  detail: FreeObject('What the step did; depends on its type'),
  error: Failure,
  startedAt: Timestamp(),
  endedAt: Nullable(Timestamp()),
});

export const AutomationRunWithTrace = Type.Object(
  { ...AutomationRun.properties, trace: Type.Array(TraceEntry) },
  { title: 'AutomationRunWithTrace', description: 'A run with the trace of its steps' },
);
export type AutomationRunWithTrace = Static<typeof AutomationRunWithTrace>;
