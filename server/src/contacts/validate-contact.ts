import { type AttributeKind, findAttributes } from '../attributes/find-attributes.ts';
import { type ApiError, invalidParam } from '../base/errors.ts';
import type { Issues } from '../base/issues.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type GivenValue, type StoredValue, validateValue } from './attribute-values.ts';
import { unknownAttribute } from './import/validate-contacts.ts';

const LONGEST_METADATA = 16_384;

/** Metadata goes with every chat and event of a contact, so it is bounded. */
export function validateMetadata(metadata: object | null | undefined, issues: Issues): void {
  const { length } = JSON.stringify(metadata ?? {});
  if (length > LONGEST_METADATA) {
    const message = `Must have at most ${LONGEST_METADATA} characters as JSON, received ${length}`;
    issues.add('metadata', 'too_big', message);
  }
}

/** A contact that would have neither a name nor a handle. */
export const nobody = (): ApiError =>
  invalidParam(
    'body',
    'custom',
    'A contact needs a firstName, a lastName, a phoneNumber, an email or another handle',
  );

export interface GivenAttribute {
  id?: string;
  externalId?: string;
  value: GivenValue | null;
}

/** Values to store, and the attributes whose values are to go. Later ones count more. */
export interface ValidatedAttributes {
  stored: Map<string, StoredValue>;
  removed: Set<string>;
}

/** Judges values by the types of their attributes, which may be named by either of their names. */
export async function validateAttributes(
  tx: Tx,
  tenantId: string,
  given: readonly GivenAttribute[],
  issues: Issues,
): Promise<ValidatedAttributes> {
  const stored = new Map<string, StoredValue>();
  const removed = new Set<string>();
  const known = await findAttributes(tx, tenantId, {
    ids: given.flatMap(({ id }) => id ?? []),
    externalIds: given.flatMap(({ externalId }) => externalId ?? []),
  });
  for (const [index, one] of given.entries()) {
    const attribute = attributeOf(one, known, `attributes.${index}`, issues);
    if (!attribute) continue;
    stored.delete(attribute.id);
    removed.delete(attribute.id);
    if (one.value === null) {
      removed.add(attribute.id);
      continue;
    }
    const validated = validateValue(attribute, one.value);
    if (validated.issue)
      issues.add(`attributes.${index}.value`, validated.issue.key, validated.issue.message);
    else stored.set(attribute.id, validated.stored);
  }
  return { stored, removed };
}

function attributeOf(
  { id, externalId }: GivenAttribute,
  known: ReadonlyMap<string, AttributeKind>,
  path: string,
  issues: Issues,
): AttributeKind | undefined {
  if (id === undefined && externalId === undefined) {
    issues.add(`${path}.externalId`, 'invalid_type', 'Required, unless id is given');
    return undefined;
  }
  const byId = id === undefined ? undefined : known.get(id.toLowerCase());
  const byName = externalId === undefined ? undefined : known.get(externalId);
  if (id !== undefined && !byId)
    issues.add(`${path}.id`, unknownAttribute(id).key, unknownAttribute(id).message);
  else if (externalId !== undefined && !byName)
    issues.add(`${path}.externalId`, unknownAttribute(externalId).key, unknownAttribute(externalId).message);
  else if (byId && byName && byId.id !== byName.id)
    issues.add(`${path}.externalId`, 'custom', `Is not the attribute ${byId.id}`);
  else return byId ?? byName;
  return undefined;
}

const knownLabels = statement<[ids: string[], tenantId: string], { id: string }>(
  'contacts.known_labels',
  // Nobody can delete them before the transaction ends, so that they can be put on contacts.
  'select id from labels where id = any ($1::uuid[]) and tenant_id = $2 for key share',
);

/** The ids of labels that are there, each once; every unknown one is complained about. */
export async function validateLabels(
  tx: Tx,
  tenantId: string,
  labels: readonly { id: string }[],
  issues: Issues,
): Promise<string[]> {
  if (labels.length === 0) return [];
  const ids = labels.map(({ id }) => id.toLowerCase());
  const known = new Set((await tx.all(knownLabels, [ids, tenantId])).map((row) => row.id));
  for (const [index, id] of ids.entries())
    if (!known.has(id)) issues.add(`labels.${index}.id`, 'custom', `There is no label ${id}`);
  return [...known];
}
