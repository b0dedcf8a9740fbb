import { createHmac, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type pg from 'pg';
import { Pool } from 'undici';
import { newId } from '../src/base/ids.ts';

/** What the bare program keeps: as few columns and indexes as it can work with. */
const TABLES = `
  drop schema if exists bare cascade;
  create schema bare;
  create table bare.inbound (id uuid primary key, body jsonb not null, created_at timestamptz not null);
  create table bare.chats (id text primary key, unread integer not null, latest uuid, updated_at timestamptz not null);
  create table bare.messages (id uuid primary key, chat_id text not null, text text not null, created_at timestamptz not null);
  create table bare.events (id uuid primary key, type text not null, data text not null, created_at timestamptz not null);
  create table bare.deliveries (id uuid primary key, event_id uuid not null, status text not null, updated_at timestamptz not null)`;

const IN_FLIGHT = 64;

interface Sent {
  from: string;
  text: string;
}

/**
 * Per message: one committed insert, one committed transaction of four rows, a signed POST, one committed update.
 * `POST /run` does so many of them, 64 in flight, without HTTP in front; `POST /message` does one and then answers.
 */
export async function inbound(db: pg.Pool, receiver: string): Promise<number> {
  await db.query(TABLES);
  const http = new Pool(receiver, { connections: IN_FLIGHT, pipelining: 1 });
  const secret = randomBytes(32);
  const statement = (name: string, text: string) => (on: pg.Pool | pg.PoolClient, values: unknown[]) =>
    on.query({ name, text, values });
  const insertInbound = statement(
    'inbound',
    'insert into bare.inbound (id, body, created_at) values ($1, $2, $3)',
  );
  const touchChat = statement(
    'chat',
    `insert into bare.chats as c (id, unread, latest, updated_at) values ($1, 1, $2, $3)
     on conflict (id) do update set unread = c.unread + 1, latest = excluded.latest, updated_at = excluded.updated_at`,
  );
  const insertMessage = statement(
    'message',
    'insert into bare.messages (id, chat_id, text, created_at) values ($1, $2, $3, $4)',
  );
  const insertEvent = statement(
    'event',
    'insert into bare.events (id, type, data, created_at) values ($1, $2, $3, $4)',
  );
  const insertDelivery = statement(
    'delivery',
    `insert into bare.deliveries (id, event_id, status, updated_at) values ($1, $2, 'pending', $3)`,
  );
  const record = statement(
    'record',
    `update bare.deliveries set status = 'delivered', updated_at = $2 where id = $1`,
  );

  async function store(message: Sent): Promise<{ deliveryId: string; eventId: string; body: string }> {
    const now = new Date();
    await insertInbound(db, [newId(), JSON.stringify(message), now]);
    const [messageId, eventId, deliveryId] = [newId(), newId(), newId()];
    const body = JSON.stringify({
      id: eventId,
      type: 'message.received',
      data: { id: messageId, ...message },
    });
    const client = await db.connect();
    try {
      await client.query('begin');
      await insertMessage(client, [messageId, message.from, message.text, now]);
      await insertEvent(client, [eventId, 'message.received', body, now]);
      await insertDelivery(client, [deliveryId, eventId, now]);
      // The row that others wait for is locked last, and so for the shortest time.
      await touchChat(client, [message.from, messageId, now]);
      await client.query('commit');
    } finally {
      client.release();
    }
    return { deliveryId, eventId, body };
  }

  async function handle(message: Sent): Promise<void> {
    const { deliveryId, eventId, body } = await store(message);
    const seconds = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', secret).update(`${eventId}.${seconds}.${body}`).digest('base64');
    const answer = await http.request({
      path: '/hook',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': eventId,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode !== 200) throw new Error(`The receiver answered ${answer.statusCode}.`);
    await record(db, [deliveryId, new Date()]);
  }

  const app = Fastify({ logger: false });
  app.post<{ Body: Sent }>('/message', async (request) => {
    await handle(request.body);
    return { success: true };
  });
  app.post<{ Body: { count: number; messages: Sent[] } }>('/run', async (request) => {
    const { count, messages } = request.body;
    let at = 0;
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (at < count) await handle(messages[at++ % messages.length] as Sent);
      }),
    );
    return { seconds: (performance.now() - begun) / 1000 };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return (app.server.address() as AddressInfo).port;
}
