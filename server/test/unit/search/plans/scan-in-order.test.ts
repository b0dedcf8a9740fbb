import { describe, expect, it } from 'vitest';
import { writeCursor } from '../../../../src/search/cursor.ts';
import { scanInOrder } from '../../../../src/search/plans/scan-in-order.ts';
import { parseSearchRequest } from '../../../../src/search/request.ts';
import { createItemQuery } from '../../../kit/search-query.ts';
import { items } from '../../../kit/search-samples.ts';

const id = '0197a5c0-0000-7000-8000-00000000000a';
const time = '2026-11-15T01:02:03.456789Z';
const KEY = `array[to_char((i.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), (i.id)::text]::text[]`;

describe('scanInOrder', () => {
  it('checks rows one by one in the order of the page', () => {
    const { text, params } = scanInOrder(createItemQuery({ query: 'contains(marks,"x")', search: 'anna' }));
    expect(text.replace(/\s+/g, ' ')).toBe(
      `select i.id, ${KEY} as "$key" from items i where i.tenant_id = $1 ` +
        'and exists (select from item_marks m where m.item_id = i.id and ((m.mark) = $2::text) offset 0) ' +
        `and case when (((i.name) ilike $3::text) or ((i.code) ilike $4::text)) then true else false end ` +
        'order by (i.created_at) desc, (i.id) desc limit $5::int offset $6::int',
    );
    expect(params).toEqual(['tenant', 'x', '%anna%', '%anna%', 11, 0]);
  });

  it('starts after the cursor and stops at the end of the window', () => {
    const { fingerprint } = parseSearchRequest({}, items, new Date());
    const cursor = writeCursor(fingerprint, { page: 1, key: [time, id] });
    const { text, params } = scanInOrder(createItemQuery({ pagination: { cursor } }), [time, id]);
    expect(text).toContain(
      'where i.tenant_id = $1 and (((i.created_at), (i.id)) < ($2::timestamptz, $3::uuid))' +
        ' and (((i.created_at), (i.id)) >= ($4::timestamptz, $5::uuid))\n',
    );
    expect(params).toEqual(['tenant', time, id, time, id, 11, 0]);
  });

  it('joins the value table of a sort field', () => {
    const { text } = scanInOrder(createItemQuery({ sortBy: 'asc(size)' }));
    expect(text).toContain(
      "from items i left join lateral (select v.number from item_values v where v.item_id = i.id and v.name = 'size')" +
        ' sorted0 (value) on true where i.tenant_id = $1\n      order by (sorted0.value) asc, (i.id) asc',
    );
  });
});
