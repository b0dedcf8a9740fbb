import type { AttributeKind } from '../attributes/find-attributes.ts';
import type { HandleType } from '../providers/adapter.ts';
import { judgeValue, type StoredValue } from './attribute-values.ts';
import { below, type Complain, collectFaults } from './faults.ts';
import { judgeHandle } from './handles.ts';
import type { MergedPerson } from './schema.ts';

/** The handles that a person in a list can be known by, the one that counts most first. */
const fields = { phone_number: 'phoneNumber', email: 'email' } as const;
export type ListedType = keyof typeof fields;

export interface ListedHandle {
  type: ListedType;
  value: string;
}

/** A person of a list in which nothing is wrong. */
export interface JudgedPerson {
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
export function judgePeople(
  items: readonly MergedPerson[],
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  path: string,
): JudgedPerson[] {
  const faults = collectFaults();
  const judged = items.map((item, index) =>
    judgePerson(item, matchBy, attributes, below(faults.complain, `${path}.${index}`)),
  );
  faults.throwAny();
  return judged as JudgedPerson[];
}

function judgePerson(
  item: MergedPerson,
  matchBy: HandleType,
  attributes: ReadonlyMap<string, AttributeKind>,
  complain: Complain,
): JudgedPerson | undefined {
  const order = matchOrder(matchBy);
  const handles = order.flatMap((type): ListedHandle[] => {
    const given = item[fields[type]];
    if (given === null || given === undefined) return [];
    const { value, fault } = judgeHandle(type, given);
    if (fault) complain(fields[type], fault);
    return fault ? [] : [{ type, value }];
  });
  const [key, second = null] = handles;
  if (order.every((type) => (item[fields[type]] ?? null) === null))
    complain(fields[order[0]], {
      key: 'custom',
      message: 'Give phoneNumber or email: without either nobody can be told apart',
    });
  return {
    key: key as ListedHandle,
    second,
    firstName: nameOf(item.firstName),
    lastName: nameOf(item.lastName),
    attributes: (item.attributes ?? []).flatMap(({ externalId, value }, number) => {
      const attribute = attributes.get(externalId);
      if (!attribute) {
        complain(`attributes.${number}.externalId`, unknownAttribute(externalId));
        return [];
      }
      const { stored, fault } = judgeValue(attribute, value);
      if (fault) complain(`attributes.${number}.value`, fault);
      return fault ? [] : [{ attribute, stored }];
    }),
    labels: (item.labels ?? []).map(({ name }, number) => {
      const label = name.trim();
      if (label === '')
        complain(`labels.${number}.name`, { key: 'too_small', message: 'Must have at least 1 character(s)' });
      if ([...label].length > LONGEST_LABEL)
        complain(`labels.${number}.name`, {
          key: 'too_big',
          message: `Must have at most ${LONGEST_LABEL} character(s)`,
        });
      return label;
    }),
  };
}
