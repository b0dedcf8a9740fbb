import Fastify from 'fastify';
import type pg from 'pg';
import { inTransaction, listen, newId, prepare } from './tools.ts';

/** What the bare program stores: as few columns and indexes as it can work with. */
const TABLES = `
  drop schema if exists bare_sending cascade;
  create schema bare_sending;
  create table bare_sending.messages (id uuid primary key, chat_id uuid not null, text text not null, status text not null,
    vendor_id text, created_at timestamptz not null, updated_at timestamptz not null);
  create index on bare_sending.messages (id) where status <> 'sent';
  create table bare_sending.outbox (message_id uuid primary key, vendor_id text not null, text text not null,
    at timestamptz not null)`;

const insertQueued = prepare(
  'queued',
  `insert into bare_sending.messages (id, chat_id, text, status, created_at, updated_at)
   values ($1, $2, $3, 'queued', $4, $4)`,
);
const setSending = prepare(
  'sending',
  `update bare_sending.messages set status = 'sending', updated_at = $2 where id = $1 and status = 'queued'`,
);
const setSent = prepare(
  'sent',
  `update bare_sending.messages set status = 'sent', vendor_id = $2, updated_at = $3 where id = $1`,
);
const insertOutbox = prepare(
  'outbox',
  'insert into bare_sending.outbox (message_id, vendor_id, text, at) values ($1, $2, $3, $4)',
);

/** The two commits of a queued message: it is being sent, and it is sent. The vendor is a row. */
async function send(db: pg.Pool, id: string, text: string): Promise<void> {
  await setSending(db, [id, new Date()]);
  await inTransaction(db, async (client) => {
    const [now, vendorId] = [new Date(), `bare.${id}`];
    await insertOutbox(client, [id, vendorId, text, now]);
    await setSent(client, [id, vendorId, now]);
  });
}

/** Queues messages and answers, and sends each after that. `GET /pending` returns how many are not sent yet. */
export async function startSending(db: pg.Pool): Promise<number> {
  await db.query(TABLES);
  let pending = 0;
  const app = Fastify({ logger: false });
  app.post<{ Params: { chatId: string }; Body: { text: string } }>(
    '/v3/chats/:chatId/messages',
    async (request) => {
      const { text } = request.body;
      const [id, now] = [newId(), new Date()];
      await insertQueued(db, [id, request.params.chatId, text, now]);
      pending += 1;
      send(db, id, text).then(() => {
        pending -= 1;
      });
      return { success: true, data: { id, chatId: request.params.chatId, text, status: 'queued' } };
    },
  );
  app.get('/pending', async () => ({ pending }));
  return listen(app);
}
