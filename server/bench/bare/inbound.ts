import Fastify from 'fastify';
import type pg from 'pg';
import { createPoster, inTransaction, listen, newId, prepare, runInFlight } from './tools.ts';

/** What the bare program stores: as few columns and indexes as it can work with. */
const TABLES = `
  drop schema if exists bare cascade;
  create schema bare;
  create table bare.inbound (id uuid primary key, body jsonb not null, created_at timestamptz not null);
  create table bare.chats (id text primary key, unread integer not null, latest uuid, updated_at timestamptz not null);
  create table bare.messages (id uuid primary key, chat_id text not null, text text not null, created_at timestamptz not null);
  create table bare.events (id uuid primary key, type text not null, data text not null, created_at timestamptz not null);
  create table bare.deliveries (id uuid primary key, event_id uuid not null, status text not null, updated_at timestamptz not null)`;

const insertInbound = prepare(
  'inbound',
  'insert into bare.inbound (id, body, created_at) values ($1, $2, $3)',
);
const updateChat = prepare(
  'chat',
  `insert into bare.chats as c (id, unread, latest, updated_at) values ($1, 1, $2, $3)
   on conflict (id) do update set unread = c.unread + 1, latest = excluded.latest, updated_at = excluded.updated_at`,
);
const insertMessage = prepare(
  'message',
  'insert into bare.messages (id, chat_id, text, created_at) values ($1, $2, $3, $4)',
);
const insertEvent = prepare(
  'event',
  'insert into bare.events (id, type, data, created_at) values ($1, $2, $3, $4)',
);
const insertDelivery = prepare(
  'delivery',
  `insert into bare.deliveries (id, event_id, status, updated_at) values ($1, $2, 'pending', $3)`,
);
const recordDelivery = prepare(
  'record',
  `update bare.deliveries set status = 'delivered', updated_at = $2 where id = $1`,
);

interface Message {
  from: string;
  text: string;
}

interface Delivery {
  id: string;
  eventId: string;
  body: string;
}

async function store(db: pg.Pool, message: Message): Promise<Delivery> {
  const now = new Date();
  await insertInbound(db, [newId(), JSON.stringify(message), now]);
  const [messageId, eventId, id] = [newId(), newId(), newId()];
  const body = JSON.stringify({ id: eventId, type: 'message.received', data: { id: messageId, ...message } });
  await inTransaction(db, async (client) => {
    await insertMessage(client, [messageId, message.from, message.text, now]);
    await insertEvent(client, [eventId, 'message.received', body, now]);
    await insertDelivery(client, [id, eventId, now]);
    // The row that others wait for is locked last, and so for the shortest time.
    await updateChat(client, [message.from, messageId, now]);
  });
  return { id, eventId, body };
}

/**
 * Per message: one committed insert, one committed transaction of four rows, a signed POST, one committed update.
 * `POST /run` does so many of them, 64 in flight, without HTTP in front; `POST /message` does one and then answers.
 */
export async function startInbound(db: pg.Pool, receiver: string): Promise<number> {
  await db.query(TABLES);
  const post = createPoster(receiver);
  async function handle(message: Message): Promise<void> {
    const { id, eventId, body } = await store(db, message);
    await post('/hook', eventId, body);
    await recordDelivery(db, [id, new Date()]);
  }
  const app = Fastify({ logger: false });
  app.post<{ Body: Message }>('/message', async (request) => {
    await handle(request.body);
    return { success: true };
  });
  app.post<{ Body: { count: number; messages: Message[] } }>('/run', async (request) =>
    runInFlight(request.body.count, request.body.messages, handle),
  );
  return listen(app);
}
