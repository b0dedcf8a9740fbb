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
