import { afterAll, expect, inject, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { withDatabase } from '../kit/postgres.ts';
import { useReceiver } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';

const losses: unknown[] = [];
const server = await useServer({ timers: true, onLoss: (error) => losses.push(error) });
const receiver = await useReceiver();
const admin = await usePgClient(withDatabase(inject('postgres'), 'postgres'));
const unhandled: unknown[] = [];
const onUnhandled = (error: unknown): void => void unhandled.push(error);
process.on('unhandledRejection', onUnhandled);
afterAll(() => void process.off('unhandledRejection', onUnhandled));

const cutAll = async (): Promise<number> =>
  (
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(server.databaseUrl).pathname.slice(1),
    ])
  ).rows.length;

it('loses nothing that was acknowledged and says only that it is out of reach, when all connections are cut', async () => {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'message.received' }] });
  const acknowledged: string[] = [];
  const refused: string[] = [];
  let cutting = true;
  const writers = Array.from({ length: 6 }, async (_, writer) => {
    for (let number = 0; cutting || number < 5; number += 1) {
      const text = `${writer}.${number}`;
      const answer = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
        from: `+1555000400${writer}`,
        text,
      });
      if (answer.status === 200) acknowledged.push(text);
      else refused.push(answer.body.error.messageKey);
      const read = await tenant.get(`/v3/chats/${channel.id}`);
      if (read.body.error.messageKey !== 'chat_not_found') refused.push(read.body.error.messageKey);
    }
  });
  for (let cuts = 0; cuts < 4; cuts += 1) {
    const before = acknowledged.length;
    expect(await cutAll()).toBeGreaterThan(0);
    await expect.poll(() => acknowledged.length, { interval: 5 }).toBeGreaterThan(before + 12);
  }
  cutting = false;
  await Promise.all(writers);
  expect(new Set(refused).size).toBeLessThanOrEqual(1);
  for (const key of refused) expect(key).toBe('service_unavailable');
  expect(losses.length).toBeGreaterThan(0);

  const arrived = () => new Set(receiver.received.map(({ body }) => body.data.text));
  await expect.poll(() => acknowledged.filter((text) => !arrived().has(text))).toEqual([]);
  // The listener and the readers are back as well: what is written now arrives.
  const { status } = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
    from: '+15550004000',
    text: 'last',
  });
  expect(status).toBe(200);
  await expect.poll(() => arrived().has('last')).toBe(true);
  expect(unhandled).toEqual([]);
});
