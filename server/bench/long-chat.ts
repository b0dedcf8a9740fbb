import { measureCounted } from './counted.ts';
import { forSeconds, requestBytes, runLoad, times } from './load.ts';
import { type Effort, seedChats } from './reads.ts';
import { type Comparison, measure, type Rounds } from './rounds.ts';
import { STATUS_DELAY_MS } from './sending.ts';
import { eventsNumbered, isWorkedOff, untilDone } from './until.ts';
import type { World } from './world.ts';

const SHORT = 100;
const LONG = 100_000;
const CONNECTIONS = 16;
const WARM_UP = 200;
const WARM_UP_SECONDS = 1;
const LIMIT = 10;
const TEXT = 'Is this still available?';
/** As fast, but for what two measurements of the same differ by. */
const GOAL = 0.9;

/** What was written before, by both in turn, a second apart; the latest message is there already. */
const SEED = `
  insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                        vendor_id, timestamp, created_at, updated_at)
  select uuidv7(), k.tenant_id, k.id, k.channel_id, k.contact_id, case n % 2 when 0 then 'inbound' else 'outbound' end,
         case n % 2 when 0 then 'contact' else 'api' end, 'text', '${TEXT}', '[]', '{}',
         case n % 2 when 0 then 'delivered' else 'read' end, 'long-' || k.id || n, t.at, t.at, t.at
    from chats k cross join generate_series(1, $2::int - 1) as n
    cross join lateral (select now() - n * interval '1 second' as at) t
   where k.id = $1`;
/** What a round has written, so that the short chat stays short. */
const FORGET = `
  with written as (delete from messages where chat_id = any ($1) and created_at > $2)
  delete from inbound where channel_id = $3`;

interface Page {
  pagination: { nextCursor: string };
}

/** What a chat of 100,000 messages costs more than one of 100. */
export async function longChatFigure(world: World, effort: Effort): Promise<Comparison[]> {
  const { db, server, postmasterPid } = world;
  const { tenantId, token, call } = await world.newTenant();
  const { data: channel } = await call<{ data: { id: string } }>('POST', '/v3/channels', {
    kind: 'whatsapp',
    provider: 'sandbox',
    name: 'Long',
    address: '+15550009993',
    config: { statusDelayMs: STATUS_DELAY_MS },
  });
  const [short, long] = (await seedChats(db, tenantId, channel.id, 2)) as [string, string];
  const chats = [
    { name: 'short', id: short, messages: SHORT },
    { name: 'long', id: long, messages: LONG },
  ];
  for (const { id, messages } of chats) await db.query(SEED, [id, messages]);
  await db.query('vacuum analyze');
  const seededAt = (await db.query('select now() as at')).rows[0].at;

  const load = (request: Buffer, next: (requests: Buffer[]) => () => Buffer | undefined) =>
    runLoad({ port: server.port, connections: CONNECTIONS, next: next([request]) });
  type Chat = (typeof chats)[number];
  const requestsOf = async (make: (chat: Chat) => Promise<Buffer>) =>
    Promise.all(chats.map(async (chat) => ({ name: chat.name, request: await make(chat) })));
  const comparison = (figure: string, results: Rounds): Comparison => ({
    figure: `${figure}, chat of 100 and of 100,000`,
    bare: results.get('short') ?? [],
    ours: results.get('long') ?? [],
    goal: GOAL,
  });

  async function reading(figure: string, make: (chat: Chat) => Promise<Buffer>): Promise<Comparison> {
    const sides = (await requestsOf(make)).map(({ name, request }) => ({
      name,
      pid: server.pid,
      run: () => load(request, (requests) => forSeconds(effort.seconds, requests)),
    }));
    for (const { request } of await requestsOf(make))
      await load(request, (requests) => forSeconds(WARM_UP_SECONDS, requests));
    return comparison(figure, await measure(sides, effort.rounds, postmasterPid));
  }

  async function writing(
    figure: string,
    list: 'inbound' | 'messages',
    make: (chat: Chat) => Promise<Buffer>,
  ): Promise<Comparison> {
    const sides = (await requestsOf(make)).map(({ name, request }) =>
      untilDone(
        {
          name,
          pid: server.pid,
          prepare: async () => void (await db.query(FORGET, [[short, long], seededAt, channel.id])),
          run: (count) => load(request, (requests) => times(count, requests)),
          check: () => eventsNumbered(world, tenantId),
        },
        isWorkedOff(world, list, channel.id),
      ),
    );
    return comparison(figure, await measureCounted(world, effort, sides, WARM_UP));
  }

  const search = ({ id }: Chat, pagination: object): Buffer =>
    requestBytes('POST', `/v3/chats/${id}/messages/search`, { token, body: { pagination } });
  /** Half-way through the chat, where a cursor leads to. */
  const deep = async (chat: Chat): Promise<Buffer> => {
    const { pagination } = await call<Page>('POST', `/v3/chats/${chat.id}/messages/search`, {
      pagination: { page: chat.messages / 2 / LIMIT, limit: LIMIT },
    });
    return search(chat, { cursor: pagination.nextCursor, limit: LIMIT });
  };
  const numberOf = async ({ id }: Chat): Promise<string> =>
    (await db.query('select h.value from chats k join handles h on h.id = k.handle_id where k.id = $1', [id]))
      .rows[0].value;

  return [
    await reading('GET chat', async ({ id }) => requestBytes('GET', `/v3/chats/${id}`, { token })),
    await reading('first page of messages', async (chat) => search(chat, { limit: LIMIT })),
    await reading('page half-way by cursor', deep),
    await writing('inbound message', 'inbound', async (chat) =>
      requestBytes('POST', `/v3/sandbox/${channel.id}/inbound`, {
        token,
        body: { from: await numberOf(chat), text: TEXT },
      }),
    ),
    await writing('POST message to sent', 'messages', async ({ id }) =>
      requestBytes('POST', `/v3/chats/${id}/messages`, { token, body: { text: TEXT } }),
    ),
  ];
}
