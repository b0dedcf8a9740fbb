import { compileLeaf, compileLike, type Leaf, type Operand } from './conditions.ts';
import type { Aside, Bind, Field, FieldType, Literal, Searchable } from './fields.ts';
import { requireField, sqlOf } from './fields.ts';
import type { Filter } from './grammar.ts';

/**
 * Conditions in the form in which indexes find the rows, instead of a look at the values of every row: values kept in
 * a table of their own, and texts that are part of a text with a trigram index. Each is true of the same rows as the
 * plain condition of its leaf.
 */

const TRIGRAM = 3;
/** Of more values the look at each row is cheaper. */
const MOST_ALTERNATIVES = 20;

/** Without any, a trigram index gives every row there is, and takes longer for that than a look at each row. */
export const hasTrigrams = (text: string): boolean => [...text].length >= TRIGRAM;

/** The query that gives the keys of the rows of which the filter is true, if there is one; and the key it is for. */
export function compileSet(
  filter: Filter,
  searchable: Searchable,
  bind: Bind,
): { key: string; query: string } | undefined {
  const asides = asidesOf(filter, searchable);
  const [first] = asides ?? [];
  if (asides === undefined || first === undefined || asides.some(({ key }) => key !== first.key))
    return undefined;
  return { key: first.key, query: queryOf(filter, searchable, bind) };
}

/** The tables that answer the filter alone, or undefined when they cannot. Binds nothing. */
function asidesOf(filter: Filter, searchable: Searchable): Aside[] | undefined {
  switch (filter.op) {
    case 'and':
      return undefined;
    case 'or': {
      const parts = filter.of.map((one) => asidesOf(one, searchable));
      return parts.includes(undefined) ? undefined : (parts as Aside[][]).flat();
    }
    case 'not': {
      // Whoever has a value has a row for it.
      const aside = filter.of.op === 'isNull' ? requireField(searchable, filter.of.field).aside : undefined;
      return aside && [aside];
    }
    default: {
      const field = requireField(searchable, filter.field);
      return field.aside && isAnswered(filter, field) ? [field.aside] : undefined;
    }
  }
}

/** Whether the leaf can only be true of rows that have a value. */
const asksForPresence = (leaf: Leaf): boolean =>
  leaf.op !== 'ne' && leaf.op !== 'isNull' && !(leaf.op === 'in' && leaf.values.includes(null));

/** Whether the table answers the leaf, and trigrams are not a better way to do so. */
const isAnswered = (leaf: Leaf, field: Field): boolean =>
  asksForPresence(leaf) &&
  !((leaf.op === 'contains' || leaf.op === 'startsWith') && textsWithin(leaf, field) !== undefined);

function queryOf(filter: Filter, searchable: Searchable, bind: Bind): string {
  if (filter.op === 'or') return filter.of.map((one) => queryOf(one, searchable, bind)).join(' union all ');
  const leaf = (filter.op === 'not' ? filter.of : filter) as Leaf;
  const field = requireField(searchable, leaf.field);
  const aside = field.aside as Aside;
  const conditions = [...(aside.where ? [aside.where(bind)] : [])];
  if (filter.op !== 'not') conditions.push(...conditionsIn(aside, leaf, field, bind));
  return `select ${aside.of} from ${aside.from} where ${conditions.join(' and ') || 'true'}`;
}

/** Whether a row has a value of which the leaf is true, by a look at the values of that row alone. */
export function compileExists(leaf: Leaf, field: Field, bind: Bind): string | undefined {
  const { aside } = field;
  if (aside === undefined || !asksForPresence(leaf)) return undefined;
  const conditions = [`${aside.of} = ${aside.key}`, ...(aside.where ? [aside.where(bind)] : [])];
  conditions.push(...conditionsIn(aside, leaf, field, bind));
  // The offset keeps the planner from reading all values instead and joining them.
  return `exists (select from ${aside.from} where ${conditions.join(' and ')} offset 0)`;
}

/** The conditions on the column of the values. */
function conditionsIn(aside: Aside, leaf: Leaf, field: Field, bind: Bind): string[] {
  const isList = field.type === 'list';
  const asked = isList ? elementOf(leaf) : aside.isText ? asText(leaf) : leaf;
  const operand = operandIn(aside, isList ? (field.items ?? 'uuid') : field.type);
  return [...headOf(asked, aside, bind), compileLeaf(asked, operand, bind)];
}

function operandIn(aside: Aside, type: FieldType): Operand {
  const ofText = aside.isText === true || type === 'string' || type === 'enum';
  const sql = `(${aside.column})`;
  return {
    type: aside.isText ? 'string' : type,
    items: 'uuid',
    sql: () => sql,
    orderedSql: () => (ofText ? `(${sql} collate "C")` : sql),
  };
}

/** Having an element is equality, where each element has a row of its own. */
const elementOf = (leaf: Leaf): Leaf =>
  leaf.op === 'contains' ? { op: 'eq', field: leaf.field, type: leaf.type, value: leaf.value } : leaf;

const asText = (leaf: Leaf): Leaf => {
  if (leaf.op === 'in') return { ...leaf, values: leaf.values.map(String) };
  return leaf.op === 'isNull' ? leaf : ({ ...leaf, value: String(leaf.value) } as Leaf);
};

/** What is true of the beginning of a text wherever the leaf is true of the text. */
function headOf(leaf: Leaf, { column, indexedCharacters: length }: Aside, bind: Bind): string[] {
  if (length === undefined) return [];
  const sql = `(left(${column}, ${length}) collate "C")`;
  const headOfValue = (value: Literal | null): string => [...String(value)].slice(0, length).join('');
  switch (leaf.op) {
    case 'eq':
      return [`${sql} = ${bind(headOfValue(leaf.value))}::text`];
    case 'gt':
    case 'ge':
      return [`${sql} >= ${bind(headOfValue(leaf.value))}::text`];
    case 'lt':
    case 'le':
      return [`${sql} <= ${bind(headOfValue(leaf.value))}::text`];
    case 'in':
      return [`${sql} = any(${bind(leaf.values.map(headOfValue))}::text[])`];
    default:
      return [];
  }
}

/** Texts of which one must be found in the text that a field is within, or undefined where there are none. */
function textsWithin(leaf: Leaf, field: Field): string[] | undefined {
  if (field.within === undefined || leaf.op === 'isNull') return undefined;
  const values = leaf.op === 'in' ? leaf.values : [leaf.value];
  const canBeFound = ['eq', 'in', 'contains', 'startsWith'].includes(leaf.op);
  const areFindable = values.every((value) => typeof value === 'string' && hasTrigrams(value));
  return canBeFound && areFindable && values.length <= MOST_ALTERNATIVES ? (values as string[]) : undefined;
}

/** The condition, for a trigram index, that is true wherever the leaf is true; undefined where there is none. */
export function compileWithin(leaf: Leaf, field: Field, bind: Bind): string | undefined {
  const texts = textsWithin(leaf, field);
  if (texts === undefined) return undefined;
  const column = sqlOf({ type: 'string', sql: field.within as string }, bind);
  return `(${texts.map((text) => compileLike(column, 'contains', text, bind)).join(' or ')})`;
}
