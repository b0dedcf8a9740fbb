import { expect, it } from 'vitest';
import { realShardOf } from '../../src/engine/queue.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';

const first = await useServer();
const { clock, databaseUrl } = first;
const { db } = first.system;
const beside = (isSoleProcess: boolean): Promise<TestServer> =>
  useServer({ connection: { connectionString: databaseUrl }, clock, isSoleProcess });
const receiver = await useReceiver();
/** It takes all shards; the first has not noticed, because it has sent no heartbeat since. */
const second = await beside(true);

const COUNT = 1000;
/** Out of order by time: the one that was written last stands in the middle. */
const bodies = (channel: { id: string }, count: number): Promise<Buffer[]> =>
  Promise.all(
    Array.from({ length: count }, (_, number) =>
      sandboxBody(channel, {
        id: `vendor-${number}`,
        from: '+15550001111',
        at: new Date(clock.now().getTime() - (count - ((number * 7919) % count)) * 1000),
        text: `message ${number}`,
      }),
    ),
  );
const latest = (count: number): number =>
  Array.from({ length: count }, (_, number) => number).find(
    (number) => (number * 7919) % count === count - 1,
  ) ?? -1;

async function expectAllThere(tenant: TestTenant, count: number): Promise<void> {
  const { rows: chats } = await db.query('select id from chats where tenant_id = $1', [tenant.id]);
  expect(chats).toHaveLength(1);
  const { body } = await tenant.get(`/v3/chats/${chats[0]?.id}`);
  expect(body.data.unreadCount).toBe(count);
  expect(body.data.latestMessage.text).toBe(`message ${latest(count)}`);
  const { rows } = await db.query(
    `select (select count(distinct vendor_id) from messages where tenant_id = $1) as messages,
            (select count(*) from events where tenant_id = $1) as events,
            (select count(distinct sequence) from events where tenant_id = $1) as sequences,
            (select count(*) from inbound where tenant_id = $1) as waiting`,
    [tenant.id],
  );
  expect(rows).toEqual([{ messages: count, events: count + 2, sequences: count + 2, waiting: 0 }]);
}

it('stores 1000 messages of a chat once, though two workers both believe that the channel is theirs (R5)', async () => {
  const tenant = await first.tenant();
  const channel = await tenant.channel();
  const { body: hook } = await tenant.post('/v3/api_webhooks', {
    url: receiver.url,
    events: [{ type: 'message.received' }],
  });
  // The second takes all shards; the first has not noticed, because it has not beaten since.
  const second = await beside(true);
  await storeInbound(db.forTenant(tenant.id), channel.id, await bodies(channel, COUNT));
  for (const one of [first, second]) one.system.worker?.wake('inbound', realShardOf(channel.id), channel.id);
  await second.settle();
  await first.settle();
  await second.settle();
  await expectAllThere(tenant, COUNT);
  const { rows } = await db.query(
    `select (select count(*) from deliveries where webhook_id = $1 and status = 'delivered') as delivered,
            (select count(*) from attempts where tenant_id = $2 and number = 1) as attempts`,
    [hook.data.id, tenant.id],
  );
  expect(rows).toEqual([{ delivered: COUNT, attempts: COUNT }]);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(COUNT);
});

it('goes on where another worker stopped', async () => {
  const tenant = await first.tenant();
  const channel = await tenant.channel();
  const draining = await beside(true);
  await storeInbound(db.forTenant(tenant.id), channel.id, await bodies(channel, 400));
  draining.system.worker?.wake('inbound', realShardOf(channel.id), channel.id);
  await draining.stop();
  await Promise.all([first.settle(), second.settle()]);
  await Promise.all([first.settle(), second.settle()]);
  await expectAllThere(tenant, 400);
});
