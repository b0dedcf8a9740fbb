-- Queue: calls to vendors about a chat that nobody waits for: read receipts, typing indicators, profiles of contacts. Ordering
-- key: the channel. One of each kind per chat.
create table chat_tasks (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  chat_id uuid not null,
  kind text not null check (kind in ('read', 'typing', 'stop_typing', 'profile')),
  shard smallint not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete cascade
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_threshold = 10000);
create unique index chat_tasks_once on chat_tasks (chat_id, kind);
create index chat_tasks_due on chat_tasks (shard, channel_id, due_at, id);

-- What only some templates of WhatsApp have: the cards of a carousel, an offer that ends, and the texts of a code.
alter table message_templates add column cards json;
alter table message_templates add column offer json;
alter table message_templates add column authentication json;
