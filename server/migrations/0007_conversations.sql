-- Who wrote a message: besides the kind of author, which user, automation, campaign or token, and its name at that time. Both
-- are null for messages of the contact, for those that the business wrote in the vendor's app, and for older messages.
alter table messages add column author_id uuid;
alter table messages add column author_name text;
-- The run that took a message of the contact as its reply: no other run takes the same message.
alter table messages add column reply_run_id uuid;

-- Whether automations are paused, as somebody has set it; null as long as that follows from the assignment.
alter table chats add column automation_pause boolean;
-- The time of the contact's first message that nobody but an automation has answered.
alter table chats add column waiting_since timestamptz;
-- When somebody first answered after the chat was opened, and when it was closed.
alter table chats add column first_responded_at timestamptz;
alter table chats add column closed_at timestamptz;
create index chats_waiting on chats (tenant_id, waiting_since, id) where waiting_since is not null;

-- Notes that colleagues write about a chat. Nothing here is ever sent.
create table notes (
  id uuid not null,
  tenant_id uuid not null,
  chat_id uuid not null,
  channel_id uuid not null,
  contact_id uuid not null,
  author text not null check (author in ('user', 'automation', 'campaign', 'api')),
  author_id uuid,
  author_name text,
  text text not null,
  mentioned_user_ids uuid[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete cascade
);
create index notes_by_chat on notes (tenant_id, chat_id, created_at, id);

-- With the new columns, and the conditions as they were.
create or replace view visible_chats as
  select * from chats
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);
create or replace view visible_messages as
  select * from messages
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);
create view visible_notes as
  select * from notes
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);
