import fc from 'fast-check';
import {
  type Comparison,
  type Field,
  type FieldType,
  isTextOperator,
  type Literal,
  operatorsByType,
  type Searchable,
  type ValueTable,
} from '../../src/search/fields.ts';
import type { Filter } from '../../src/search/grammar/filter.ts';
import type { Sort } from '../../src/search/grammar/sort.ts';

const PREFIX = { column: 'v.head', characters: 2 };

/** A field whose values are in a table of their own. */
const storedField = (
  name: string,
  type: FieldType,
  column: string,
  more: Partial<ValueTable> = {},
): Field => ({
  type,
  nullable: true,
  sql: `select ${type === 'boolean' ? "v.value = 'true'" : column} from item_values v where v.item_id = i.id and v.name = '${name}'`,
  valueTable: {
    from: 'item_values v',
    resourceId: 'v.item_id',
    where: (bind) => `v.name = ${bind(name)}::text`,
    column,
    ...more,
  },
});

/** A resource with a field of every type, and random rows, filters and orders of it. */
export const items: Searchable = {
  fields: {
    createdAt: { type: 'time', sql: 'i.created_at' },
    name: { type: 'string', sql: 'i.name', nullable: true },
    code: { type: 'string', sql: 'i.code' },
    ownerId: { type: 'uuid', sql: 'i.owner_id', nullable: true },
    unreadCount: { type: 'number', sql: 'i.unread_count', nullable: true },
    ratio: { type: 'number', sql: 'i.ratio', nullable: true },
    score: { type: 'number', sql: 'i.score' },
    isOpen: { type: 'boolean', sql: 'i.is_open', nullable: true },
    status: { type: 'enum', sql: 'i.status', values: ['open', 'snoozed', 'closed'] },
    openUntil: { type: 'time', sql: 'i.open_until', nullable: true },
    labelIds: { type: 'list', sql: 'i.label_ids' },
    tags: { type: 'list', sql: 'i.tags', items: 'string' },
    body: { type: 'string', sql: 'i.name', nullable: true, isLong: true },
    nick: { type: 'string', sql: 'i.nick', nullable: true, trigramText: 'i.search_text' },
    city: storedField('city', 'string', 'v.value', { prefix: PREFIX }),
    size: storedField('size', 'number', 'v.number'),
    since: storedField('since', 'time', 'v.time'),
    isActive: storedField('isActive', 'boolean', 'v.value', { isStoredAsText: true, prefix: PREFIX }),
    marks: {
      type: 'list',
      items: 'string',
      sql: 'array(select m.mark from item_marks m where m.item_id = i.id)',
      valueTable: { from: 'item_marks m', resourceId: 'm.item_id', column: 'm.mark' },
    },
  },
  dynamic: (name) => {
    if (!name.startsWith('attributes.')) return undefined;
    const externalId = name.slice('attributes.'.length);
    return { type: 'string', nullable: true, sql: (bind) => `i.attributes ->> ${bind(externalId)}::text` };
  },
  names: ['i.name', 'i.code'],
  id: 'i.id',
};

export interface Item {
  id: string;
  createdAt: string;
  name: string | null;
  code: string;
  ownerId: string | null;
  unreadCount: number | null;
  ratio: number | null;
  score: number;
  isOpen: boolean | null;
  status: string;
  openUntil: string | null;
  labelIds: string[];
  tags: string[];
  attributes: Record<string, string>;
  nick: string | null;
  city: string | null;
  size: number | null;
  since: string | null;
  isActive: boolean | null;
  marks: string[];
}

/** The tables of `items`. */
export const ITEM_TABLES = `
  create temporary table items (
    tenant_id uuid not null, id uuid primary key, created_at timestamptz not null, name text, code text not null,
    owner_id uuid, unread_count int, ratio numeric, score float8 not null, is_open boolean, status text not null,
    open_until timestamptz, label_ids uuid[] not null, tags text[] not null, attributes jsonb not null, nick text,
    search_text text not null);
  create temporary table item_values (item_id uuid, name text, value text, number float8, time timestamptz,
    head text collate "C" generated always as (left(value, 2)) stored);
  create index on item_values (item_id);
  create temporary table item_marks (item_id uuid, mark text);
  create index on item_marks (item_id)`;

export const getField = (item: Item, field: string): unknown => {
  if (field === 'body') return item.name;
  if (field.startsWith('attributes.')) return item.attributes[field.slice('attributes.'.length)];
  return item[field as keyof Item];
};

