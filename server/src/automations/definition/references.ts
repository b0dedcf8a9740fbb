import type { Issues } from '../../base/issues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
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

type Values = [...values: string[][]];
interface Known {
  kind: ReferenceKind;
  value: string;
}

const select = ({ table, column, type }: ReferenceTable, index: number): string =>
  `select ${column}::text as value from ${table} where tenant_id = $tenant and ${column} = any ($${index + 1}::${type}[])`;
const knownReferences = statement<Values, Known>(
  'automations.known_references',
  tables
    .map(([kind, table], index) => `select '${kind}' as kind, value from (${select(table, index)}) known`)
    .join('\nunion all\n'),
);
const heldReferences = statement<Values, Known>(
  'automations.hold_references',
  `with ${tables
    .map(
      ([kind, table], index) =>
        `${kind}_held as materialized (${select(table, index)} order by id for key share)`,
    )
    .join(',\n')}
   ${tables.map(([kind]) => `select '${kind}' as kind, value from ${kind}_held`).join('\nunion all\n')}`,
);

const keyOf = (kind: ReferenceKind, value: string): string => `${kind} ${value}`;
const withoutCase = ({ kind, value }: Known): Known => ({
  kind,
  value: TABLES[kind].type === 'uuid' ? value.toLowerCase() : value,
});
const valuesOf = (references: readonly Known[]): Values =>
  tables.map(([kind]) => [
    ...new Set(references.filter((one) => one.kind === kind).map((one) => withoutCase(one).value)),
  ]);

/** Locks what is referred to, so that it is not deleted before the transaction ends. Returns what there is. */
export const holdReferences = (tx: TenantTx, references: readonly Known[]): Promise<Known[]> =>
  tx.all(heldReferences, valuesOf(references));

async function addMissing(
  references: readonly Reference[],
  issues: Issues,
  find: (references: readonly Reference[]) => Promise<Known[]>,
): Promise<void> {
  if (references.length === 0 || issues.isFull) return;
  const known = new Set((await find(references)).map(({ kind, value }) => keyOf(kind, value)));
  for (const reference of references) {
    const { kind, value } = withoutCase(reference);
    if (!known.has(keyOf(kind, value)))
      issues.add(reference.at, 'custom', `There is no ${TABLES[kind].noun} ${value}`);
  }
}

/** Adds an issue for every reference to something that the tenant does not have. */
export const validateReferences = (
  db: TenantReader,
  references: readonly Reference[],
  issues: Issues,
): Promise<void> => addMissing(references, issues, (some) => db.all(knownReferences, valuesOf(some)));

/** The same, and holds what there is. */
export const validateHeldReferences = (
  tx: TenantTx,
  references: readonly Reference[],
  issues: Issues,
): Promise<void> => addMissing(references, issues, (some) => holdReferences(tx, some));
