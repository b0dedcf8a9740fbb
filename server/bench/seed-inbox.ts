import { withoutForeignKeys } from './seed.ts';
import { createSandboxChannel, type Target, type Tenant } from './target.ts';

/** A tenant with a filled inbox. */
export interface Inbox {
  tenant: Tenant;
  chats: number;
  /** A user to whom a part of the chats is assigned. */
  userId: string;
}

const USERS = 20;
/** Rows per statement: more would not fit into memory. */
const PART = 200_000;

/**
 * Of the chats, in no order of their last messages: 30 % are open, of which half are assigned, a twentieth are unread and three in
 * five wait for an answer; 2 % are snoozed; the others are closed. One contact in eight is called Grace, and one Zuse.
 */
const SEED_CHATS = `
  with numbered as (
    select n, (n::bigint * 7919 % $3::int)::int as place, uuidv7() as contact_id, uuidv7() as handle_id, uuidv7() as chat_id,
           (array['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Linus'])[n % 8 + 1] as first_name,
           case when n = 100 then 'Zuse' else 'Number' || left(md5(n::text), 10) end as last_name
      from generate_series(1, $3::int) as n),
  seeded as (
    select *, '+1777' || lpad(n::text, 7, '0') as phone, now() - place * interval '1 minute' as at,
           case when n % 10 < 3 then 'open' when n % 50 = 4 then 'snoozed' else 'closed' end as status
      from numbered),
  contacts as (
    insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
    select contact_id, $1, first_name, last_name, true, '{}', first_name || ' ' || last_name || E'\\n' || phone,
           now() - ($3::int - n) * interval '1 minute', now() from seeded),
  handles as (
    insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
    select handle_id, $1, contact_id, 'phone_number', phone, true, '{}', now(), now() from seeded)
  insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, unread_count, latest_message_at, open_until,
                     waiting_since, snoozed_until, assigned_user_id, created_at, updated_at)
  select chat_id, $1, $2, contact_id, handle_id, status, case when n % 200 < 3 then 1 else 0 end, at, at + interval '1 day',
         case when status = 'open' and n % 5 < 3 then at end,
         case when status = 'snoozed' then now() + place * interval '1 minute' end,
         case when n % 2 = 0 then ($4::uuid[])[n / 2 % ${USERS} + 1] end,
         now() - ($3::int - n) * interval '1 minute', at
    from seeded`;
/** Messages in turn in all chats, as a day brings them, so that those of a chat are not side by side; the last of each is its latest. */
const SEED_MESSAGES = `
  insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status,
                        vendor_id, timestamp, created_at, updated_at)
  select uuidv7(), k.tenant_id, k.id, k.channel_id, k.contact_id, case n % 2 when 0 then 'inbound' else 'outbound' end,
         case n % 2 when 0 then 'contact' else 'api' end, 'text',
         'Is this still available? My number is ' || md5(n::text) || ', I would come by on Saturday.', '[]', '{}',
         case n % 2 when 0 then 'delivered' else 'read' end, 'grown-' || n, t.at, t.at, t.at
    from generate_series($1::int, $2::int) as n
    join pg_temp.numbered k on k.number = n % $3::int
    cross join lateral (select now() - ($4::int - n) * interval '1 second' as at) t`;

/** Creates a tenant with so many chats and messages. */
export async function seedInbox(target: Target, chats: number, messages: number): Promise<Inbox> {
  const { db } = target;
  const tenant = await target.createTenant();
  const { tenantId } = tenant;
  const channelId = await createSandboxChannel(tenant, { name: 'Inbox', address: '+15550009990' });
  const { rows } = await db.query<{ id: string }>(
    `insert into users (id, tenant_id, name, email, role, created_at, updated_at)
     select uuidv7(), $1, 'User ' || n, 'user' || n || '@example.com', 'agent', now(), now()
       from generate_series(1, ${USERS}) as n returning id`,
    [tenantId],
  );
  const userIds = rows.map(({ id }) => id);
  await withoutForeignKeys(db, async () => {
    await db.query(SEED_CHATS, [tenantId, channelId, chats, userIds]);
    await db.query(
      `create temporary table numbered as
       select id, tenant_id, channel_id, contact_id, row_number() over (order by id) - 1 as number from chats where tenant_id = $1`,
      [tenantId],
    );
    await db.query('analyze pg_temp.numbered');
    for (let from = 1; from <= messages; from += PART)
      await db.query(SEED_MESSAGES, [from, Math.min(messages, from + PART - 1), chats, messages]);
    await db.query('drop table pg_temp.numbered');
    await db.query(
      `update chats k set latest_message_id = m.id
         from (select distinct on (chat_id) chat_id, id from messages where tenant_id = $1 order by chat_id, created_at desc) m
        where k.id = m.chat_id and k.tenant_id = $1`,
      [tenantId],
    );
  });
  return { tenant, chats, userId: userIds[0] as string };
}
