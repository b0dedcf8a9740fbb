-- The phone numbers and email addresses that the earlier batches of a dry run would have stored, and whose they would be: of a
-- contact that exists, or of one that would be new. Deleted with the last batch, or after the dry run was cancelled.
create table import_handles (
  import_id uuid not null,
  tenant_id uuid not null,
  type text not null,
  value text not null,
  owner_id uuid not null,
  primary key (import_id, type, value),
  foreign key (import_id, tenant_id) references imports (id, tenant_id) on delete cascade
);
create index import_handles_by_owner on import_handles (import_id, owner_id);
