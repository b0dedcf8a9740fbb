import { expect, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();

it('changes of a tenant that wait for each other leave connections for other tenants', async () => {
  const [busy, other] = [await server.tenant(), await server.tenant()];
  const { id } = (await busy.post('/v3/contacts', { firstName: 'Ada' })).body.data;
  const blocker = await usePgClient(server.databaseUrl);
  await blocker.query('begin');
  await blocker.query('select 1 from contacts where id = $1 for update', [id]);
  let answered = 0;
  const waiting = Array.from({ length: 40 }, async (_, n) => {
    await busy.put(`/v3/contacts/${id}`, { firstName: `Ada ${n}` });
    answered += 1;
  });
  const observer = await usePgClient(server.databaseUrl);
  await until(async () => {
    const { rows } = await observer.query(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].waiting >= 10;
  });
  expect((await other.post('/v3/contacts', { firstName: 'Grace' })).status).toBe(200);
  expect(answered).toBe(0);
  await blocker.query('rollback');
  await Promise.all(waiting);
});
