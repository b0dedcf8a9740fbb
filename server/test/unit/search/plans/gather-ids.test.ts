import { describe, expect, it } from 'vitest';
import { gatherIds } from '../../../../src/search/plans/gather-ids.ts';
import { createItemQuery } from '../../../kit/search-query.ts';

const gather = (query: string) => gatherIds(createItemQuery({ query, sortBy: 'asc(score)' }));

describe('gatherIds', () => {
  it.each<[string, string]>([
    [
      'gt(size,5)',
      '(i.id = any(array(select v.item_id from item_values v where v.name = $2::text and ((v.number) > $3::bigint))))',
    ],
    [
      'and(contains(marks,"x"),gt(unreadCount,1),in(marks,"y"))',
      '(i.id = any(array(select keys.id from (select m.item_id from item_marks m where ((m.mark) = $2::text)) as keys (id) ' +
        'where keys.id in (select m.item_id from item_marks m where ((m.mark) = any($3::text[]))))) and ' +
        '((i.unread_count) > $4::bigint))',
    ],
    ['eq(nick,"ab")', '((i.nick) = $2::text)'],
  ])('finds the rows of %s by their ids', (query, condition) => {
    const { text, params } = gather(query);
    expect(text).toContain(` from items i where i.tenant_id = $1 and ${condition}\n`);
    expect(params[0]).toBe('tenant');
  });

  it('sorts in a form that no index provides', () => {
    expect(gather('gt(size,5)').text).toContain(
      'order by (select (i.score)) asc, (select (i.id)) asc limit $4::int offset $5::int',
    );
  });
});
