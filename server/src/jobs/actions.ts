import { type Static, Type } from 'typebox';
import type { Issues } from '../base/issues.ts';
import { ContactFields } from '../contacts/schema.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

const labelIds = Type.Optional(
  Type.Array(Uuid(), { minItems: 1, maxItems: 100, description: 'Only of `add_labels` and `remove_labels`' }),
);

const chatActionTypes = [
  'assign',
  'open',
  'snooze',
  'close',
  'mark_read',
  'mark_unread',
  'add_labels',
  'remove_labels',
] as const;
/** What can be done to many chats. Labels are those of their contacts. */
export const ChatAction = Type.Object({
  type: OneOf(chatActionTypes, 'Labels are added to and removed from the contacts of the chats'),
  userId: Type.Optional(
    Nullable(Uuid('Only of `assign`: null removes the user; if left out it is not changed')),
  ),
  teamId: Type.Optional(
    Nullable(Uuid('Only of `assign`: null removes the team; if left out it is not changed')),
  ),
  snoozedUntil: Type.Optional(Timestamp('Only of `snooze`, and required there')),
  triggerAutomations: Type.Optional(
    Type.Boolean({
      description:
        'Only of `open` and `close`: whether automations on opened or closed chats may start; false by default',
    }),
  ),
  labelIds,
});
export type ChatAction = Static<typeof ChatAction>;

const contactActionTypes = ['add_labels', 'remove_labels', 'set_attributes', 'delete'] as const;
/** What can be done to many contacts. */
export const ContactAction = Type.Object({
  type: OneOf(contactActionTypes, '`delete` erases the contacts permanently'),
  labelIds,
  attributes: ContactFields.properties.attributes,
});
export type ContactAction = Static<typeof ContactAction>;

const runActionTypes = ['cancel', 'retry'] as const;
/** What can be done to many runs of automations. */
export const RunAction = Type.Object({
  type: OneOf(runActionTypes, '`retry` repeats the step that failed and continues from there'),
});
export type RunAction = Static<typeof RunAction>;

/** As jobs show it. */
export const JobAction = Type.Object({
  ...ChatAction.properties,
  ...ContactAction.properties,
  type: OneOf([...new Set([...chatActionTypes, ...contactActionTypes, ...runActionTypes])]),
});
export type JobAction = ChatAction | ContactAction | RunAction;

/** The fields of each type of action. */
const fieldsOf: Record<JobAction['type'], { required?: readonly string[]; optional?: readonly string[] }> = {
  assign: { optional: ['userId', 'teamId'] },
  open: { optional: ['triggerAutomations'] },
  snooze: { required: ['snoozedUntil'] },
  close: { optional: ['triggerAutomations'] },
  mark_read: {},
  mark_unread: {},
  add_labels: { required: ['labelIds'] },
  remove_labels: { required: ['labelIds'] },
  set_attributes: { required: ['attributes'] },
  delete: {},
  cancel: {},
  retry: {},
};

/** Adds an issue for each field that is missing, or that belongs to another type of action. */
export function validateFields(action: JobAction, issues: Issues): void {
  const { required = [], optional = [] } = fieldsOf[action.type];
  for (const name of required)
    if (!(name in action)) issues.add(name, 'invalid_type', `Required with the type "${action.type}"`);
  for (const name of Object.keys(action))
    if (name !== 'type' && !required.includes(name) && !optional.includes(name))
      issues.add(name, 'custom', `Not allowed with the type "${action.type}"`);
  if (action.type === 'assign' && !optional.some((name) => name in action))
    issues.add('userId', 'invalid_type', 'Required, unless teamId is given');
}
