import type { Field, FieldType, LeafOperator, Literal, Searchable } from './fields.ts';
import {
  type comparisons,
  expectationOf,
  findField,
  isSortable,
  leafOperators,
  literalFor,
  nearestField,
  operatorsOf,
} from './fields.ts';
import { nearest, quote } from './text.ts';
import type { Token, Tokens } from './tokens.ts';
import { isPlainName, readTokens } from './tokens.ts';

export const MAX_LEVELS = 20;
export const MAX_LIST_VALUES = 500;
/** Every field sorted by adds a level to the condition that a cursor becomes. */
export const MAX_SORT_FIELDS = 8;

export type Comparison = (typeof comparisons)[number];

/**
 * A filter whose fields are known and whose values have the fields' types. `eq(f,null)` is `isNull(f)`. Truth has
 * two values: what is null is neither equal to nor greater than anything, so `ne` and `not(eq)` are true for it.
 */
export type Filter =
  | { op: 'and' | 'or'; of: readonly Filter[] }
  | { op: 'not'; of: Filter }
  | { op: Comparison; field: string; type: FieldType; value: Literal }
  | { op: 'in'; field: string; type: FieldType; values: readonly (Literal | null)[] }
  | { op: 'contains' | 'startsWith'; field: string; type: FieldType; value: string }
  | { op: 'isNull'; field: string; type: FieldType };

export interface SortKey {
  direction: 'asc' | 'desc';
  field: string;
  type: FieldType;
}
export type Sort = readonly SortKey[];

const FUNCTIONS: readonly string[] = ['and', 'or', 'not', ...leafOperators];

/** The filter that a text says, checked against the resource's fields, or an ExpressionError. */
export function parseFilter(text: string, searchable: Searchable): Filter {
  const tokens = readTokens(text);
  const filter = parseCondition(tokens, searchable, 1);
  const last = tokens.take();
  if (last.kind !== 'end') throw tokens.expected('end of input', last);
  return filter;
}

// The recursion is bounded by MAX_LEVELS, whatever comes in.
function parseCondition(tokens: Tokens, searchable: Searchable, level: number): Filter {
  const name = tokens.take();
  if (name.kind !== 'name') throw tokens.expected('a condition such as eq(field,"value")', name);
  if (level > MAX_LEVELS) throw tokens.error(`More than ${MAX_LEVELS} levels`, name);
  const op = name.text;
  if (!FUNCTIONS.includes(op)) {
    const rest = `; did you mean "${nearest(op, FUNCTIONS)}"?`;
    throw tokens.error(`Unknown function ${quote(op)}`, name, rest);
  }
  tokens.takeMark('(');
  if (op === 'and' || op === 'or') {
    const of: Filter[] = [];
    do of.push(parseCondition(tokens, searchable, level + 1));
    while (tokens.hasMore());
    return { op, of };
  }
  if (op === 'not') {
    const of = parseCondition(tokens, searchable, level + 1);
    tokens.takeMark(')');
    return { op, of };
  }
  return parseLeaf(tokens, searchable, op as LeafOperator);
}

function parseLeaf(tokens: Tokens, searchable: Searchable, op: LeafOperator): Filter {
  const at = tokens.peek();
  const { name, field } = parseField(tokens, searchable);
  const { type } = field;
  if (!operatorsOf[type].includes(op)) {
    const rest = `; it can be asked with ${operatorsOf[type].join(', ')}`;
    throw tokens.error(`${op} does not apply to the ${type} field ${quote(name)}`, at, rest);
  }
  if (op === 'isNull') {
    tokens.takeMark(')');
    return { op, field: name, type };
  }
  tokens.takeMark(',');
  if (op === 'in') {
    const values: (Literal | null)[] = [];
    do {
      if (values.length === MAX_LIST_VALUES) {
        throw tokens.error(`More than ${MAX_LIST_VALUES} values in a list`, tokens.peek());
      }
      values.push(parseValue(tokens, name, field, type !== 'list'));
    } while (tokens.hasMore());
    return { op, field: name, type, values };
  }
  const isText = op === 'contains' || op === 'startsWith';
  const target: Field = isText && type === 'any' ? { ...field, type: 'string' } : field;
  const value = parseValue(tokens, name, target, op === 'eq' || op === 'ne');
  tokens.takeMark(')');
  if (isText) return { op, field: name, type, value: String(value) };
  if (value !== null) return { op, field: name, type, value };
  const isNull: Filter = { op: 'isNull', field: name, type };
  return op === 'eq' ? isNull : { op: 'not', of: isNull };
}

