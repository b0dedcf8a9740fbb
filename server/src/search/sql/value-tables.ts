import { isLongerThan } from '../../base/characters.ts';
import type { Bind, Comparison, Field, FieldType, Searchable, ValueTable } from '../fields.ts';
import { isTextOperator, requireField } from '../fields.ts';
import type { Filter, Leaf } from '../grammar/filter.ts';
import { compileLeaf, type Operand } from './leaf.ts';
import { findTrigramTexts } from './trigrams.ts';

// Conditions on value tables, whose indexes find the rows. Each is true of the same rows as the plain condition of its
// leaf.

/** Finds the ids of the rows whose value of one field fulfils all leaves. No leaves: the rows that have any value. */
interface ValueLookup {
  field: Field;
  table: ValueTable;
  leaves: Leaf[];
}

/** Finds ids by one field, or by any of several. */
export type IdLookup = ValueLookup | { anyOf: ValueLookup[] };

/** A filter, split into conditions that must all be true. */
interface SplitFilter {
  /** What value tables answer. */
  lookups: IdLookup[];
  /** What they do not answer. */
  rest: Filter[];
}

/** Conditions on the same single value, such as a range, become one look-up. */
export function splitIdLookups(filter: Filter, searchable: Searchable): SplitFilter {
  const lookups: IdLookup[] = [];
  const rest: Filter[] = [];
  const lookupByField = new Map<string, ValueLookup>();
  for (const condition of filter.op === 'and' ? filter.conditions : [filter]) {
    const lookup = toIdLookup(condition, searchable);
    if (lookup === undefined) {
      rest.push(condition);
      continue;
    }
    const hasSingleValue = 'field' in condition && condition.type !== 'list' && 'field' in lookup;
    const previous = hasSingleValue ? lookupByField.get(condition.field) : undefined;
    if (previous !== undefined && hasSingleValue) {
      previous.leaves.push(...lookup.leaves);
      continue;
    }
    lookups.push(lookup);
    if (hasSingleValue) lookupByField.set(condition.field, lookup);
  }
  return { lookups, rest };
}

/** Undefined if no value table answers the filter, or a trigram index answers it better. */
function toIdLookup(filter: Filter, searchable: Searchable): IdLookup | undefined {
  switch (filter.op) {
    case 'and':
      return undefined;
    case 'or': {
      const anyOf: ValueLookup[] = [];
      for (const condition of filter.conditions) {
        const lookup = toIdLookup(condition, searchable);
        if (lookup === undefined) return undefined;
        anyOf.push(...('anyOf' in lookup ? lookup.anyOf : [lookup]));
      }
      return { anyOf };
    }
    case 'not': {
      // Every row that has a value has a row in the value table.
      if (filter.condition.op !== 'isNull') return undefined;
      const field = requireField(searchable, filter.condition.field);
      return field.valueTable && { field, table: field.valueTable, leaves: [] };
    }
    default: {
      const field = requireField(searchable, filter.field);
      if (field.valueTable === undefined || !requiresValue(filter)) return undefined;
      if (isTextOperator(filter.op) && findTrigramTexts(filter, field) !== undefined) return undefined;
      return { field, table: field.valueTable, leaves: [filter] };
    }
  }
}

/** Whether the leaf can only be true of rows that have a value. */
const requiresValue = (leaf: Leaf): boolean =>
  leaf.op !== 'ne' && leaf.op !== 'isNull' && !(leaf.op === 'in' && leaf.values.includes(null));

/** The query of the ids that a look-up finds. */
export function compileIdLookup(lookup: IdLookup, bind: Bind): string {
  if ('anyOf' in lookup) return lookup.anyOf.map((one) => compileIdLookup(one, bind)).join(' union all ');
  const { field, table, leaves } = lookup;
  const conditions = table.where === undefined ? [] : [table.where(bind)];
  for (const leaf of leaves) conditions.push(...compileValueConditions(table, leaf, field, bind));
  return `select ${table.resourceId} from ${table.from} where ${conditions.join(' and ') || 'true'}`;
}

