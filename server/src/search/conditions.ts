import { isUuid } from '../base/ids.ts';
import type { Bind, Field, FieldType, Literal } from './fields.ts';
import { orderedSqlOf, sqlOf } from './fields.ts';
import type { Comparison, Filter } from './grammar.ts';

/** A filter that asks one field. */
export type Leaf = Exclude<Filter, { op: 'and' | 'or' | 'not' }>;

/** What a condition is about: the expression of a field, or of the column in which its values are kept. */
export interface Operand {
  type: FieldType;
  /** The elements of a `list`. */
  items: 'uuid' | 'string';
  sql: () => string;
  /** The same where it is compared: text in the order of its code points. */
  orderedSql: () => string;
}

export const operandOf = (field: Field, bind: Bind): Operand => ({
  type: field.type,
  items: field.items ?? 'uuid',
  sql: () => sqlOf(field, bind),
  orderedSql: () => orderedSqlOf(field, bind),
});

const SQL_OPERATOR: Record<Exclude<Comparison, 'ne'>, string> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

/** The SQL condition of a leaf. It may come out as NULL where the leaf is false. */
export function compileLeaf(leaf: Leaf, operand: Operand, bind: Bind): string {
  switch (leaf.op) {
    case 'isNull':
      return `(${operand.sql()} is null)`;
    case 'in':
      return operand.type === 'list'
        ? compileOverlap(operand, leaf.values as Literal[], bind)
        : compileIn(operand, leaf.values, bind);
    case 'contains':
    case 'startsWith':
      if (operand.type === 'list') return compileOverlap(operand, [leaf.value], bind);
      return compileLike(operand.sql(), leaf.op, leaf.value, bind);
    default:
      return compileComparison(leaf.op, operand, leaf.value, bind);
  }
}

function compileComparison(op: Comparison, operand: Operand, value: Literal, bind: Bind): string {
  if (isUnknownId(operand.type, value)) return op === 'ne' ? 'true' : 'false';
  const right = `${bind(value)}::${sqlType(operand.type, [value])}`;
  if (op === 'ne') return `(${operand.sql()} is distinct from ${right})`;
  // Equality is the same under every collation, and an index of any of them serves it.
  const left = op === 'eq' ? operand.sql() : operand.orderedSql();
  return `(${left} ${SQL_OPERATOR[op]} ${right})`;
}

function compileIn(operand: Operand, values: readonly (Literal | null)[], bind: Bind): string {
  const known = values.filter((value) => value !== null && !isUnknownId(operand.type, value)) as Literal[];
  const choices: string[] = [];
  if (known.length > 0) {
    choices.push(`${operand.sql()} = any(${bind(known)}::${sqlType(operand.type, known)}[])`);
  }
  if (values.includes(null)) choices.push(`${operand.sql()} is null`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}

/** Whether a list has any of these elements. */
function compileOverlap(operand: Operand, values: readonly Literal[], bind: Bind): string {
  const known = values.filter((value) => !isUnknownId(operand.items, value));
  if (known.length === 0) return 'false';
  return `(${operand.sql()} && ${bind(known)}::${sqlType(operand.items, known)}[])`;
}

/** `ilike` is `lower() like lower()` in PostgreSQL, and a trigram index on the bare column serves it. */
export function compileLike(sql: string, op: 'contains' | 'startsWith', value: string, bind: Bind): string {
  const pattern = `${value.replace(/[\\%_]/g, '\\$&')}%`;
  return `(${sql} ilike ${bind(op === 'contains' ? `%${pattern}` : pattern)}::text)`;
}

/** A text that is no UUID equals no id; casting it would be an error. */
const isUnknownId = (type: FieldType, value: Literal): boolean => type === 'uuid' && !isUuid(String(value));

function sqlType(type: FieldType, values: readonly Literal[]): string {
  switch (type) {
    case 'string':
    case 'enum':
      return 'text';
    case 'time':
      return 'timestamptz';
    case 'number':
      // A numeric parameter would turn an integer column into numeric, and then no index serves.
      return values.every((value) => Number.isSafeInteger(value)) ? 'bigint' : 'numeric';
    case 'uuid':
    case 'boolean':
      return type;
    case 'list':
    case 'any':
      throw new Error(`A field of the type ${type} cannot be compared in SQL.`);
  }
}
