import { realShardOf } from '../src/engine/queue.ts';
import { startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import { type Comparison, measure, type Side } from './rounds.ts';
import { makeEndpoints, publishing } from './webhook-load.ts';
import { eventsOfRound, newTenants, WARM_UP_EVENTS } from './webhooks.ts';
import type { World } from './world.ts';

const RETRIES = 1_000_000;
const TENANTS = 10;
const WEBHOOKS_EACH = 100;
const GOAL = 0.9;

/** Deliveries that failed once and are due within a day; their type tells them from those that are measured. */
const INSERT = `
  insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, attempts, due_at,
                          created_at, updated_at)
  select uuidv7(), e.tenant_id, e.webhook_id, e.shard, uuidv7(), 'message.read', n, 'pending', 1,
         now() + interval '1 hour' + (n % 86400 * 7919 % 86400) * interval '1 second', now(), now()
    from generate_series(0, ${RETRIES} - 1) as n
    join unnest($1::uuid[], $2::uuid[], $3::smallint[]) with ordinality as e (tenant_id, webhook_id, shard, number)
      on e.number = n % cardinality($1::uuid[]) + 1`;
const REMOVE = `delete from deliveries where event_type = 'message.read'`;

/** What fresh deliveries lose while a million retries wait at the same thousand endpoints. */
export async function waitingFigure(world: World, effort: Effort): Promise<Comparison> {
  const { db, server, postmasterPid } = world;
  const receiver = await startBare('receiver', {});
  const endpoints = await makeEndpoints(await newTenants(world, TENANTS), WEBHOOKS_EACH, receiver);
  const fresh = await publishing(world, endpoints, receiver);
  const webhookIds = endpoints.map(({ webhookId }) => webhookId);
  let areThere = false;
  const have = async (wanted: boolean): Promise<void> => {
    if (areThere === wanted) return;
    areThere = wanted;
    if (wanted)
      await db.query(INSERT, [
        endpoints.map(({ tenantId }) => tenantId),
        webhookIds,
        webhookIds.map(realShardOf),
      ]);
    else await db.query(REMOVE);
    await db.query('vacuum analyze deliveries');
    await db.query('checkpoint');
    // To write or remove a million rows empties the database's memory of all others, which is not what is measured.
    await fresh.prepare(WARM_UP_EVENTS);
    await fresh.run();
  };

  const count = await eventsOfRound(world, fresh, effort.seconds);
  const side = (name: string, wanted: boolean): Side => ({
    name,
    pid: server.pid,
    ...fresh,
    async prepare() {
      await have(wanted);
      await fresh.prepare(count);
    },
  });
  const sides = [side('without', false), side('with', true)];
  const results = await measure(sides, effort.rounds, postmasterPid);
  await have(false);
  await receiver.stop();
  return {
    figure: 'fresh deliveries without and with 1,000,000 waiting',
    bare: results.get('without') ?? [],
    ours: results.get('with') ?? [],
    goal: GOAL,
  };
}
