import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Searchable } from '../../../../src/search/fields.ts';
import { parseFilter } from '../../../../src/search/grammar/filter.ts';
import { compileIndexFilter } from '../../../../src/search/sql/index-filter.ts';
import { bindTo } from '../../../../src/search/sql/statement.ts';
import { filter, items } from '../../../kit/search-samples.ts';

const uuid = '0197a5c0-0000-7000-8000-00000000000a';

function compile(text: string, searchable: Searchable = items): [string, unknown[]] {
  const params: unknown[] = [];
  return [compileIndexFilter(parseFilter(text, searchable, new Date()), searchable, bindTo(params)), params];
}

describe('compileIndexFilter', () => {
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
    ['not(isNull(name))', '(not ((i.name) is null))', []],
    [
      'or(isNull(name),and(eq(code,"a"),eq(code,"b")))',
      '(((i.name) is null) or (((i.code) = $1::text) and ((i.code) = $2::text)))',
      ['a', 'b'],
    ],
  ])('%s', (text, sql, params) => {
    expect(compile(text)).toEqual([sql, params]);
  });

  it('passes the name of a dynamic field as a parameter', () => {
    const [sql, params] = compile(`eq("attributes.x' or true --","1")`);
    expect(sql).toBe('((i.attributes ->> $2::text) = $1::text)');
    expect(params).toEqual(['1', "x' or true --"]);
  });

  const lookup = (condition: string) =>
    `(i.id in (select v.item_id from item_values v where v.name = $1::text${condition}))`;
  it.each<[string, string, unknown[]]>([
    ['gt(size,5)', lookup(' and ((v.number) > $2::bigint)'), ['size', 5]],
    [
      'eq(city,"Berlin")',
      lookup(' and v.head = $2::text and ((v.value) = $3::text)'),
      ['city', 'Be', 'Berlin'],
    ],
    [
      'lt(city,"Berlin")',
      lookup(' and v.head <= $2::text and (((v.value) collate "C") < $3::text)'),
      ['city', 'Be', 'Berlin'],
    ],
    ['eq(city,"x")', lookup(' and ((v.head) = $2::text)'), ['city', 'x']],
    ['ge(city,"x")', lookup(' and (v.head >= $2::text)'), ['city', 'x']],
    ['contains(city,"x")', lookup(' and ((v.value) ilike $2::text)'), ['city', '%x%']],
    [
      'eq(isActive,true)',
      lookup(' and v.head = $2::text and ((v.value) = $3::text)'),
      ['isActive', 'tr', 'true'],
    ],
    ['not(isNull(size))', lookup(''), ['size']],
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
  ])('%s uses the index of a value table or of trigrams', (text, sql, params) => {
    expect(compile(text)).toEqual([sql, params]);
  });

  it('looks up a range of one value once', () => {
    expect(compile('and(gt(size,5),eq(nick,"ab"),lt(size,9))')).toEqual([
      '(i.id in (select v.item_id from item_values v where v.name = $1::text and ((v.number) > $2::bigint) and ' +
        '((v.number) < $3::bigint)) and ((i.nick) = $4::text))',
      ['size', 5, 9, 'ab'],
    ]);
    // A list has several values, each of which needs a look-up.
    expect(compile('and(contains(marks,"x"),contains(marks,"y"))')).toEqual([
      '(i.id in (select m.item_id from item_marks m where ((m.mark) = $1::text)) and ' +
        'i.id in (select m.item_id from item_marks m where ((m.mark) = $2::text)))',
      ['x', 'y'],
    ]);
  });

  it('throws for a field of unknown type', () => {
    const searchable: Searchable = { ...items, dynamic: () => ({ type: 'any', sql: 'x' }) };
    expect(() => compile('eq(steps.a,1)', searchable)).toThrow('cannot be compared in SQL');
  });

  it('contains no text of the client (I1)', () => {
    const allowed = new Set(
      'i.name i.code i.owner_id i.unread_count i.ratio i.score i.is_open i.status i.open_until i.label_ids'
        .concat(
          ' i.tags i.created_at i.id i.attributes and or not is null true false distinct from any array',
        )
        .concat(
          ' ilike lower ~ collate C text uuid bigint numeric boolean timestamptz i.nick i.search_text && select',
        )
        .concat(' in where union all v v.head v.item_id v.name v.value v.number v.time item_values')
        .concat(" m m.item_id m.mark item_marks 'city' 'size' 'since' 'isActive' 'true'")
        .split(' '),
    );
    const property = fc.property(filter, (condition) => {
      const params: unknown[] = [];
      const sql = compileIndexFilter(condition, items, bindTo(params));
      for (const word of sql.replace(/\$\d+/g, ' ').match(/[^\s()[\],:<>=@"-]+/g) ?? []) {
        expect(allowed).toContain(word);
      }
      const used = new Set(sql.match(/\$\d+/g));
      expect(used.size).toBe(params.length);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
