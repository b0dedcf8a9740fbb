-- Turns the schema of the migrations 0001 to 0022 into that of 0001_baseline.sql. Renames only: no row is rewritten.

alter table slots rename to shards;
alter index slots_pkey rename to shards_pkey;
alter table shards rename column slot to shard;
alter table inbound rename column slot to shard;
alter table mailboxes rename column slot to shard;
alter table chats rename column slot to shard;
alter table messages rename column slot to shard;
alter table media_fetches rename column slot to shard;
alter table file_removals rename column slot to shard;
alter table template_tasks rename column slot to shard;
alter table automations rename column slot to shard;
alter table automation_runs rename column slot to shard;
alter table campaigns rename column slot to shard;
alter table events rename column slot to shard;
alter table deliveries rename column slot to shard;
alter table vendor_messages rename column parked to pending;

create or replace function list_removed_files() returns trigger language plpgsql as $$
begin
  insert into file_removals (id, tenant_id, shard, due_at, created_at)
  select id, tenant_id, ('x' || right(tenant_id::text, 2))::bit(8)::int % 64, '-infinity', now() from removed;
  return null;
end $$;

-- PostgreSQL has copied the old column names: into the columns of indexes, from which it takes the index names of every
-- new weekly partition; into those index names; and from version 18 on into the names of NOT NULL constraints.
do $$
declare
  renaming text;
begin
  for renaming in
    select format('alter table %I rename column slot to shard', c.relname)
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('i', 'I') and not c.relispartition
       and a.attname = 'slot'
     union all
    select format('alter index %I rename to %I', c.relname, replace(c.relname, '_slot_', '_shard_'))
      from pg_class c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'i' and c.relispartition
       and c.relname like '%\_slot\_%'
     union all
    select format('alter table %s rename constraint %I to %I', n.conrelid::regclass, n.conname,
             replace(replace(n.conname, 'slots_', 'shards_'), '_slot_', '_shard_'))
      from pg_constraint n
     where n.connamespace = current_schema()::regnamespace and n.contype = 'n' and n.coninhcount = 0
       and n.conname like '%\_slot\_not\_null'
  loop
    execute renaming;
  end loop;
end $$;
