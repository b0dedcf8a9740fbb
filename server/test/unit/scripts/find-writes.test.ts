import { describe, expect, it } from 'vitest';
import { findWrites } from '../../../scripts/find-writes.ts';
import { DYNAMIC } from '../../../scripts/writers.ts';

const found = (source: string): string[] =>
  findWrites('a.ts', source).map(({ line, kind, table }) => `${line} ${kind} ${table}`);
const template = (text: string): string => `const a = \`${text}\`;`;

describe('finding writes', () => {
  it.each([
    ['insert into chats (id) values ($1)', '1 insert chats'],
    ['delete from only chats where id = $1', '1 delete chats'],
    ['update chats set status = $1', '1 update chats'],
    ['update chats c set status = $1', '1 update chats'],
    ['update chats as c set status = $1', '1 update chats'],
    ['update visible_chats c set status = $1', '1 update chats'],
    ['UPDATE\n  "chats"\n  SET status = 1', '1 update chats'],
    ['merge into chats using n on true when matched then do nothing', '1 insert chats'],
    ['truncate table chats', '1 truncate chats'],
    ['with a as (\n insert into chats default values returning id) select 1', '2 insert chats'],
  ])('finds %j', (text, expected) => expect(found(template(text))).toEqual([expected]));

  it('finds every write of a statement, in order of lines', () => {
    const text =
      'with a as (\n  update chats set id = 1),\n  b as (delete from labels)\ninsert into users select 1';
    expect(found(template(text))).toEqual(['2 update chats', '3 delete labels', '4 insert users']);
  });

  it('finds tables that are named at run time, and writes inside of the expressions of a template', () => {
    expect(found(template(`delete from \${table} where id = $1`))).toEqual([`1 delete ${DYNAMIC}`]);
    expect(found(template(`update chats \${change} where id = $1`))).toEqual(['1 update chats']);
    expect(found(template(`with \${'update chats set id = 1'} select 1`))).toEqual(['1 update chats']);
  });

  it.each([
    'select 1 from chats for update',
    'select 1 from chats c for no key update of c skip locked',
    'on conflict (id) do update set status = excluded.status',
    'select updated_at from chats',
  ])('finds nothing in %j', (text) => expect(found(template(text))).toEqual([]));

  it('reads literals only, not comments or code', () => {
    expect(found('// delete from chats\nconst update = chats;')).toEqual([]);
  });
});
