-- Teams whose members a note is to reach.
alter table notes add column mentioned_team_ids uuid[] not null default '{}';

-- With the new column, and the condition as it was.
create or replace view visible_notes as
  select * from notes
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);

-- What users are notified of in their chats. A user has one unread row per chat and type: the transaction that numbers the tenant's
-- events is the only one that inserts, so no index has to make sure of that. Without a foreign key to the chat: that insert must
-- not wait for anybody who changes or deletes the chat. Rows of deleted chats are not shown.
create table notifications (
  id uuid not null,
  tenant_id uuid not null,
  user_id uuid not null,
  type text not null check (type in ('mentioned', 'assigned', 'message_received', 'snooze_ended', 'message_failed')),
  chat_id uuid not null,
  -- The team by which the user was reached; null for the user alone.
  team_id uuid,
  note_id uuid,
  message_id uuid,
  -- The user who caused it; null for a contact, a program, or the passing of time.
  caused_by_id uuid,
  -- The event that caused it last.
  event_id uuid not null,
  count int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  read_at timestamptz,
  primary key (id, tenant_id),
  foreign key (user_id, tenant_id) references users (id, tenant_id) on delete cascade
);
create index notifications_by_user on notifications (user_id, tenant_id, updated_at, id);
create index notifications_unread on notifications (user_id, tenant_id, chat_id) where read_at is null;
create index notifications_by_chat on notifications (tenant_id, chat_id);
create index notifications_by_age on notifications (updated_at);

-- Queue: mails of the installation itself, with links of invitations and of new passwords. Ordering key: the channel. The links are
-- made when the mails are sent. An address may be one that nobody has.
create table system_mails (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  kind text not null check (kind in ('invitation', 'reset')),
  email text not null,
  -- The invited user, of any tenant.
  user_id uuid,
  user_tenant_id uuid,
  shard smallint not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_threshold = 10000);
create index system_mails_due on system_mails (shard, channel_id, due_at, id);
create index system_mails_by_channel on system_mails (channel_id, tenant_id);
