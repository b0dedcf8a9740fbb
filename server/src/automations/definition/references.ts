import type { Queryable } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { IssueList, Reference, ReferenceKind } from './schema-walker.ts';

interface Place {
  table: string;
  column: string;
  type: 'uuid' | 'text';
  /** What it is called in a message. */
  noun: string;
}

const byId = (table: string, noun: string): Place => ({ table, column: 'id', type: 'uuid', noun });

/** Where to look for what a definition names. */
const PLACES: Record<ReferenceKind, Place> = {
  channel: byId('channels', 'channel'),
  file: byId('files', 'file'),
  label: byId('labels', 'label'),
  user: byId('users', 'user'),
  team: byId('teams', 'team'),
  template: byId('message_templates', 'message template'),
  attribute: { table: 'attributes', column: 'external_id', type: 'text', noun: 'attribute' },
};
const places = Object.entries(PLACES) as [ReferenceKind, Place][];

const known = statement<[tenantId: string, ...values: string[][]], { kind: ReferenceKind; value: string }>(
  'automations.known_references',
  places
    .map(
      ([kind, { table, column, type }], index) =>
        `select '${kind}' as kind, ${column}::text as value from ${table}
          where tenant_id = $1 and ${column} = any ($${index + 2}::${type}[])`,
    )
    .join('\nunion all\n'),
);

const keyOf = (kind: ReferenceKind, value: string): string => `${kind} ${value}`;

/** Adds a fault for everything that the tenant does not have, another tenant's included. */
export async function nameUnknown(
  db: Pick<Queryable, 'all'>,
  tenantId: string,
  references: readonly Reference[],
  found: IssueList,
): Promise<void> {
  const asked = references.map(({ kind, value, at }) => ({
    kind,
    at,
    value: PLACES[kind].type === 'uuid' ? value.toLowerCase() : value,
  }));
  if (asked.length === 0 || found.isFull()) return;
  const valuesOf = (kind: ReferenceKind): string[] => [
    ...new Set(asked.filter((one) => one.kind === kind).map(({ value }) => value)),
  ];
  const rows = await db.all(known, [tenantId, ...places.map(([kind]) => valuesOf(kind))]);
  const there = new Set(rows.map(({ kind, value }) => keyOf(kind, value)));
  for (const { kind, value, at } of asked)
    if (!there.has(keyOf(kind, value))) found.add(at, 'custom', `There is no ${PLACES[kind].noun} ${value}`);
}