/**
 * The condition that the row's id is one that the query of ids returns. The planner does not know the length of the array
 * and assumes that it is short, so it fetches the rows by id.
 */
export const compileIdInArray = ({ id }: Searchable, idQuery: string): string =>
  `${id} = any(array(${idQuery}))`;

/** The condition that the row has a value that fulfils the leaf, checked for each row on its own. */
export function compileValueExists(
  leaf: Leaf,
  field: Field,
  { id }: Searchable,
  bind: Bind,
): string | undefined {
  const table = field.valueTable;
  if (table === undefined || !requiresValue(leaf)) return undefined;
  const conditions = [`${table.resourceId} = ${id}`];
  if (table.where !== undefined) conditions.push(table.where(bind));
  conditions.push(...compileValueConditions(table, leaf, field, bind));
  // `offset 0` keeps the planner from reading all values and joining them.
  return `exists (select from ${table.from} where ${conditions.join(' and ')} offset 0)`;
}

function compileValueConditions(table: ValueTable, leaf: Leaf, field: Field, bind: Bind): string[] {
  const isList = field.type === 'list';
  const condition = isList ? toElementLeaf(leaf) : table.isStoredAsText ? toTextLeaf(leaf) : leaf;
  const type = table.isStoredAsText ? 'string' : isList ? (field.items ?? 'uuid') : field.type;
  const { prefix, trigramIndexPredicate } = table;
  const value = toColumnOperand(table.column, type);
  if (trigramIndexPredicate !== undefined && isTextOperator(condition.op)) {
    return [trigramIndexPredicate, compileLeaf(condition, value, bind)];
  }
  if (prefix === undefined || !isComparison(condition)) return [compileLeaf(condition, value, bind)];
  // Comparing a text shorter than the prefix with prefixes gives the same result as with whole values.
  if (listTexts(condition).every((text) => !isLongerThan(text, prefix.characters - 1))) {
    const operand = { ...toColumnOperand(prefix.column, type), orderedSql: () => prefix.column };
    return [compileLeaf(condition, operand, bind)];
  }
  return [compilePrefixCondition(condition, prefix, bind), compileLeaf(condition, value, bind)];
}

function toColumnOperand(column: string, type: FieldType): Operand {
  const sql = `(${column})`;
  const isText = type === 'string' || type === 'enum';
  return { type, items: 'uuid', sql: () => sql, orderedSql: () => (isText ? `(${sql} collate "C")` : sql) };
}

/** A list contains an element if one of its rows is equal to it. */
const toElementLeaf = (leaf: Leaf): Leaf =>
  leaf.op === 'contains' ? { op: 'eq', field: leaf.field, type: leaf.type, value: leaf.value } : leaf;

const toTextLeaf = (leaf: Leaf): Leaf => {
  if (leaf.op === 'in') return { ...leaf, values: leaf.values.map(String) };
  return leaf.op === 'isNull' ? leaf : ({ ...leaf, value: String(leaf.value) } as Leaf);
};

type ComparisonLeaf = Extract<Leaf, { op: Comparison | 'in' }>;

const isComparison = (leaf: Leaf): leaf is ComparisonLeaf => !isTextOperator(leaf.op) && leaf.op !== 'isNull';

const listTexts = (leaf: ComparisonLeaf): string[] =>
  (leaf.op === 'in' ? leaf.values : [leaf.value]).map(String);

/** A condition on the prefix column that is true wherever the leaf is true of the whole value. */
function compilePrefixCondition(
  leaf: ComparisonLeaf,
  { column, characters }: NonNullable<ValueTable['prefix']>,
  bind: Bind,
): string {
  const prefixes = listTexts(leaf).map((text) => [...text].slice(0, characters).join(''));
  if (leaf.op === 'in') return `${column} = any(${bind(prefixes)}::text[])`;
  const operator = leaf.op === 'eq' ? '=' : leaf.op === 'gt' || leaf.op === 'ge' ? '>=' : '<=';
  return `${column} ${operator} ${bind(prefixes[0])}::text`;
}
