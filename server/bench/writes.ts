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
  // The event says what the contact is like; the bare one says the same of everybody.
  const { data } = await world.call<{ data: object }>('GET', `/v3/contacts/${contacts[0]}`);
  const bare = await startBare('labels', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_TENANT: world.tenantId,
    BENCH_ANSWER: JSON.stringify(data),
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

const BROADCAST_GOAL = 0.4;
const PEOPLE = 5000;

/** A broadcast to 5000 people whom nobody knew, each with a name, an attribute and a label. */
export async function broadcastsFigure(world: World, effort: Effort): Promise<Comparison> {
  const { db, tenantId, token, call } = world;
  const made = async (path: string, body: object): Promise<string> =>
    (await call<{ data: { id: string } }>('POST', path, body)).data.id;
  const channelId = await made('/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Broadcasts',
    address: '+15550009997',
  });
  const label = await made('/v3/labels', { name: 'Broadcast' });
  const attribute = await made('/v3/attributes', { name: 'City', externalId: 'broadcast_city' });
  const workflowId = await made('/v3/automations', {
    name: 'Broadcast',
    trigger: { type: 'campaign', parameters: {} },
    steps: [{ id: 'end', type: 'end', parameters: {} }],
  });
  await call('POST', `/v3/automations/${workflowId}/publish`, {});
  await db.query(
    copied(
      'campaigns',
      'contacts',
      'handles',
      'contact_labels',
      'contact_attributes',
      'recipients',
      'events',
    ),
  );
  const bare = await startBare('broadcasts', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_TENANT: tenantId,
    BENCH_LABEL: label,
    BENCH_ATTRIBUTE: attribute,
  });
  let round = 0;
  const next = (): Buffer => {
    round += 1;
    const contacts = Array.from({ length: PEOPLE }, (_, person) => ({
      firstName: 'Ada',
      lastName: `Number ${person}`,
      phoneNumber: `+1${7_000_000_000 + round * 10_000 + person}`,
      attributes: [{ externalId: 'broadcast_city', value: 'London' }],
      labels: [{ name: 'Broadcast' }],
    }));
    const body = { name: `Round ${round}`, workflowId, contacts };
    return requestBytes('POST', `/v2/${channelId}/broadcasts`, { token, body });
  };
  const side = (name: string, { pid, port }: { pid: number; port: number }) => ({
    name,
    pid,
    run: async () => {
      const request = next();
      return runLoad({ port, connections: 1, next: times(1, [request]) });
    },
  });
  const sides = [side('bare', bare), side('ours', world.server)];
  for (const one of [...sides, ...sides]) await one.run();
  await db.query('vacuum analyze');
  const results = await measure(sides, effort.rounds, world.postmasterPid);
  await bare.stop();
  return {
    figure: 'POST /v2/{channelId}/broadcasts, 5000 contacts',
    bare: results.get('bare') ?? [],
    ours: results.get('ours') ?? [],
    goal: BROADCAST_GOAL,
  };
}
