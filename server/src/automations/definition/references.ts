import type { Issues } from '../../base/issues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { Reference, ReferenceKind } from './schema-walker.ts';

interface ReferenceTable {
  table: string;
  column: string;
  type: 'uuid' | 'text';
  /** The name of the resource in messages. */
  noun: string;
}

const byId = (table: string, noun: string): ReferenceTable => ({ table, column: 'id', type: 'uuid', noun });

const TABLES: Record<ReferenceKind, ReferenceTable> = {
  channel: byId('visible_channels', 'channel'),
  file: byId('visible_files', 'file'),
  label: byId('labels', 'label'),
  user: byId('users', 'user'),
  team: byId('teams', 'team'),
  template: byId('message_templates', 'message template'),
  attribute: { table: 'attributes', column: 'external_id', type: 'text', noun: 'attribute' },
  secret: { table: 'automation_secrets', column: 'name', type: 'text', noun: 'secret' },
};
const tables = Object.entries(TABLES) as [ReferenceKind, ReferenceTable][];

const knownReferences = statement<[...values: string[][]], { kind: ReferenceKind; value: string }>(
  'automations.known_references',
  tables
    .map(
      ([kind, { table, column, type }], index) =>
        `select '${kind}' as kind, ${column}::text as value from ${table}
          where tenant_id = $tenant and ${column} = any ($${index + 1}::${type}[])`,
    )
    .join('\nunion all\n'),
);

const keyOf = (kind: ReferenceKind, value: string): string => `${kind} ${value}`;

/** Adds an issue for every reference to something that the tenant does not have. */
export async function validateReferences(
  db: TenantReader,
  references: readonly Reference[],
  issues: Issues,
): Promise<void> {
  const sought = references.map(({ kind, value, at }) => ({
    kind,
    at,
    value: TABLES[kind].type === 'uuid' ? value.toLowerCase() : value,
  }));
  if (sought.length === 0 || issues.isFull) return;
  const valuesOf = (kind: ReferenceKind): string[] => [
    ...new Set(sought.filter((one) => one.kind === kind).map(({ value }) => value)),
  ];
  const rows = await db.all(knownReferences, [...tables.map(([kind]) => valuesOf(kind))]);
  const known = new Set(rows.map(({ kind, value }) => keyOf(kind, value)));
  for (const { kind, value, at } of sought)
    if (!known.has(keyOf(kind, value))) issues.add(at, 'custom', `There is no ${TABLES[kind].noun} ${value}`);
}
