import { type Static, Type } from 'typebox';
import type { Issues } from '../base/issues.ts';
import { chatStatuses } from '../chats/schema.ts';
import { ContactFields } from '../contacts/schema.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

const labelId = Type.Optional(Uuid('Only of `add_label` and `remove_label`, and required there'));

const chatActionTypes = ['assign', 'status', 'read', 'unread', 'add_label', 'remove_label'] as const;
/** What can be done to many chats. Labels are those of their contacts. */
export const ChatAction = Type.Object({
  type: OneOf(chatActionTypes, 'Labels are added to and removed from the contacts of the chats'),
  userId: Type.Optional(
    Nullable(Uuid('Only of `assign`: null removes the user; if left out it is not changed')),
  ),
  teamId: Type.Optional(
    Nullable(Uuid('Only of `assign`: null removes the team; if left out it is not changed')),
  ),
  status: Type.Optional(OneOf(chatStatuses, 'Only of `status`, and required there')),
  snoozedUntil: Type.Optional(Timestamp('Only of `status`: required for `snoozed`, and only allowed there')),
  labelId,
  triggerAutomations: Type.Optional(
    Type.Boolean({
      description:
        'Only of `status` and `add_label`: whether automations on opened or closed chats, or on the label, may start; false by default',
    }),
  ),
});
export type ChatAction = Static<typeof ChatAction>;

const contactActionTypes = ['add_label', 'remove_label', 'set_attributes', 'delete'] as const;
/** What can be done to many contacts. */
export const ContactAction = Type.Object({
  type: OneOf(contactActionTypes, '`delete` erases the contacts permanently'),
  labelId,
  triggerAutomations: Type.Optional(
    Type.Boolean({
      description: 'Only of `add_label`: whether automations on the label may start; false by default',
    }),
  ),
  attributes: ContactFields.properties.attributes,
});
export type ContactAction = Static<typeof ContactAction>;

const runActionTypes = ['cancel', 'retry'] as const;
/** What can be done to many runs of automations. */
export const RunAction = OneOf(
  runActionTypes,
  '`retry` repeats the step that failed and continues from there',
);
export type RunAction = Static<typeof RunAction>;

/** As jobs show it. */
export const JobAction = Type.Object({
  ...ContactAction.properties,
  ...ChatAction.properties,
  type: OneOf([...new Set([...chatActionTypes, ...contactActionTypes, ...runActionTypes])]),
});
export type JobAction = ChatAction | ContactAction | { type: RunAction };

/** The fields of each type of action. */
const fieldsOf: Record<JobAction['type'], { required?: readonly string[]; optional?: readonly string[] }> = {
  assign: { optional: ['userId', 'teamId'] },
  status: { required: ['status'], optional: ['snoozedUntil', 'triggerAutomations'] },
  read: {},
  unread: {},
  add_label: { required: ['labelId'], optional: ['triggerAutomations'] },
  remove_label: { required: ['labelId'] },
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
