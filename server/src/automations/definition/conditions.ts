import { chatStatuses } from '../../chats/schema.ts';
import { contactSearchable } from '../../contacts/search.ts';
import { messageTypes } from '../../providers/kinds.ts';
import {
  type Field,
  type FieldTable,
  type FieldType,
  findField,
  type Searchable,
} from '../../search/fields.ts';

/** Conditions are evaluated on the data of a run and never become SQL. */
const field = (type: FieldType, values?: readonly string[]): Field => ({
  type,
  sql: 'null',
  nullable: true,
  ...(values === undefined ? {} : { values }),
});

const ALWAYS: FieldTable = {
  'contact.id': field('uuid'),
  'contact.createdAt': field('time'),
  'contact.updatedAt': field('time'),
  'contact.firstName': field('string'),
  'contact.lastName': field('string'),
  'contact.fullName': field('string'),
  'contact.displayName': field('string'),
  'contact.language': field('string'),
  'contact.timezone': field('string'),
  'contact.isSubscribed': field('boolean'),
  'contact.phoneNumber': field('string'),
  'contact.email': field('string'),
  'contact.labelIds': field('list'),
  'message.id': field('uuid'),
  'message.type': field('enum', messageTypes),
  'message.text': field('string'),
  'message.timestamp': field('time'),
  'chat.id': field('uuid'),
  'chat.createdAt': field('time'),
  'chat.updatedAt': field('time'),
  'chat.status': field('enum', chatStatuses),
  'chat.isUnread': field('boolean'),
  'chat.unreadCount': field('number'),
  'chat.openUntil': field('time'),
  'chat.channelId': field('uuid'),
  'chat.assignedUserId': field('uuid'),
  'chat.assignedTeamId': field('uuid'),
  'chat.isSensitive': field('boolean'),
  'chat.isAutomationPaused': field('boolean'),
  'chat.waitingSince': field('time'),
  'chat.firstRespondedAt': field('time'),
  'chat.closedAt': field('time'),
  'hours.isOpen': field('boolean'),
  'hours.opensAt': field('time'),
};

/** Objects with arbitrary keys: conditions can use any path in them. */
const OPEN = ['contact.metadata.', 'message.content.'];
const ATTRIBUTES = 'attributes.';

/** The fields that the conditions of a definition can use, including its variables and saved answers. */
export function conditionFields(
  variables: readonly { name: string; type: 'string' | 'number' | 'boolean' }[],
  savedAs: readonly string[],
): Searchable {
  const fields: FieldTable = { ...ALWAYS };
  for (const { name, type } of variables) fields[`variables.${name}`] = field(type);
  for (const name of savedAs) {
    fields[`steps.${name}.status`] = field('number');
    fields[`steps.${name}.body`] = field('any');
  }
  const open = [...OPEN, ...savedAs.map((name) => `steps.${name}.body.`)];
  const dynamic = (name: string): Field | undefined => {
    if (attributeOf(name) !== undefined) return field('any');
    return open.some((prefix) => name.startsWith(prefix) && name.length > prefix.length)
      ? field('any')
      : undefined;
  };
  return { fields, dynamic, names: [], id: 'null' };
}

/** The same fields, but without suggestions for unknown names. */
export const withoutNames = (searchable: Searchable): Searchable => ({
  ...searchable,
  fields: {},
  dynamic: (name) => findField(searchable, name),
});

/** The externalId in `attributes.<externalId>`. Whether the attribute exists is validated with the other references. */
export const attributeOf = (name: string): string | undefined =>
  name.startsWith(ATTRIBUTES) && name.length > ATTRIBUTES.length ? name.slice(ATTRIBUTES.length) : undefined;

/** The fields that an audience can use: those of the search for contacts, and any attribute. */
export const audienceFields: Searchable = {
  ...contactSearchable('', []),
  dynamic: (name) => (attributeOf(name) === undefined ? undefined : field('any')),
  // Whether the segment exists, and its own filter, are validated against the database.
  segmentFilter: () => 'isNull(language)',
};
