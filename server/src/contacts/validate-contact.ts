import { type AttributeKind, findAttributes } from '../attributes/find-attributes.ts';
import { type ApiError, invalidParam } from '../base/errors.ts';
import type { Issues } from '../base/issues.ts';
import { isTimezone } from '../base/time-zones.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type GivenValue, type StoredValue, validateValue } from './attributes/values.ts';

export const MAX_METADATA_LENGTH = 16_384;

/** Trims a name. An empty one is null. */
export const nameOf = (given: string | null | undefined): string | null => given?.trim() || null;

const metadataLength = (metadata: object | null | undefined): number => JSON.stringify(metadata ?? {}).length;

/** Metadata is part of every chat and event of a contact, so its size is limited. */
export const isMetadataTooLong = (metadata: object): boolean =>
  metadataLength(metadata) > MAX_METADATA_LENGTH;

export function validateMetadata(metadata: object | null | undefined, issues: Issues): void {
  const length = metadataLength(metadata);
  if (length > MAX_METADATA_LENGTH)
    issues.add(
      'metadata',
      'too_big',
      `Must have at most ${MAX_METADATA_LENGTH} characters as JSON, received ${length}`,
    );
}

/** The language tag in its usual spelling; null and undefined stay. `de_DE`, as vendors write it, is `de-DE`. */
export function languageOf<T extends null | undefined>(
  given: string | T,
  issues: Issues,
  path = 'language',
): string | T {
  if (typeof given !== 'string') return given;
  try {
    return Intl.getCanonicalLocales(given.trim().replaceAll('_', '-'))[0] as string;
  } catch {
    issues.add(path, 'invalid_string', 'Must be a language tag such as "de" or "pt-BR"');
    return given;
  }
}

export function validateTimezone(given: string | null | undefined, issues: Issues): void {
  if (typeof given === 'string' && !isTimezone(given))
    issues.add('timezone', 'invalid_string', 'Must be the name of a time zone, such as Europe/Berlin');
}

/** The error for a contact that would have neither a name nor a handle. */
export const unidentifiable = (): ApiError =>
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

/** Values to store, and the attributes whose values are to be removed. Of several for one attribute the last counts. */
interface ValidatedAttributes {
  stored: Map<string, StoredValue>;
  removed: Set<string>;
}

/** Validates values by the types of their attributes, which may be identified by id or by externalId. */
export async function validateAttributes(
  tx: TenantTx,
  given: readonly GivenAttribute[],
  issues: Issues,
): Promise<ValidatedAttributes> {
  const stored = new Map<string, StoredValue>();
  const removed = new Set<string>();
  const known = await findAttributes(tx, {
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

export const unknownAttribute = (name: string): string => `There is no attribute "${name}"`;

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
  if (id !== undefined && !byId) issues.add(`${path}.id`, 'custom', unknownAttribute(id));
  else if (externalId !== undefined && !byName)
    issues.add(`${path}.externalId`, 'custom', unknownAttribute(externalId));
  else if (byId && byName && byId.id !== byName.id)
    issues.add(`${path}.externalId`, 'custom', `Is not the attribute ${byId.id}`);
  else return byId ?? byName;
  return undefined;
}

const knownLabels = statement<[ids: string[]], { id: string }>(
  'contacts.known_labels',
  // Locked, so that they cannot be deleted before the transaction adds them to contacts.
  'select id from labels where id = any ($1::uuid[]) and tenant_id = $tenant order by id for key share',
);

/** Returns the ids of the labels, each once, and adds an issue for each that does not exist. */
export async function validateLabels(
  tx: TenantTx,
  labels: readonly { id: string }[],
  issues: Issues,
): Promise<string[]> {
  if (labels.length === 0) return [];
  const ids = labels.map(({ id }) => id.toLowerCase());
  const known = new Set((await tx.all(knownLabels, [ids])).map((row) => row.id));
  for (const [index, id] of ids.entries())
    if (!known.has(id)) issues.add(`labels.${index}.id`, 'custom', `There is no label ${id}`);
  return [...known];
}
