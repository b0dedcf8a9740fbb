import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindTo, compileFilter } from '../../src/search/compile.ts';
import type { Searchable } from '../../src/search/fields.ts';
import { completeSort, parseFilter, parseSort } from '../../src/search/grammar.ts';
import { compileAfter, compileOrder } from '../../src/search/keyset.ts';
import { filter, items } from '../kit/search-samples.ts';

const uuid = '0197a5c0-0000-7000-8000-00000000000a';

function compiled(text: string, searchable: Searchable = items): [string, unknown[]] {
  const params: unknown[] = [];
  return [compileFilter(parseFilter(text, searchable), searchable, params), params];
}

describe('compiling a filter', () => {
  it.each<[string, string, unknown[]]>([
    ['eq(name,"x")', '((i.name) = $1::text)', ['x']],
    ['ne(name,"x")', '((i.name) is distinct from $1::text)', ['x']],
    ['gt(name,"x")', '(((i.name) collate "C") > $1::text)', ['x']],
    ['ge(unreadCount,5)', '((i.unread_count) >= $1::bigint)', [5]],
    ['lt(unreadCount,0.5)', '((i.unread_count) < $1::numeric)', [0.5]],
    ['le(createdAt,"2026-11-15")', '((i.created_at) <= $1::timestamptz)', ['2026-11-15T00:00:00.000Z']],
    ['eq(isOpen,true)', '((i.is_open) = $1::boolean)', [true]],
    [`eq(id,"${uuid}")`, '((i.id) = $1::uuid)', [uuid]],
    ['eq(id,"x")', 'false', []],
    ['ne(id,"x")', 'true', []],
    ['in(id,"x","y")', 'false', []],
    [`in(ownerId,"x","${uuid}")`, '((i.owner_id) = any($1::uuid[]))', [[uuid]]],
    ['in(ownerId,"x",null)', '((i.owner_id) is null)', []],
    ['in(name,"x",null)', '((i.name) = any($1::text[]) or (i.name) is null)', [['x']]],
    ['in(unreadCount,1,2.5)', '((i.unread_count) = any($1::numeric[]))', [[1, 2.5]]],
    ['contains(name,"50%_\\\\")', '((i.name) ilike $1::text)', ['%50\\%\\_\\\\%']],
    ['startsWith(name,"%")', '((i.name) ilike $1::text)', ['\\%%']],
    [`contains(labelIds,"${uuid}")`, '((i.label_ids) && $1::uuid[])', [[uuid]]],
    [`in(labelIds,"x","${uuid}")`, '((i.label_ids) && $1::uuid[])', [[uuid]]],
    ['contains(labelIds,"x")', 'false', []],
    ['contains(tags,"x")', '((i.tags) && $1::text[])', [['x']]],
    ['isNull(name)', '((i.name) is null)', []],
    ['not(isNull(name))', '((((i.name) is null)) is not true)', []],
    [
      'or(isNull(name),and(eq(code,"a"),eq(code,"b")))',
      '(((i.name) is null) or (((i.code) = $1::text) and ((i.code) = $2::text)))',
      ['a', 'b'],
    ],
  ])('%s', (text, sql, params) => {
    expect(compiled(text)).toEqual([sql, params]);
  });

  it('gives the name of a dynamic field as a parameter', () => {
    const [sql, params] = compiled(`eq("attributes.x' or true --","1")`);
    expect(sql).toBe('((i.attributes ->> $2::text) = $1::text)');
    expect(params).toEqual(['1', "x' or true --"]);
  });

  const set = (condition: string) =>
    `(i.id in (select v.item_id from item_values v where v.name = $1::text${condition}))`;
  it.each<[string, string, unknown[]]>([
    ['gt(size,5)', set(' and ((v.number) > $2::bigint)'), ['size', 5]],
    ['eq(city,"Berlin")', set(' and v.head = $2::text and ((v.value) = $3::text)'), ['city', 'Be', 'Berlin']],
    [
      'lt(city,"Berlin")',
      set(' and v.head <= $2::text and (((v.value) collate "C") < $3::text)'),
      ['city', 'Be', 'Berlin'],
    ],
    ['eq(city,"x")', set(' and ((v.head) = $2::text)'), ['city', 'x']],
    ['ge(city,"x")', set(' and (v.head >= $2::text)'), ['city', 'x']],
    ['contains(city,"x")', set(' and ((v.value) ilike $2::text)'), ['city', '%x%']],
    [
      'eq(isActive,true)',
      set(' and v.head = $2::text and ((v.value) = $3::text)'),
      ['isActive', 'tr', 'true'],
    ],
    ['not(isNull(size))', set(''), ['size']],
    [
      'contains(marks,"x")',
      '(i.id in (select m.item_id from item_marks m where ((m.mark) = $1::text)))',
      ['x'],
    ],
    [
      'or(in(marks,"x"),eq(size,1))',
      '(i.id in (select m.item_id from item_marks m where ((m.mark) = any($1::text[])) union all ' +
        'select v.item_id from item_values v where v.name = $2::text and ((v.number) = $3::bigint)))',
      [['x'], 'size', 1],
    ],
    ['eq(nick,"abc")', '((((i.search_text) ilike $1::text)) and ((i.nick) = $2::text))', ['%abc%', 'abc']],
    ['eq(nick,"ab")', '((i.nick) = $1::text)', ['ab']],
  ])('%s finds rows by an index on what it asks for', (text, sql, params) => {
    expect(compiled(text)).toEqual([sql, params]);
  });

  it('looks at each row instead, where that is asked for', () => {
    const params: unknown[] = [];
    const rowByRow = (text: string) => compileFilter(parseFilter(text, items), items, params, 'row by row');
    expect(rowByRow('gt(size,5)')).toBe(
      'exists (select from item_values v where v.item_id = i.id and v.name = $1::text and ((v.number) > $2::bigint) offset 0)',
    );
    expect(rowByRow('ne(size,5)')).toBe(
      "((select v.number from item_values v where v.item_id = i.id and v.name = 'size') is distinct from $3::bigint)",
    );
    expect(rowByRow('eq(nick,"abc")')).toBe('((i.nick) = $4::text)');
  });

  it('asks for a range of one value in one look', () => {
    expect(compiled('and(gt(size,5),eq(nick,"ab"),lt(size,9))')).toEqual([
      '(i.id in (select v.item_id from item_values v where v.name = $1::text and ((v.number) > $2::bigint) and ' +
        '((v.number) < $3::bigint)) and ((i.nick) = $4::text))',
      ['size', 5, 9, 'ab'],
    ]);
    // A row has several of these.
    expect(compiled('and(contains(marks,"x"),contains(marks,"y"))')).toEqual([
      '(i.id in (select m.item_id from item_marks m where ((m.mark) = $1::text)) and ' +
        'i.id in (select m.item_id from item_marks m where ((m.mark) = $2::text)))',
      ['x', 'y'],
    ]);
  });

  it.each<[string, string]>([
    [
      'gt(size,5)',
      '(i.id = any(array(select v.item_id from item_values v where v.name = $1::text and ((v.number) > $2::bigint))))',
    ],
    [
      'and(contains(marks,"x"),gt(unreadCount,1),in(marks,"y"))',
      '(i.id = any(array(select keys.id from (select m.item_id from item_marks m where ((m.mark) = $1::text)) as keys (id) ' +
        'where keys.id in (select m.item_id from item_marks m where ((m.mark) = any($2::text[]))))) and ' +
        '((i.unread_count) > $3::bigint))',
    ],
    ['eq(nick,"ab")', '((i.nick) = $1::text)'],
  ])('%s gathers the keys first, where all rows are wanted', (text, sql) => {
    expect(compileFilter(parseFilter(text, items), items, [], 'by key')).toBe(sql);
  });

  it('refuses to compare a value of unknown type', () => {
    const searchable: Searchable = { ...items, dynamic: () => ({ type: 'any', sql: 'x' }) };
    expect(() => compiled('eq(steps.a,1)', searchable)).toThrow('cannot be compared in SQL');
  });

  it('has nothing of the client in its text (I1)', () => {
    const allowed = new Set(
      'i.name i.code i.owner_id i.unread_count i.ratio i.score i.is_open i.status i.open_until i.label_ids'
        .concat(
          ' i.tags i.created_at i.id i.attributes and or not is null true false distinct from any array',
        )
        .concat(
          ' ilike collate C text uuid bigint numeric boolean timestamptz i.nick i.search_text && select',
        )
        .concat(' in where union all v v.head v.item_id v.name v.value v.number v.time item_values')
        .concat(" m m.item_id m.mark item_marks 'city' 'size' 'since' 'isActive' 'true'")
        .split(' '),
    );
    const property = fc.property(filter, (one) => {
      const params: unknown[] = [];
      const sql = compileFilter(one, items, params);
      for (const word of sql.replace(/\$\d+/g, ' ').match(/[^\s()[\],:<>=@"-]+/g) ?? []) {
        expect(allowed).toContain(word);
      }
      const used = new Set(sql.match(/\$\d+/g));
      expect(used.size).toBe(params.length);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

describe('compiling an order', () => {
  const order = (text: string | undefined, searchable: Searchable = items) => {
    const sort = completeSort(text === undefined ? undefined : parseSort(text, searchable), searchable);
    return compileOrder(sort, searchable, bindTo([]));
  };

  it('breaks ties by id in the direction of the last field', () => {
    expect(order(undefined)).toBe('(i.created_at) desc, (i.id) desc');
    expect(order('asc(name)')).toBe('((i.name) collate "C") asc, (i.id) asc');
    expect(order('asc(id),desc(name)')).toBe('(i.id) asc');
    expect(order(undefined, { ...items, fields: {} })).toBe('(i.id) desc');
  });

  it('goes on from a key with one comparison of rows where an index can answer it', () => {
    const goOn = (text: string, key: (string | null)[]) =>
      compileAfter(completeSort(parseSort(text, items), items), key, items, bindTo([]));
    const time = '2026-11-15T01:02:03.456000Z';
    expect(goOn('desc(createdAt)', [time, uuid])).toBe(
      '(((i.created_at), (i.id)) < ($1::timestamptz, $2::uuid))',
    );
    expect(goOn('asc(score),desc(id)', ['5', uuid])).toBe(
      '((i.score) > $1::bigint or ((i.score) = $1::bigint and ((i.id) < $2::uuid)))',
    );
    expect(goOn('asc(openUntil)', [null, uuid])).toContain('((i.open_until) is null and');
  });
});
