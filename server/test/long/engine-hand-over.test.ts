import { expect, it } from 'vitest';
import { realShardOf } from '../../src/engine/queue.ts';
import { automationOf } from '../kit/automations.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { write } from '../kit/webhooks.ts';

const AUTOMATIONS = 10;

it('X24: while runs loop through slow calls, a second worker joins, and nothing in their shards waits', async () => {
  const first = await useServer({ timers: true, isSoleProcess: false });
  const { clock, databaseUrl } = first;
  const slow = await useHttpServer((_request, response) => void setTimeout(() => response.end('{}'), 1_000));
  const looping = await first.tenant();
  const contactId = (await looping.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data.id;
  const shards = new Set<number>();
  for (let number = 0; number < AUTOMATIONS; number += 1) {
    const id = await automationOf(looping, {
      steps: [
        { id: 'call', type: 'http_request', parameters: { method: 'GET', url: slow.url }, next: 'call' },
      ],
    });
    shards.add(realShardOf(id));
    expect((await looping.post(`/v3/automations/${id}/trigger`, { contactId })).status).toBe(200);
  }
  await until(() => slow.sockets.size === AUTOMATIONS);

  // Channels of another tenant in each of these shards.
  const other = await first.tenant();
  const channels = new Map<number, { id: string }>();
  while (channels.size < shards.size) {
    const channel = await other.channel();
    const shard = realShardOf(channel.id);
    if (shards.has(shard) && !channels.has(shard)) channels.set(shard, channel);
  }
  await useServer({ databaseUrl, clock, timers: true, isSoleProcess: false, filesFolder: first.filesFolder });
  const { db } = first.system;
  const owners = async () => (await db.query('select count(distinct owner)::int as n from shards', [])).rows;
  // The first worker hears of the second with its next heartbeat, every three seconds.
  await expect.poll(owners, { timeout: 30_000 }).toEqual([{ n: 2 }]);
  for (const channel of channels.values()) await write(other, channel, 'hello');
  const received = async () =>
    (await db.query('select count(*)::int as n from messages where tenant_id = $1', [other.id])).rows[0]?.n;
  // Handing over takes at most ten seconds; a loop takes a thousand.
  await expect.poll(received, { timeout: 30_000 }).toBe(channels.size);
  const share = async () =>
    (
      await db.query(
        'select count(*)::int as n from shards where owner is not null group by owner order by n',
        [],
      )
    ).rows;
  await expect.poll(share, { timeout: 30_000 }).toEqual([{ n: 32 }, { n: 33 }]);
}, 90_000);
