import { createHmac, timingSafeEqual } from 'node:crypto';
import Fastify from 'fastify';
import type pg from 'pg';
import { inTransaction, listen, newId, prepare } from './tools.ts';

/** What the bare programs store: as few columns and indexes as they can work with. */
const TABLES = `
  drop schema if exists bare_whatsapp cascade;
  create schema bare_whatsapp;
  create table bare_whatsapp.inbound (id uuid primary key, body bytea not null, created_at timestamptz not null);
  create table bare_whatsapp.chats (id text primary key, unread integer not null, latest uuid, updated_at timestamptz not null);
  create table bare_whatsapp.messages (id uuid primary key, chat_id text not null, text text not null, sent_at timestamptz not null,
    created_at timestamptz not null);
  create table bare_whatsapp.vendor_ids (id text primary key, message_id uuid not null);
  create table bare_whatsapp.events (id uuid primary key, type text not null, data text not null, created_at timestamptz not null)`;

const insertInbound = prepare(
  'inbound',
  'insert into bare_whatsapp.inbound (id, body, created_at) values ($1, $2, $3)',
);
const deleteInbound = prepare('done', 'delete from bare_whatsapp.inbound where id = $1');
const insertMessage = prepare(
  'message',
  'insert into bare_whatsapp.messages (id, chat_id, text, sent_at, created_at) values ($1, $2, $3, $4, $5)',
);
const insertVendorId = prepare(
  'vendor id',
  'insert into bare_whatsapp.vendor_ids (id, message_id) values ($1, $2)',
);
const insertEvent = prepare(
  'event',
  'insert into bare_whatsapp.events (id, type, data, created_at) values ($1, $2, $3, $4)',
);
const updateChat = prepare(
  'chat',
  `insert into bare_whatsapp.chats as c (id, unread, latest, updated_at) values ($1, 1, $2, $3)
   on conflict (id) do update set unread = c.unread + 1, latest = excluded.latest, updated_at = excluded.updated_at`,
);

/** Turns a stored request into a message, in one transaction. */
async function createMessage(db: pg.Pool, inboundId: string, body: Buffer): Promise<void> {
  const [message] = JSON.parse(body.toString()).entry[0].changes[0].value.messages;
  const [messageId, now] = [newId(), new Date()];
  const { from, text } = message;
  const data = { id: messageId, chatId: from, vendorId: message.id, type: 'text', text: text.body };
  const sentAt = new Date(Number(message.timestamp) * 1000);
  await inTransaction(db, async (client) => {
    await deleteInbound(client, [inboundId]);
    await insertVendorId(client, [message.id, messageId]);
    await insertMessage(client, [messageId, from, text.body, sentAt, now]);
    await insertEvent(client, [newId(), 'message.received', JSON.stringify(data), now]);
    // The row that others wait for is locked last, and so for the shortest time.
    await updateChat(client, [from, messageId, now]);
  });
}

/**
 * Accepts signed requests and answers each when it is committed. With `createsMessages`, each becomes a message after
 * that, and `GET /pending` returns how many have not yet.
 */
export async function startWhatsapp(
  db: pg.Pool,
  appSecret: string,
  createsMessages: boolean,
): Promise<number> {
  await db.query(TABLES);
  let pending = 0;
  const app = Fastify({ logger: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post<{ Body: Buffer }>('/providers/whatsapp_cloud', async (request) => {
    const { body } = request;
    const signature = Buffer.from(String(request.headers['x-hub-signature-256']));
    const expected = Buffer.from(`sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`);
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected))
      throw new Error('invalid signature');
    const id = newId();
    await insertInbound(db, [id, body, new Date()]);
    if (createsMessages) {
      pending += 1;
      createMessage(db, id, body).then(() => {
        pending -= 1;
      });
    }
    return '';
  });
  app.get('/pending', async () => ({ pending }));
  return listen(app);
}
