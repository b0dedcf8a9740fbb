-- Queue: runs that wait for a reply in a chat in which the contact wrote. Ordering key: the tenant. Numbering inserts these
-- rows and waits for no run; the queue makes the runs due. There are no foreign keys, whose locks a deletion would wait
-- for: a row of a run that is deleted does nothing and goes away.
create table run_replies (
  id uuid not null,
  tenant_id uuid not null,
  run_id uuid not null,
  shard smallint not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (id, tenant_id)
) with (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000,
        autovacuum_analyze_threshold = 10000);
create index run_replies_due on run_replies (shard, tenant_id, due_at, id);
