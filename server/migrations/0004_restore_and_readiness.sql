-- What the operator's safety needs, all in the one row of the installation.
alter table installation
  -- 0 until the first start with --after-restore, then the second of the latest one. Positions in event streams carry it.
  add column epoch bigint not null default 0,
  -- Since when the work that was due in a restored backup is held; null if nothing is.
  add column held_at timestamptz,
  -- /readyz writes it to see whether the database can store anything.
  add column write_checked_at timestamptz;

-- The rows of queues that are held after a restore (engine/queue.ts). Their shard is one that nobody owns until they are
-- released; a row may be finished over the API meanwhile, and due again later, so they are found by id.
create table held_rows (
  queue text not null,
  id uuid not null,
  -- Without a reference: events of a tenant that was deleted may still be due.
  tenant_id uuid not null,
  primary key (queue, id, tenant_id)
);
