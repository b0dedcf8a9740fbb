import type { Change } from './schema.ts';

/** The data of an event, as far as it is there: events are older than the schema. */
type Data = Record<string, unknown>;

const isObject = (value: unknown): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : []);

const MAX_CHARACTERS = 500;
/** A value as a text; null if there is none. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  const text =
    typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : `${value}`;
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS).toWellFormed()}…` : text;
}

const namesOf = (items: Data[], name: string): string | null =>
  items.length === 0 ? null : textOf(items.map((item) => item[name]).join(', '));

const CONTACT_FIELDS = ['firstName', 'lastName', 'language', 'timezone', 'isSubscribed'];
const CHAT_FIELDS = ['status', 'snoozedUntil', 'assignedUserId', 'assignedTeamId'];

function flatten(fields: readonly string[], data: Data): Map<string, string | null> {
  return new Map(fields.map((name) => [name, textOf(data[name])]));
}

/** What of a contact is compared, by the names that changes have. */
export function contactValues(data: Data): Map<string, string | null> {
  const values = flatten(CONTACT_FIELDS, data);
  values.set('handles', namesOf(listOf(data.handles), 'value'));
  values.set('labels', namesOf(listOf(data.labels), 'name'));
  for (const { externalId, value } of listOf(data.attributes))
    values.set(`attributes.${externalId}`, textOf(value));
  for (const { channelKind, status } of listOf(data.subscriptions))
    values.set(`subscriptions.${channelKind}`, textOf(status));
  if (isObject(data.metadata) && Object.keys(data.metadata).length > 0)
    values.set('metadata', textOf(data.metadata));
  return values;
}

export const chatValues = (data: Data): Map<string, string | null> => flatten(CHAT_FIELDS, data);

/** What differs, in the order of the fields. */
export function compareValues(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): Change[] {
  const fields = [...new Set([...after.keys(), ...before.keys()])];
  return fields.flatMap((field) => {
    const [from, to] = [before.get(field) ?? null, after.get(field) ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
}
