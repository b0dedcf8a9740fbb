import type { AttributeKind } from '../../attributes/find-attributes.ts';
import { collectIssues, type Issues } from '../../base/issues.ts';
import type { HandleType } from '../../providers/adapter.ts';
import { type StoredValue, validateValue } from '../attribute-values.ts';
import { validateHandle } from '../handles/validate.ts';
import type { ContactItem } from '../schema.ts';

/** The handles that a person in a list can be known by, the one that counts most first. */
const fields = { phone_number: 'phoneNumber', email: 'email' } as const;
export type ListedType = keyof typeof fields;

export interface ListedHandle {
  type: ListedType;
  value: string;
}

/** A person of a list in which nothing is wrong. */
export interface ValidatedContact {
  /** What they are matched by. */
  key: ListedHandle;
  second: ListedHandle | null;
  firstName: string | null;
  lastName: string | null;
  attributes: { attribute: AttributeKind; stored: StoredValue }[];
  labels: string[];
}

const LONGEST_LABEL = 100;

/** What a channel knows people by decides what they are matched by; who lacks it is matched by the other handle. */
export const matchOrder = (matchBy: HandleType): readonly [ListedType, ListedType] =>
  matchBy === 'email' ? ['email', 'phone_number'] : ['phone_number', 'email'];

/** A name without blanks around it; one of nothing else is none. */
export const nameOf = (given: string | null | undefined): string | null => given?.trim() || null;

export const unknownAttribute = (name: string) =>
  ({ key: 'custom', message: `There is no attribute "${name}"` }) as const;

/** Judges a whole list, or throws everything that is wrong with it, each fault at its path below `path`. */
export function validateContacts(
  items: readonly ContactItem[],
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  path: string,
): ValidatedContact[] {
  const issues = collectIssues();
  const validated = items.map((item, index) =>
    validateContact(item, matchBy, attributes, issues.at(`${path}.${index}`)),
  );
  issues.throwIfAny();
  return validated as ValidatedContact[];
}

function validateContact(
  item: ContactItem,
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  issues: Issues,
): ValidatedContact | undefined {
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
    issues.add(
      fields[order[0]],
      'custom',
      'Give phoneNumber or email: without either nobody can be told apart',
    );
  return {
    key: key as ListedHandle,
    second,
    firstName: nameOf(item.firstName),
    lastName: nameOf(item.lastName),
    attributes: (item.attributes ?? []).flatMap(({ externalId, value }, number) => {
      const attribute = attributes.get(externalId);
      if (!attribute) {
        issues.add(
          `attributes.${number}.externalId`,
          unknownAttribute(externalId).key,
          unknownAttribute(externalId).message,
        );
        return [];
      }
      const { stored, issue } = validateValue(attribute, value);
      if (issue) issues.add(`attributes.${number}.value`, issue.key, issue.message);
      return issue ? [] : [{ attribute, stored }];
    }),
    labels: (item.labels ?? []).map(({ name }, number) => {
      const label = name.trim();
      if (label === '') issues.add(`labels.${number}.name`, 'too_small', 'Must have at least 1 character(s)');
      if ([...label].length > LONGEST_LABEL)
        issues.add(`labels.${number}.name`, 'too_big', `Must have at most ${LONGEST_LABEL} character(s)`);
      return label;
    }),
  };
}
