-- outside of a transaction
-- Why the mail server refuses the credentials of a mailbox; null while it accepts them.
alter table mailboxes add column if not exists problem text;

-- The access token of a channel that logs in with OAuth, and the refresh token that its vendor gave out last. While one
-- process fetches a token, the others wait for it until `fetching_until`.
create table if not exists channel_tokens (
  id uuid not null,
  tenant_id uuid not null,
  token_encrypted bytea,
  fetching_until timestamptz,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (id, tenant_id) references channels (id, tenant_id) on delete cascade
);

-- Whether a file has no permanent URL, only signed ones that end.
alter table files add column if not exists is_private boolean not null default false;
create or replace view visible_files as
  select * from files f
   where not exists (select 1 from removals) or not array[f.tenant_id] && array(select id from removals) and (
     f.message_id is null or exists (
       select 1 from messages m where m.id = f.message_id and m.tenant_id = f.tenant_id
          and not array[m.channel_id, m.contact_id] && array(select id from removals)));

-- Who else a file was sent to, when a contact is erased.
create index concurrently if not exists messages_by_file on messages using gin (media jsonb_path_ops)
  where media <> '[]'::jsonb and sender = 'outbound';
