import { compileLeaf, compileLike, type Leaf, type Operand } from './conditions.ts';
import type { Aside, Bind, Field, FieldType, Searchable } from './fields.ts';
import { requireField, sqlOf } from './fields.ts';
import type { Comparison, Filter } from './grammar.ts';

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

/** Conditions that all must be true: what tables of values answer, one list for each look at them, and what they do not. */
interface Split {
  sets: Filter[][];
  rest: Filter[];
}

/** What is asked of one single value, such as a range of it, is asked together. */
export function splitOf(filter: Filter, searchable: Searchable): Split {
  const sets: Filter[][] = [];
  const rest: Filter[] = [];
  const ofField = new Map<string, Filter[]>();
  for (const one of filter.op === 'and' ? filter.of : [filter]) {
    if (!areAnswered(one, searchable)) {
      rest.push(one);
      continue;
    }
    const field =
      'field' in one && requireField(searchable, one.field).type !== 'list' ? one.field : undefined;
    const same = field === undefined ? undefined : ofField.get(field);
    if (same) same.push(one);
    else {
      const set = [one];
      sets.push(set);
      if (field !== undefined) ofField.set(field, set);
    }
  }
  return { sets, rest };
}

/** The condition that a row is one of those of which a set is true. */
export const compileSet = (set: Filter[], searchable: Searchable, bind: Bind): string =>
  `${searchable.id} in (${queryOf(set, searchable, bind)})`;

/**
 * The condition that a row is one of those of which all sets are true. For the planner their ids are an array whose
 * length it does not know and takes for short: it finds the rows by id.
 */
export function compileKeys(sets: Filter[][], searchable: Searchable, bind: Bind): string {
  const [first, ...others] = sets.map((set) => queryOf(set, searchable, bind)) as [string, ...string[]];
  if (others.length === 0) return keyed(searchable, first);
  // Not an intersection, for which all of them would be read: here the planner chooses the one to begin with.
  const within = others.map((query) => `keys.id in (${query})`).join(' and ');
  return keyed(searchable, `select keys.id from (${first}) as keys (id) where ${within}`);
}

/** The same for one set, of which no more than `most` are wanted; undefined where such a part could be of others. */
export function compileSome(
  set: Filter[],
  searchable: Searchable,
  bind: Bind,
  most: number,
): string | undefined {
  const [first] = set as [Filter];
  if (first.op === 'or') return undefined;
  const field = requireField(searchable, ((first.op === 'not' ? first.of : first) as Leaf).field);
  // Several values of a list may give a row twice, or be another tenant's in part.
  if (!field.aside?.isOfTenant || (field.type === 'list' && first.op !== 'contains')) return undefined;
  return keyed(searchable, `${queryOf(set, searchable, bind)} limit ${most}`);
}

const keyed = ({ id }: Searchable, query: string): string => `${id} = any(array(${query}))`;

function areAnswered(filter: Filter, searchable: Searchable): boolean {
  switch (filter.op) {
    case 'and':
      return false;
    case 'or':
      return filter.of.every((one) => areAnswered(one, searchable));
    case 'not':
      // Whoever has a value has a row for it.
      return filter.of.op === 'isNull' && requireField(searchable, filter.of.field).aside !== undefined;
    default: {
      const field = requireField(searchable, filter.field);
      return field.aside !== undefined && isAnswered(filter, field);
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

function queryOf(set: Filter[], searchable: Searchable, bind: Bind): string {
  const [first] = set as [Filter];
  if (first.op === 'or') return first.of.map((one) => queryOf([one], searchable, bind)).join(' union all ');
  const { field: name } = (first.op === 'not' ? first.of : first) as Leaf;
  const field = requireField(searchable, name);
  const aside = field.aside as Aside;
  const conditions = [...(aside.where ? [aside.where(bind)] : [])];
  for (const one of set)
    if (one.op !== 'not') conditions.push(...conditionsIn(aside, one as Leaf, field, bind));
  return `select ${aside.of} from ${aside.from} where ${conditions.join(' and ') || 'true'}`;
}

/** Whether a row has a value of which the leaf is true, by a look at the values of that row alone. */
export function compileExists(leaf: Leaf, field: Field, { id }: Searchable, bind: Bind): string | undefined {
  const { aside } = field;
  if (aside === undefined || !asksForPresence(leaf)) return undefined;
  const conditions = [`${aside.of} = ${id}`, ...(aside.where ? [aside.where(bind)] : [])];
  conditions.push(...conditionsIn(aside, leaf, field, bind));
  // The offset keeps the planner from reading all values instead and joining them.
  return `exists (select from ${aside.from} where ${conditions.join(' and ')} offset 0)`;
}

/** The conditions on the column of the values. */
function conditionsIn(aside: Aside, leaf: Leaf, field: Field, bind: Bind): string[] {
  const isList = field.type === 'list';
  const asked = isList ? elementOf(leaf) : aside.isText ? asText(leaf) : leaf;
  const type = aside.isText ? 'string' : isList ? (field.items ?? 'uuid') : field.type;
  const { head, parts } = aside;
  const whole = operandIn(aside.column, type);
  if (parts !== undefined && (asked.op === 'contains' || asked.op === 'startsWith'))
    return [parts, compileLeaf(asked, whole, bind)];
  if (head === undefined || !isComparison(asked)) return [compileLeaf(asked, whole, bind)];
  // A text that is shorter than a head is compared with heads as with whole texts.
  if (literalsOf(asked).every((text) => [...text].length < head.characters))
    return [compileLeaf(asked, { ...operandIn(head.column, type), orderedSql: () => head.column }, bind)];
  return [headOf(asked, head, bind), compileLeaf(asked, whole, bind)];
}

function operandIn(column: string, type: FieldType): Operand {
  const sql = `(${column})`;
  const isText = type === 'string' || type === 'enum';
  return { type, items: 'uuid', sql: () => sql, orderedSql: () => (isText ? `(${sql} collate "C")` : sql) };
}

/** Having an element is equality, where each element has a row of its own. */
const elementOf = (leaf: Leaf): Leaf =>
  leaf.op === 'contains' ? { op: 'eq', field: leaf.field, type: leaf.type, value: leaf.value } : leaf;

const asText = (leaf: Leaf): Leaf => {
  if (leaf.op === 'in') return { ...leaf, values: leaf.values.map(String) };
  return leaf.op === 'isNull' ? leaf : ({ ...leaf, value: String(leaf.value) } as Leaf);
};

type Compared = Extract<Leaf, { op: Comparison | 'in' }>;

const isComparison = (leaf: Leaf): leaf is Compared =>
  leaf.op !== 'contains' && leaf.op !== 'startsWith' && leaf.op !== 'isNull';

const literalsOf = (leaf: Compared): string[] => (leaf.op === 'in' ? leaf.values : [leaf.value]).map(String);

/** What is true of the beginning of a text wherever the leaf is true of the text. */
function headOf(leaf: Compared, { column, characters }: NonNullable<Aside['head']>, bind: Bind): string {
  const heads = literalsOf(leaf).map((text) => [...text].slice(0, characters).join(''));
  if (leaf.op === 'in') return `${column} = any(${bind(heads)}::text[])`;
  const operator = leaf.op === 'eq' ? '=' : leaf.op === 'gt' || leaf.op === 'ge' ? '>=' : '<=';
  return `${column} ${operator} ${bind(heads[0])}::text`;
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
