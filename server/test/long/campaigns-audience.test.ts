import { expect, it } from 'vitest';
import { groundFor } from '../kit/campaigns.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;

it('I4: an audience that takes too long counts as an attempt, and the campaign fails with the reason', async () => {
  const tenant = await server.tenant();
  const label = (await tenant.post('/v3/labels', { name: 'VIP' })).body.data.id;
  const body = { ...(await groundFor(tenant)), name: 'Sale', audience: `contains(labelIds,"${label}")` };
  const { id } = (await tenant.post('/v3/campaigns', body)).body.data;
  // Each attempt takes 15 seconds, until its statement is cancelled.
  const holder = await usePgClient(server.databaseUrl);
  await holder.query('begin; lock table contact_labels in access exclusive mode');
  await server.settle();
  const attempts = async () => (await db.query('select attempts from campaigns where id = $1', [id])).rows;
  expect(await attempts()).toEqual([{ attempts: 1 }]);
  await db.query('update campaigns set attempts = 4 where id = $1', [id]);
  server.clock.advance(1_000);
  await server.settle();
  await holder.query('rollback');
  expect((await tenant.get(`/v3/campaigns/${id}`)).body.data).toMatchObject({
    status: 'failed',
    error: {
      code: 'audience_too_slow',
      message: 'The audience took too long to gather: use fewer or more selective conditions',
    },
  });
}, 120_000);
