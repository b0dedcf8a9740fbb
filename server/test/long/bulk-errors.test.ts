import { expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;

it('a bulk action goes on without a chat that cannot be changed because of an error', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  for (const from of ['+15550001111', '+15550002222', '+15550003333'])
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'hello' });
  await server.settle();
  const ids: string[] = (await tenant.post('/v3/chats/search', {})).body.data.map(
    ({ id }: { id: string }) => id,
  );
  const bad = ids[1] as string;
  await db.query(
    `create function refuse() returns trigger language plpgsql as $$
       begin if new.id = '${bad}' then raise exception 'refused by the test'; end if; return new; end $$`,
    [],
  );
  await db.query('create trigger refuse before update on chats for each row execute function refuse()', []);
  const started = await tenant.post('/v3/chats/bulk', { ids, action: { type: 'status', status: 'closed' } });
  const readJob = async () => (await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data;
  for (let round = 0; round < 30 && (await readJob()).endedAt === null; round += 1) {
    await server.settle();
    server.clock.advance(2_000);
  }
  expect(await readJob()).toMatchObject({
    status: 'completed',
    done: 2,
    failed: 1,
    errors: [`${bad} could not be changed because of an internal error`],
  });
  const statuses = await Promise.all(
    ids.map(async (id) => (await tenant.get(`/v3/chats/${id}`)).body.data.status),
  );
  expect(statuses).toEqual(['closed', 'open', 'closed']);
});
