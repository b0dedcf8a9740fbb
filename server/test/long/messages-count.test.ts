import { expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

it('the search for messages counts up to ten thousand and reports that there are more', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'one' });
  await server.settle();
  const copies = async (count: number) => {
    const ids = Array.from({ length: count }, () => newId());
    await server.system.db.query(
      `insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', i))).*
         from messages m, unnest($2::uuid[]) i where m.tenant_id = $1 and m.vendor_id is not null limit $3`,
      [tenant.id, ids, count],
    );
  };
  const count = async () => (await tenant.post('/v3/messages/search', {})).body.pagination;
  await copies(9_999);
  expect(await count()).toMatchObject({ total: 10_000 });
  expect((await count()).totalIsCapped).toBeUndefined();
  await copies(1);
  expect(await count()).toMatchObject({ total: 10_000, totalIsCapped: true });
});
