-- Bulk actions: jobs that do the same to many chats or contacts.
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (
  kind in ('delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts', 'change_chats', 'change_contacts'));
alter table jobs drop constraint jobs_status_check;
alter table jobs add constraint jobs_status_check check (
  status in ('queued', 'running', 'completed', 'failed', 'cancelled'));
alter table jobs add column action jsonb;
-- Who asked for it: { type, id, name }.
alter table jobs add column author jsonb;
-- What it is done to, as chosen when it was asked for; `step` says how many of them are done. Null when the job has ended.
alter table jobs add column item_ids uuid[];
-- Ids do not get smaller by compressing them.
alter table jobs alter column item_ids set storage external;

-- Settings of a tenant for the people who use it.
alter table tenants add column timezone text not null default 'UTC';
alter table tenants add column locale text not null default 'en';
create or replace view visible_tenants as
  select * from tenants
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);

-- The inbox: open chats, the newest message first.
create index chats_by_latest_message on chats (tenant_id, status, (coalesce(latest_message_at, created_at)), id);
