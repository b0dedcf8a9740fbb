import { copied } from './bare-writes.ts';
import { requestBytes, runLoad, times } from './load.ts';
import { startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import { type Comparison, measure } from './rounds.ts';
import type { World } from './world.ts';

const CONNECTIONS = 64;
const LABELS_GOAL = 0.6;
const CONTACTS = 2000;
const LABELS = 200;
const WARM_UP = 2000;

/** People without anything, and labels to give them. */
const SEED = `
  with people as (
    insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at)
    select uuidv7(), $1, 'Label', 'Number ' || number, true, '{}', now(), now() from generate_series(1, ${CONTACTS}) as number
    returning id),
  labels as (
    insert into labels (id, tenant_id, name, color, created_at, updated_at)
    select uuidv7(), $1, 'bench label ' || number, '#336699', now(), now() from generate_series(1, ${LABELS}) as number
    returning id)
  select array(select id from people) as contacts, array(select id from labels) as labels`;

/** Adding a label that the contact does not have, each pair of them once. */
export async function labelsFigure(world: World, effort: Effort): Promise<Comparison> {
  const { rows } = await world.db.query<{ contacts: string[]; labels: string[] }>(SEED, [world.tenantId]);
  const { contacts, labels } = rows[0] as { contacts: string[]; labels: string[] };
  await world.db.query(copied('contacts', 'contact_labels', 'events'));
  await world.db.query('insert into bare_writes.contacts select * from contacts where id = any ($1)', [
    contacts,
  ]);
  await world.db.query('vacuum analyze');
  const bare = await startBare('labels', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_TENANT: world.tenantId,
  });
  const pairs = (): (() => Buffer) => {
    let at = 0;
    return () => {
      const [label, contact] = [labels[Math.floor(at / CONTACTS)], contacts[at % CONTACTS]];
      if (label === undefined) throw new Error('There are no more labels to add; make the rounds shorter.');
      at += 1;
      const body = { labels: [{ id: label }] };
      return requestBytes('POST', `/v3/contacts/${contact}/labels`, { token: world.token, body });
    };
  };
  const sides = [bare, world.server].map(({ port }) => {
    const next = pairs();
    return (count: number) => runLoad({ port, connections: CONNECTIONS, next: times(count, next) });
  });
  const rates: number[] = [];
  for (const run of [...sides, ...sides]) {
    const { operations, seconds } = await run(WARM_UP);
    rates.push(operations / seconds);
  }
  const count = Math.round(Math.min(...rates) * effort.seconds);
  const [runBare, runOurs] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const results = await measure(
    [
      { name: 'bare', pid: bare.pid, run: () => runBare(count) },
      { name: 'ours', pid: world.server.pid, run: () => runOurs(count) },
    ],
    effort.rounds,
    world.postmasterPid,
  );
  await bare.stop();
  return {
    figure: 'POST /v3/contacts/{contactId}/labels',
    bare: results.get('bare') ?? [],
    ours: results.get('ours') ?? [],
    goal: LABELS_GOAL,
  };
}
