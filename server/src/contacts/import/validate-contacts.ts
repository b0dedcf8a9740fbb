import type { AttributeKind } from '../../attributes/find-attributes.ts';
import { isLongerThan } from '../../base/characters.ts';
import type { Issues } from '../../base/issues.ts';
import { createTurns } from '../../base/turns.ts';
import type { HandleType } from '../../providers/kinds.ts';
import { type StoredValue, validateValue } from '../attributes/values.ts';
import { validateHandle } from '../handles/validate.ts';
import type { ContactItem } from '../schema.ts';
import { nameOf, unknownAttribute } from '../validate-contact.ts';

/** The handles that can identify a contact of a list. */
const fields = { phone_number: 'phoneNumber', email: 'email' } as const;
type ListedType = keyof typeof fields;

export interface ListedHandle {
  type: ListedType;
  value: string;
}

/** A contact of a list without issues. */
export interface ValidatedContact {
  /** The handle that it is matched by. */
  key: ListedHandle;
  second: ListedHandle | null;
  firstName: string | null;
  lastName: string | null;
  attributes: { attribute: AttributeKind; stored: StoredValue }[];
  labels: string[];
}

const MAX_LABEL_LENGTH = 100;

/** The types of handles to match by, the preferred one first: contacts without it are matched by the other. */
export const matchOrder = (matchBy: HandleType): readonly [ListedType, ListedType] =>
  matchBy === 'email' ? ['email', 'phone_number'] : ['phone_number', 'email'];

/** Validates a whole list. What it returns is complete only if there are no issues. */
export async function validateContacts(
  items: readonly ContactItem[],
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  issues: Issues,
): Promise<ValidatedContact[]> {
  // 5,000 phone numbers take up to 0.4 s if they are made for it.
  const turn = createTurns();
  const contacts: ValidatedContact[] = [];
  for (const [index, item] of items.entries()) {
    const pause = turn();
    if (pause) await pause;
    contacts.push(validateContact(item, matchBy, attributes, issues.at(String(index))));
  }
  return contacts;
}

function validateContact(
  item: ContactItem,
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  issues: Issues,
): ValidatedContact {
  const order = matchOrder(matchBy);
  const handles = order.flatMap((type): ListedHandle[] => {
    const given = item[fields[type]];
    if (given === null || given === undefined) return [];
    const { value, issue } = validateHandle(type, given);
    if (issue) issues.add(fields[type], issue.key, issue.message);
    return issue ? [] : [{ type, value }];
  });
  const [key, second = null] = handles;
  if (order.every((type) => (item[fields[type]] ?? null) === null))
    issues.add(fields[order[0]], 'custom', 'phoneNumber or email is required to identify a contact');
  return {
    key: key as ListedHandle,
    second,
    firstName: nameOf(item.firstName),
    lastName: nameOf(item.lastName),
    attributes: (item.attributes ?? []).flatMap(({ externalId, value }, index) => {
      const attribute = attributes.get(externalId);
      if (!attribute) {
        issues.add(`attributes.${index}.externalId`, 'custom', unknownAttribute(externalId));
        return [];
      }
      const { stored, issue } = validateValue(attribute, value);
      if (issue) issues.add(`attributes.${index}.value`, issue.key, issue.message);
      return issue ? [] : [{ attribute, stored }];
    }),
    labels: (item.labels ?? []).map(({ name }, index) => {
      const label = name.trim();
      if (label === '') issues.add(`labels.${index}.name`, 'too_small', 'Must have at least 1 character(s)');
      if (isLongerThan(label, MAX_LABEL_LENGTH))
        issues.add(`labels.${index}.name`, 'too_big', `Must have at most ${MAX_LABEL_LENGTH} character(s)`);
      return label;
    }),
  };
}
