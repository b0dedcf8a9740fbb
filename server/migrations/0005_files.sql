create table files (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  filename text not null,
  mime_type text not null,
  size bigint not null,
  sha256 bytea not null,
  -- Made with the file: its public URL is the same whoever asks first, and asking for it writes nothing.
  public_token text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index files_public_token on files (public_token);
create index files_by_tenant on files (tenant_id, created_at, id);

-- Work list: bytes in the data folder that no file needs. An upload is listed before its first byte is written and
-- taken off the list by the transaction that makes its file, so whatever happens in between, either is there. A deleted
-- file is listed by the transaction that deletes it. Lane: the tenant, which may be gone.
create table file_removals (
  id uuid not null,
  tenant_id uuid not null,
  slot smallint not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (id, tenant_id)
);
create index file_removals_due on file_removals (slot, tenant_id, due_at, id);

-- A trigger, because files also go with their tenant. The slot is engine/work-list.ts's; the time is for metrics only.
create function list_removed_files() returns trigger language plpgsql as $$
begin
  insert into file_removals (id, tenant_id, slot, due_at, created_at)
  select id, tenant_id, ('x' || right(tenant_id::text, 2))::bit(8)::int % 64, '-infinity', now() from removed;
  return null;
end $$;
create trigger list_removed_files after delete on files
  referencing old table as removed for each statement execute function list_removed_files();

-- Messages are searched by tenant, chat, contact and channel, the newest first. Measured with batches of 20, each of
-- these indexes adds some 150 bytes of WAL to the 710 of a message; a trigram index over texts would add 23,000 and make
-- storing it four times slower, so a part of a text is looked for among the tenant's messages, the newest first.
-- What changes later (status, updated_at) is in none of them, so that such changes stay within the table.
drop index messages_by_chat;
create index messages_by_chat on messages (tenant_id, chat_id, created_at, id);
create index messages_by_contact on messages (tenant_id, contact_id, created_at, id);
create index messages_by_channel on messages (tenant_id, channel_id, created_at, id);
create index messages_by_tenant on messages (tenant_id, created_at, id);
