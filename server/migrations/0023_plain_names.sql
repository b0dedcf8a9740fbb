-- Plain names: a share of the work is a shard, and a status that came before its message is pending.
alter table slots rename to shards;
alter table shards rename column slot to shard;
alter index slots_pkey rename to shards_pkey;
alter table inbound rename column slot to shard;
alter table events rename column slot to shard;
alter table deliveries rename column slot to shard;
alter table chats rename column slot to shard;
alter table file_removals rename column slot to shard;
alter table automation_runs rename column slot to shard;
alter table campaigns rename column slot to shard;
alter table messages rename column slot to shard;
alter table media_fetches rename column slot to shard;
alter table mailboxes rename column slot to shard;
alter table template_tasks rename column slot to shard;
alter table automations rename column slot to shard;
alter table vendor_messages rename column parked to pending;

create or replace function list_removed_files() returns trigger language plpgsql as $$
begin
  insert into file_removals (id, tenant_id, shard, due_at, created_at)
  select id, tenant_id, ('x' || right(tenant_id::text, 2))::bit(8)::int % 64, '-infinity', now() from removed;
  return null;
end $$;
