import { isUuid } from '../../base/ids.ts';
import type { Bind, Comparison, Field, FieldType, Literal } from '../fields.ts';
import type { Leaf } from '../grammar/filter.ts';
import { foldCase } from '../text.ts';
import { wordPattern } from '../words.ts';
import { compileField, compileOrderedField } from './field.ts';

/** The left side of a condition: a field, or a column of a value table. */
export interface Operand {
  type: FieldType;
  /** The type of the elements of a `list`. */
  items: 'uuid' | 'string';
  sql: () => string;
  /** For comparing: text in the order of code points. */
  orderedSql: () => string;
}

export const toFieldOperand = (field: Field, bind: Bind): Operand => ({
  type: field.type,
  items: field.items ?? 'uuid',
  sql: () => compileField(field, bind),
  orderedSql: () => compileOrderedField(field, bind),
});

const SQL_OPERATOR: Record<Exclude<Comparison, 'ne'>, string> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

/** The SQL condition of a leaf. It may be NULL instead of false. */
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
    case 'hasWord':
      if (operand.type === 'list') return compileOverlap(operand, [leaf.value], bind);
      return leaf.op === 'hasWord'
        ? compileHasWord(operand.sql(), leaf.value, bind)
        : compileLike(operand.sql(), leaf.op, leaf.value, bind);
    default:
      return compileComparison(leaf.op, operand, leaf.value, bind);
  }
}

function compileComparison(op: Comparison, operand: Operand, value: Literal, bind: Bind): string {
  if (isUnknownId(operand.type, value)) return op === 'ne' ? 'true' : 'false';
  const right = `${bind(value)}::${getSqlType(operand.type, [value])}`;
  if (op === 'ne') return `(${operand.sql()} is distinct from ${right})`;
  // Equality is the same in every collation, and an index in any of them serves it.
  const left = op === 'eq' ? operand.sql() : operand.orderedSql();
  return `(${left} ${SQL_OPERATOR[op]} ${right})`;
}

function compileIn(operand: Operand, values: readonly (Literal | null)[], bind: Bind): string {
  const known = values.filter((value) => value !== null && !isUnknownId(operand.type, value)) as Literal[];
  const choices: string[] = [];
  if (known.length > 0) {
    choices.push(`${operand.sql()} = any(${bind(known)}::${getSqlType(operand.type, known)}[])`);
  }
  if (values.includes(null)) choices.push(`${operand.sql()} is null`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}

/** Whether a list has any of these elements. */
function compileOverlap(operand: Operand, values: readonly Literal[], bind: Bind): string {
  const known = values.filter((value) => !isUnknownId(operand.items, value));
  if (known.length === 0) return 'false';
  return `(${operand.sql()} && ${bind(known)}::${getSqlType(operand.items, known)}[])`;
}

/** PostgreSQL evaluates `ilike` as `lower() like lower()`; a trigram index on the bare column serves it. */
export function compileLike(sql: string, op: 'contains' | 'startsWith', value: string, bind: Bind): string {
  const pattern = `${value.replace(/[\\%_]/g, '\\$&')}%`;
  return `(${sql} ilike ${bind(op === 'contains' ? `%${pattern}` : pattern)}::text)`;
}

/** Only a substring can be a word, and an index finds those. */
function compileHasWord(sql: string, value: string, bind: Bind): string {
  const isContained = compileLike(sql, 'contains', value, bind);
  return `(${isContained} and lower(${sql}) ~ ${bind(wordPattern(foldCase(value)))}::text)`;
}

/** A text that is not a UUID equals no id. Casting it would fail. */
const isUnknownId = (type: FieldType, value: Literal): boolean => type === 'uuid' && !isUuid(String(value));

function getSqlType(type: FieldType, values: readonly Literal[]): string {
  switch (type) {
    case 'string':
    case 'enum':
      return 'text';
    case 'time':
      return 'timestamptz';
    case 'number':
      // A numeric parameter would convert an integer column to numeric, and no index would serve it.
      return values.every((value) => Number.isSafeInteger(value)) ? 'bigint' : 'numeric';
    case 'uuid':
    case 'boolean':
      return type;
    case 'list':
    case 'any':
      throw new Error(`A field of the type ${type} cannot be compared in SQL.`);
  }
}