function parseField(tokens: Tokens, searchable: Searchable): { name: string; field: Field } {
  const token = tokens.take();
  // An attribute's externalId may have any characters: `eq("attributes.shoe size",44)`.
  if (token.kind !== 'name' && token.kind !== 'text') throw tokens.expected('the name of a field', token);
  const name = token.text;
  const field = findField(searchable, name);
  if (field !== undefined) return { name, field };
  const rest = `; did you mean "${nearestField(searchable, name)}"?`;
  throw tokens.error(`Unknown field ${quote(name)}`, token, rest);
}

function parseValue(tokens: Tokens, name: string, field: Field, nullAllowed: boolean): Literal | null {
  const token = tokens.take();
  const given = literalOf(token);
  if (given === null && nullAllowed) return null;
  const value = given === null || given === undefined ? undefined : literalFor(field, given);
  if (value === undefined) throw tokens.expected(`${expectationOf(field)} for ${quote(name)}`, token);
  return value;
}

function literalOf(token: Token): Literal | null | undefined {
  if (token.kind === 'text') return token.text;
  if (token.kind === 'number') return token.value;
  if (token.kind !== 'name') return undefined;
  if (token.text === 'null') return null;
  return token.text === 'true' ? true : token.text === 'false' ? false : undefined;
}

/** The order that a text such as `asc(name), desc(createdAt)` says, or an ExpressionError. */
export function parseSort(text: string, searchable: Searchable): Sort {
  const tokens = readTokens(text);
  const keys: SortKey[] = [];
  for (;;) {
    const direction = tokens.take();
    if (direction.kind !== 'name' || (direction.text !== 'asc' && direction.text !== 'desc')) {
      throw tokens.expected('asc(field) or desc(field)', direction);
    }
    if (keys.length === MAX_SORT_FIELDS) throw tokens.error(`More than ${MAX_SORT_FIELDS} fields`, direction);
    tokens.takeMark('(');
    const at = tokens.peek();
    const { name, field } = parseField(tokens, searchable);
    if (!isSortable(field)) throw tokens.error(`Cannot sort by ${quote(name)}`, at);
    if (keys.some((key) => key.field === name))
      throw tokens.error(`${quote(name)} is sorted by a second time`, at);
    tokens.takeMark(')');
    keys.push({ direction: direction.text, field: name, type: field.type });
    const next = tokens.take();
    if (next.kind === 'end') return keys;
    if (next.kind !== 'mark' || next.mark !== ',') throw tokens.expected('"," or end of input', next);
  }
}

/**
 * The order that no two rows share a place in: `desc(createdAt)` unless something else was asked for, ties broken
 * by id. The id goes the way of the field before it, so that one index serves both directions.
 */
export function completeSort(sort: Sort | undefined, searchable: Searchable): Sort {
  const asked = sort ?? [];
  const idAt = asked.findIndex((key) => key.field === 'id');
  if (idAt >= 0) return asked.slice(0, idAt + 1);
  const createdAt = findField(searchable, 'createdAt');
  const keys: Sort =
    sort !== undefined || createdAt === undefined
      ? asked
      : [{ direction: 'desc', field: 'createdAt', type: createdAt.type }];
  return [...keys, { direction: keys.at(-1)?.direction ?? 'desc', field: 'id', type: 'uuid' }];
}

/** The shortest text that parses to this filter. */
export function printFilter(filter: Filter): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      return `${filter.op}(${filter.of.map(printFilter).join(',')})`;
    case 'not':
      return `not(${printFilter(filter.of)})`;
    case 'in':
      return `in(${[printName(filter.field), ...filter.values.map(printValue)].join(',')})`;
    case 'isNull':
      return `isNull(${printName(filter.field)})`;
    default:
      return `${filter.op}(${printName(filter.field)},${printValue(filter.value)})`;
  }
}

export const printSort = (sort: Sort): string =>
  sort.map((key) => `${key.direction}(${printName(key.field)})`).join(',');

const printName = (name: string): string => (isPlainName(name) ? name : printValue(name));

const printValue = (value: Literal | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
