import type { TestServer, TestTenant } from './server.ts';

/** Inserts so many inbound messages of a chat, with an event for each, as if they had been received. */
export async function fillChat(
  { system: { db } }: TestServer,
  tenant: TestTenant,
  chatId: string,
  count: number,
): Promise<void> {
  await db.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                           timestamp, created_at, updated_at)
     select gen_random_uuid(), k.tenant_id, k.id, k.channel_id, k.contact_id, 'inbound', 'contact', 'text',
            'filler ' || n, '[]', '{}', 'delivered', k.created_at, k.created_at + n * interval '1 ms', k.created_at
       from chats k cross join generate_series(1, $3::int) as n where k.id = $1 and k.tenant_id = $2`,
    [chatId, tenant.id, count],
  );
}

/** Inserts so many numbered events about a contact. */
export async function fillEvents(
  { system: { db } }: TestServer,
  tenant: TestTenant,
  contactId: string,
  count: number,
): Promise<void> {
  await db.query(
    `with numbered as (
       update tenant_counters set sequence = sequence + $3::int where tenant_id = $2::uuid returning sequence - $3::int as last)
     insert into events (id, tenant_id, sequence, type, contact_id, data, shard, created_at)
     select gen_random_uuid(), $2::uuid, last + n, 'contact.updated', $1::uuid,
            json_build_object('id', $1::uuid, 'firstName', 'filler')::text, 0, now()
       from numbered cross join generate_series(1, $3::int) as n`,
    [contactId, tenant.id, count],
  );
}

/** Inserts contacts with a handle and a chat each, so many messages per chat, and two numbered events per message. */
export async function fillTenant(
  query: (text: string, values: unknown[]) => Promise<unknown>,
  tenantId: string,
  channelId: string,
  chats: number,
  messagesPerChat = 10,
): Promise<void> {
  const PART = 1_000;
  for (let first = 0; first < chats; first += PART)
    await query(
      `with seeded as (
         select n, gen_random_uuid() as contact_id, gen_random_uuid() as handle_id, gen_random_uuid() as chat_id
           from generate_series($3::int + 1, $3::int + $4::int) as n),
       customers as (
         insert into contacts (id, tenant_id, is_subscribed, metadata, created_at, updated_at)
         select contact_id, $1, true, '{}', now(), now() from seeded),
       addresses as (
         insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
         select handle_id, $1, contact_id, 'phone_number', '+1555' || lpad(n::text, 7, '0'), true, '{}', now(), now() from seeded),
       conversations as (
         insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
         select chat_id, $1, $2, contact_id, handle_id, 'open', now(), now() from seeded),
       texts as (
         insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                               timestamp, created_at, updated_at)
         select gen_random_uuid(), $1, chat_id, $2, contact_id, 'inbound', 'contact', 'text', 'Is this still available?', '[]', '{}',
                'delivered', now(), now(), now() from seeded cross join generate_series(1, $5::int))
       insert into events (id, tenant_id, sequence, type, channel_id, contact_id, chat_id, data, shard, created_at)
       select gen_random_uuid(), $1, n * 2 * $5::int + m, 'message.received', $2, contact_id, chat_id, '{}', 0, now()
         from seeded cross join generate_series(1, 2 * $5::int) as m`,
      [tenantId, channelId, first, Math.min(PART, chats - first), messagesPerChat],
    );
}
