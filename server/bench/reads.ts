import { deepStrictEqual } from 'node:assert';
import { forSeconds, requestBytes, runLoad } from './load.ts';
import { type Program, startBare } from './processes.ts';
import { type Comparison, measure, type Side } from './rounds.ts';
import { callApi, type World } from './world.ts';

export interface Effort {
  rounds: number;
  seconds: number;
}

const CONNECTIONS = 64;
/** Until V8 has compiled what is hot and PostgreSQL has planned what is prepared. */
const WARM_UP_SECONDS = 2;
const GOAL = 0.8;

/** Reads the same paths from both, over and over. */
async function compare(
  figure: string,
  world: World,
  bare: Program,
  paths: string[],
  effort: Effort,
): Promise<Comparison> {
  for (const path of paths.slice(0, 3))
    deepStrictEqual(await callApi(bare.port, 'GET', path), await world.call('GET', path));
  // The bare route does not look at the token, but it reads the same bytes.
  const requests = paths.map((path) => requestBytes('GET', path, { token: world.token }));
  const run = (port: number, seconds: number) =>
    runLoad({ port, connections: CONNECTIONS, next: forSeconds(seconds, requests) });
  const side = (name: string, { pid, port }: Program): Side => ({
    name,
    pid,
    run: () => run(port, effort.seconds),
  });
  for (const { port } of [bare, world.server]) await run(port, WARM_UP_SECONDS);
  const results = await measure(
    [side('bare', bare), side('ours', world.server)],
    effort.rounds,
    world.postmasterPid,
  );
  await bare.stop();
  return { figure, bare: results.get('bare') ?? [], ours: results.get('ours') ?? [], goal: GOAL };
}

export async function meFigure(world: World, effort: Effort): Promise<Comparison> {
  const answer = await world.call<object>('GET', '/v3/me');
  const bare = await startBare('me', { BENCH_ANSWER: JSON.stringify(answer) });
  return compare('GET /v3/me', world, bare, ['/v3/me'], effort);
}

const CHATS = 2000;

/** The sandbox refuses to send to numbers that end in 0001 to 0004. */
const FIRST = 11;

/** People with a handle, two labels, two attributes, and a chat that ends in a message. */
const SEED = `
  with people as (
    select number, uuidv7() as contact_id, uuidv7() as handle_id, uuidv7() as chat_id, uuidv7() as message_id
      from generate_series(${FIRST}, ${FIRST} - 1 + $3::int) as number),
  labels as (
    insert into labels (id, tenant_id, name, color, created_at, updated_at)
    select uuidv7(), $1, name, '#336699', now(), now() from unnest(array['customer', 'urgent']) as name returning id),
  attributes as (
    insert into attributes (id, tenant_id, external_id, name, type, created_at, updated_at)
    select uuidv7(), $1, name, initcap(name), 'text', now(), now() from unnest(array['city', 'language']) as name returning id),
  contacts as (
    insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at)
    select contact_id, $1, 'Ada', 'Number ' || number, true, '{}', now(), now() from people),
  handles as (
    insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
    select handle_id, $1, contact_id, 'phone_number', '+1555' || lpad(number::text, 7, '0'), true, '{}', now(), now()
      from people),
  contact_labels as (
    insert into contact_labels (contact_id, label_id, tenant_id, created_at)
    select contact_id, labels.id, $1, now() from people cross join labels),
  contact_attributes as (
    insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at)
    select contact_id, attributes.id, $1, 'value ' || number, now() from people cross join attributes),
  chats as (
    insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, unread_count, latest_message_id,
                       latest_message_at, open_until, created_at, updated_at)
    select chat_id, $1, $2, contact_id, handle_id, 'open', 1, message_id, now(), now() + interval '1 day', now(), now()
      from people),
  messages as (
    insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                          status, vendor_id, timestamp, created_at, updated_at)
    select message_id, $1, chat_id, $2, contact_id, 'inbound', 'contact', 'text', 'Is this still available?', '[]', '{}',
           'delivered', 'seed-' || number, now(), now(), now() from people)
  select chat_id from people`;

/** So many chats of a tenant over one channel; gives their ids. */
export async function seedChats(
  db: World['db'],
  tenantId: string,
  channelId: string,
  count: number,
): Promise<string[]> {
  const { rows } = await db.query<{ chat_id: string }>(SEED, [tenantId, channelId, count]);
  await db.query('vacuum analyze');
  return rows.map((row) => row.chat_id);
}

export async function chatsFigure(world: World, effort: Effort): Promise<Comparison> {
  const { data: channel } = await world.call<{ data: { id: string } }>('POST', '/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Chats',
    address: '+15550009999',
  });
  const chatIds = await seedChats(world.db, world.tenantId, channel.id, CHATS);
  const bare = await startBare('chats', {
    BENCH_DATABASE_URL: world.databaseUrl,
    BENCH_TENANT: world.tenantId,
  });
  const paths = chatIds.map((id) => `/v3/chats/${id}`);
  return compare('GET /v3/chats/{chatId}', world, bare, paths, effort);
}
