import { type CountedSide, measureCounted } from './counted.ts';
import { requestBytes, runLoad, times } from './load.ts';
import { startBare } from './processes.ts';
import { type Effort, seedChats } from './reads.ts';
import type { Comparison } from './rounds.ts';
import { eventsNumbered, isIdle, isWorkedOff, untilDone } from './until.ts';
import type { World } from './world.ts';

const CONNECTIONS = 64;
const CHATS = 2000;
const WARM_UP = 1000;
const GOAL = 0.4;
/** Longer than a run: what the sandbox tells after it has taken a message is not part of sending it. */
export const STATUS_DELAY_MS = 3_600_000;

/** A message to one of many chats, from the request until the vendor has it and the database says so. */
export async function sendingFigure(world: World, effort: Effort): Promise<Comparison> {
  const { db } = world;
  const { tenantId, token, call } = await world.newTenant();
  const { data: channel } = await call<{ data: { id: string } }>('POST', '/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Sending',
    address: '+15550009994',
    config: { statusDelayMs: STATUS_DELAY_MS },
  });
  const chatIds = await seedChats(db, tenantId, channel.id, CHATS);
  const bare = await startBare('sending', { BENCH_DATABASE_URL: world.databaseUrl });
  const body = { text: 'Yes, it is still available. You can come by on Saturday between ten and two.' };
  const requests = chatIds.map((id) => requestBytes('POST', `/v3/chats/${id}/messages`, { token, body }));
  const side = (
    name: string,
    { pid, port }: { pid: number; port: number },
    countSent: string,
  ): CountedSide => {
    let expected = 0;
    return {
      name,
      pid,
      run(count) {
        expected += count;
        return runLoad({ port, connections: CONNECTIONS, next: times(count, requests) });
      },
      async check() {
        const { rows } = await db.query(countSent);
        if (rows[0].count !== expected)
          throw new Error(`${rows[0].count} of ${expected} messages were sent.`);
        await eventsNumbered(world, tenantId);
      },
    };
  };
  const sides = [
    untilDone(
      side('bare', bare, `select count(*)::int as count from bare_sending.messages where status = 'sent'`),
      isIdle(bare.port),
    ),
    untilDone(
      side(
        'ours',
        world.server,
        `select count(*)::int as count from messages
          where tenant_id = '${tenantId}' and channel_id = '${channel.id}' and status = 'sent'`,
      ),
      isWorkedOff(world, 'messages', channel.id),
    ),
  ];
  const results = await measureCounted(world, effort, sides, WARM_UP);
  await bare.stop();
  return {
    figure: 'POST message to sent',
    bare: results.get('bare') ?? [],
    ours: results.get('ours') ?? [],
    goal: GOAL,
  };
}
