import type { Case, Side, Workload } from '../figure.ts';
import { requestBytes, sendRequests } from '../load.ts';
import { seedChats } from '../seed.ts';
import { createSandboxChannel } from '../target.ts';
import { isQueueEmpty, waitForNumbering } from '../wait.ts';
import { chargeServer, postBytes, untilDone } from '../workload.ts';
import { STATUS_DELAY_MS } from './sending.ts';

const SHORT = 100;
const LONG = 100_000;
const CONNECTIONS = 16;
const READ_WARM_UP = 1000;
const WRITE_WARM_UP = 200;
const LIMIT = 10;
const TEXT = 'Is this still available?';
/** As fast, except for what two measurements of the same thing differ by. */
const GOAL = 0.9;

/** Earlier messages, in both directions in turn, a second apart; the latest message exists already. */
const SEED = `
  insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                        vendor_id, timestamp, created_at, updated_at)
  select uuidv7(), k.tenant_id, k.id, k.channel_id, k.contact_id, case n % 2 when 0 then 'inbound' else 'outbound' end,
         case n % 2 when 0 then 'contact' else 'api' end, 'text', '${TEXT}', '[]', '{}',
         case n % 2 when 0 then 'delivered' else 'read' end, 'long-' || k.id || n, t.at, t.at, t.at
    from chats k cross join generate_series(1, $2::int - 1) as n
    cross join lateral (select now() - n * interval '1 second' as at) t
   where k.id = $1`;
/** Removes what a round has written, so that the short chat stays short. */
const REMOVE_WRITTEN = `
  with written as (delete from messages where chat_id = any ($1) and created_at > $2)
  delete from inbound where channel_id = $3`;

interface Page {
  pagination: { nextCursor: string };
}

interface Chat {
  id: string;
  messages: number;
}

/** What a chat of 100,000 messages costs compared with one of 100. */
export async function createLongChat({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db } = target;
  const tenant = await target.createTenant();
  const { tenantId, token, call } = tenant;
  const channelId = await createSandboxChannel(tenant, {
    name: 'Long',
    address: '+15550009993',
    config: { statusDelayMs: STATUS_DELAY_MS },
  });
  const [shortId, longId] = (await seedChats(db, tenantId, channelId, 2)) as [string, string];
  const short = { id: shortId, messages: SHORT };
  const long = { id: longId, messages: LONG };
  for (const { id, messages } of [short, long]) await db.query(SEED, [id, messages]);
  await db.query('vacuum analyze');
  const seededAt = (await db.query('select now() as at')).rows[0].at;

  async function readChat(operation: string, createRequest: (chat: Chat) => Promise<Buffer>): Promise<Case> {
    const create = async (chat: Chat): Promise<Workload> => {
      const request = await createRequest(chat);
      return {
        ...chargeServer(target),
        run: (count) => sendRequests(target.server.port, count, [request], CONNECTIONS),
      };
    };
    return compareChats(operation, READ_WARM_UP, create);
  }

  async function writeToChat(
    operation: string,
    queue: 'inbound' | 'messages',
    createRequest: (chat: Chat) => Promise<Buffer>,
  ): Promise<Case> {
    const create = async (chat: Chat): Promise<Workload> => {
      const request = await createRequest(chat);
      const workload: Workload = {
        ...chargeServer(target),
        prepare: async () => void (await db.query(REMOVE_WRITTEN, [[shortId, longId], seededAt, channelId])),
        run: (count) => sendRequests(target.server.port, count, [request], CONNECTIONS),
        check: () => waitForNumbering(target, tenantId),
      };
      return untilDone(workload, isQueueEmpty(target, queue, channelId));
    };
    return compareChats(operation, WRITE_WARM_UP, create);
  }

  const compareChats = async (
    operation: string,
    warmUp: number,
    create: (chat: Chat) => Promise<Workload>,
  ): Promise<Case> => ({
    title: `${operation}, chat of 100,000`,
    warmUp,
    ours: await create(long),
    bares: [{ title: `${operation}, chat of 100 and of 100,000`, goal: GOAL, create: () => create(short) }],
  });

  const search = ({ id }: Chat, pagination: object): Buffer =>
    postBytes(tenant, `/v3/chats/${id}/messages/search`, { pagination });
  /** The page half-way through the chat, found by a cursor. */
  const searchHalfWay = async (chat: Chat): Promise<Buffer> => {
    const { pagination } = await call<Page>('POST', `/v3/chats/${chat.id}/messages/search`, {
      pagination: { page: chat.messages / 2 / LIMIT, limit: LIMIT },
    });
    return search(chat, { cursor: pagination.nextCursor, limit: LIMIT });
  };
  const findNumber = async ({ id }: Chat): Promise<string> =>
    (await db.query('select h.value from chats k join handles h on h.id = k.handle_id where k.id = $1', [id]))
      .rows[0].value;

  return [
    await readChat('GET chat', async ({ id }) => requestBytes('GET', `/v3/chats/${id}`, { token })),
    await readChat('first page of messages', async (chat) => search(chat, { limit: LIMIT })),
    await readChat('page half-way by cursor', searchHalfWay),
    await writeToChat('inbound message', 'inbound', async (chat) =>
      postBytes(tenant, `/v3/sandbox/${channelId}/inbound`, { from: await findNumber(chat), text: TEXT }),
    ),
    await writeToChat('POST message to sent', 'messages', async ({ id }) =>
      postBytes(tenant, `/v3/chats/${id}/messages`, { text: TEXT }),
    ),
  ];
}
