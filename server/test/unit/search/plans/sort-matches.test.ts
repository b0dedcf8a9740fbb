import { describe, expect, it } from 'vitest';
import { sortMatches } from '../../../../src/search/plans/sort-matches.ts';
import { createItemQuery, itemSource } from '../../../kit/search-query.ts';
import { items } from '../../../kit/search-samples.ts';

/** The conditions by which the matches are found. */
const findConditions = (text: string): string | undefined => / where (.*) limit 4\),$/m.exec(text)?.[1];

describe('sortMatches', () => {
  it('counts the matches up to the limit, and sorts them if there are no more', () => {
    const query = createItemQuery({ query: 'gt(score,5)', sortBy: 'asc(name)', pagination: { page: 2 } });
    const { text, params } = sortMatches(query, 3);
    expect(text.replace(/\s+/g, ' ')).toBe(
      'with found as materialized (select (i.name) as sorted0, (i.id) as sorted1 from items i ' +
        'where i.tenant_id = $1 and ((i.score) > $2::bigint) limit 4), ' +
        'counted as (select count(*)::int as total from found) ' +
        'select total, case when total <= 3 then array( select found.sorted1::text from (select * from found where true ' +
        'order by ((found.sorted0) collate "C") asc, (found.sorted1) asc ' +
        'limit $3::int offset $4::int) found) end as ids from counted',
    );
    expect(params).toEqual(['tenant', 5, 11, 20]);
  });

  it('returns the keys of rows that have nothing but their id', () => {
    const query = createItemQuery({ query: 'gt(score,5)' }, { ...itemSource, selectsOnlyId: true });
    const { text, params } = sortMatches(query, 3);
    expect(text.replace(/\s+/g, ' ')).toContain(
      'then array( select array[to_char((found.sorted0) at time zone \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.US"Z"\'), ' +
        '(found.sorted1)::text]::text[] from (select * from found where true ' +
        'order by (found.sorted0) desc, (found.sorted1) desc limit $3::int offset $4::int) found) end as keys from counted',
    );
    expect(params).toEqual(['tenant', 5, 11, 0]);
  });

  const city = items.fields.city;
  const marks = items.fields.marks;
  const singleTenantItems = {
    ...items,
    fields: {
      ...items.fields,
      city: { ...city, valueTable: { ...city?.valueTable, isSingleTenant: true } },
      marks: { ...marks, valueTable: { ...marks?.valueTable, isSingleTenant: true } },
    },
  } as typeof items;
  const compileConditions = (query: string, search = '') =>
    findConditions(sortMatches(createItemQuery({ query, search }, undefined, singleTenantItems), 3).text);

  it('looks up no more ids than the limit if one look-up answers the filter', () => {
    expect(compileConditions('contains(marks,"x")')).toBe(
      'i.tenant_id = $1 and i.id = any(array(select m.item_id from item_marks m where ((m.mark) = $2::text) limit 4))',
    );
    expect(compileConditions('eq(city,"x")')).toMatch(
      /^i\.tenant_id = \$1 and i\.id = any\(array\(.* limit 4\)\)$/,
    );
  });

  it.each([
    ['several look-ups', 'and(contains(marks,"x"),contains(marks,"y"))', ''],
    ['another condition', 'and(contains(marks,"x"),gt(score,5))', ''],
    ['alternatives', 'or(contains(marks,"x"),eq(city,"x"))', ''],
    ['several values, which can find a row twice', 'in(marks,"x","y")', ''],
    ['values of several tenants', 'eq(size,5)', ''],
    ['a search', 'contains(marks,"x")', 'anna'],
  ])('does not limit the look-up of %s', (_, query, search) => {
    expect(compileConditions(query, search)).not.toContain('limit');
  });
});