// Few and short, so that random values are often equal. They include characters that are special in LIKE, SQL, JSON and
// the grammar, and some that UTF-16 orders differently.
const LETTERS = 'aAbBäÄéÉßΣσςİıiIжЖǅ%_\\"\'`$,(); \n\t\u0301\ue000\ufffd😀𐐀𐐨'.match(/./gsu) ?? [];
const text = fc.string({ unit: fc.constantFrom(...LETTERS), maxLength: 4 });
const uuids = Array.from({ length: 4 }, (_, n) => `0197a5c0-0000-7000-8000-00000000000${n}`);
const uuid = fc.constantFrom(...uuids);
const small = fc.constantFrom(-3, -1, 0, 1, 2, 7, 2147483647);
const fraction = fc.constantFrom(-1.5, -0.1, 0, 0.1, 0.30000000000000004, 1, 2.5, 12345678.9);
const double = fc.constantFrom(-1e300, -0.1, 0, 5e-324, 0.1, 1, 1e21, 1e300, 2 ** 53, 2 ** 53 + 2);
const time = fc
  .constantFrom(0, 1, 999, 1000, 86_400_000)
  .map((ms) => new Date(Date.UTC(2026, 10, 15) + ms).toISOString());
const status = fc.constantFrom('open', 'snoozed', 'closed');
const nullable = <T>(values: fc.Arbitrary<T>) => fc.option(values, { freq: 3 });
const ATTRIBUTES = ['city', 'größe', 'a b"c\\'];

export const item: fc.Arbitrary<Item> = fc.record({
  id: fc.uuid(),
  createdAt: time,
  name: nullable(text),
  code: text,
  ownerId: nullable(uuid),
  unreadCount: nullable(small),
  ratio: nullable(fraction),
  score: double,
  isOpen: nullable(fc.boolean()),
  status,
  openUntil: nullable(time),
  labelIds: fc.array(uuid, { maxLength: 3 }),
  tags: fc.array(text, { maxLength: 3 }),
  attributes: fc.dictionary(fc.constantFrom(...ATTRIBUTES), text),
  nick: nullable(text),
  city: nullable(text),
  size: nullable(double),
  since: nullable(time),
  isActive: nullable(fc.boolean()),
  marks: fc.uniqueArray(text, { maxLength: 3 }),
});

function createValues(name: string, field: Field): fc.Arbitrary<Literal> {
  const byType: Record<FieldType, fc.Arbitrary<Literal>> = {
    string: text,
    uuid: fc.oneof({ weight: 4, arbitrary: uuid }, { weight: 1, arbitrary: text }),
    number: name === 'unreadCount' ? fc.oneof(small, fraction) : name === 'ratio' ? fraction : double,
    boolean: fc.boolean(),
    time,
    enum: status,
    list: field.items === 'string' ? text : fc.oneof(uuid, text),
    any: text,
  };
  return byType[field.type];
}

const fieldNames = [...Object.keys(items.fields), 'id', ...ATTRIBUTES.map((name) => `attributes.${name}`)];
const requireItemField = (name: string): Field =>
  items.fields[name] ?? items.dynamic?.(name) ?? { type: 'uuid', sql: items.id };

const leaf: fc.Arbitrary<Filter> = fc.constantFrom(...fieldNames).chain((name) => {
  const field = requireItemField(name);
  const { type } = field;
  const value = createValues(name, field);
  return fc.constantFrom(...operatorsByType[type]).chain((op): fc.Arbitrary<Filter> => {
    if (op === 'isNull') return fc.constant({ op, field: name, type });
    if (op === 'in') {
      const element = type === 'list' ? value : fc.option(value, { freq: 6 });
      const values = fc.array(element, { minLength: 1, maxLength: 5 });
      return values.map((list) => ({ op, field: name, type, values: list }));
    }
    if (isTextOperator(op)) {
      return value.map((one) => ({ op, field: name, type, value: String(one) }));
    }
    return value.map((one) => ({ op: op as Comparison, field: name, type, value: one }));
  });
});

export const filter: fc.Arbitrary<Filter> = fc.letrec<{ node: Filter }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: fc.record({
        op: fc.constantFrom('and' as const, 'or' as const),
        conditions: fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ op: fc.constant('not' as const), condition: tie('node') }) },
  ),
})).node;

const sortable = fieldNames.filter((name) => requireItemField(name).type !== 'list');

export const sort: fc.Arbitrary<Sort> = fc
  .uniqueArray(fc.constantFrom(...sortable), { minLength: 1, maxLength: 4 })
  .chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc
          .constantFrom('asc' as const, 'desc' as const)
          .map((direction) => ({ direction, field: name, type: requireItemField(name).type })),
      ),
    ),
  );
