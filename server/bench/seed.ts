import type pg from 'pg';

/** The first number. The sandbox refuses to send to numbers that end in 0001 to 0004. */
const FIRST = 11;

/** Contacts with a handle, two labels, two attributes, and a chat that ends in a message. */
const SEED_CHATS = `
  with seeded as (
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
    select contact_id, $1, 'Ada', 'Number ' || number, true, '{}', now(), now() from seeded),
  handles as (
    insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
    select handle_id, $1, contact_id, 'phone_number', '+1555' || lpad(number::text, 7, '0'), true, '{}', now(), now()
      from seeded),
  contact_labels as (
    insert into contact_labels (contact_id, label_id, tenant_id, created_at)
    select contact_id, labels.id, $1, now() from seeded cross join labels),
  contact_attributes as (
    insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at)
    select contact_id, attributes.id, $1, 'value ' || number, now() from seeded cross join attributes),
  chats as (
    insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, unread_count, latest_message_id,
                       latest_message_at, open_until, created_at, updated_at)
    select chat_id, $1, $2, contact_id, handle_id, 'open', 1, message_id, now(), now() + interval '1 day', now(), now()
      from seeded),
  messages as (
    insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                          status, vendor_id, timestamp, created_at, updated_at)
    select message_id, $1, chat_id, $2, contact_id, 'inbound', 'contact', 'text', 'Is this still available?', '[]', '{}',
           'delivered', 'seed-' || number, now(), now(), now() from seeded)
  select chat_id from seeded`;

/** Creates so many chats of a tenant in one channel and returns their ids. */
export async function seedChats(
  db: pg.Client,
  tenantId: string,
  channelId: string,
  count: number,
): Promise<string[]> {
  const { rows } = await db.query<{ chat_id: string }>(SEED_CHATS, [tenantId, channelId, count]);
  await db.query('vacuum analyze');
  return rows.map((row) => row.chat_id);
}

/** Creates so many contacts without handles, labels or attributes, and returns their ids. */
export async function seedContacts(db: pg.Client, tenantId: string, count: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at)
     select uuidv7(), $1, 'Ada', 'Number ' || number, true, '{}', now(), now() from generate_series(1, $2::int) as number
     returning id`,
    [tenantId, count],
  );
  return rows.map(({ id }) => id);
}

/** Writes many rows without checking their foreign keys, which would take most of the time. */
export async function withoutForeignKeys(db: pg.Client, write: () => Promise<void>): Promise<void> {
  await db.query('set session_replication_role = replica');
  try {
    await write();
  } finally {
    await db.query('reset session_replication_role');
  }
}
