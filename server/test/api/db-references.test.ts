import { describe, expect, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { freshDatabase } from '../kit/server.ts';

const client = await usePgClient(await freshDatabase());

describe('every foreign key', () => {
  it('has an index on its columns, so that a deletion does not scan whole tables', async () => {
    // The first column of the index counts, or the second if the first is tenant_id, which narrows too little. Keys to
    // tenants are left out: deleting a tenant may take long.
    const { rows } = await client.query(
      `select f.conrelid::regclass::text as table, f.conname as name from pg_constraint f
        where f.contype = 'f' and f.confrelid <> 'tenants'::regclass and not exists (
          select 1 from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
           where i.indrelid = f.conrelid and a.attnum = any (f.conkey)
             and (a.attname <> 'tenant_id' or i.indkey[1] = any (f.conkey))
             and (i.indpred is null
                  or pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))`,
    );
    expect(rows).toEqual([]);
  });
});
