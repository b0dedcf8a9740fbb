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
