-- When which version of an automation was in force, from `id` until `ended_id`. Both are UUIDv7: they grow with real time, also
-- while a test clock stands still, and can be compared with the ids of events.
create table automation_activations (
  id uuid not null,
  tenant_id uuid not null,
  automation_id uuid not null,
  version_id uuid not null,
  -- Null while it is in force.
  ended_id uuid,
  primary key (id, tenant_id),
  foreign key (automation_id, tenant_id) references automations (id, tenant_id) on delete cascade
);
create index automation_activations_by_automation on automation_activations (automation_id, id);

-- What was active before is taken to be in force since its version was saved.
insert into automation_activations (id, tenant_id, automation_id, version_id)
select active_version_id, tenant_id, id, active_version_id from automations where status = 'active';

-- Events in chats in which automations stayed silent that would have started otherwise: because a user has the chat, or because they
-- were paused by hand. Deleted when the events are.
create table silenced_events (
  event_id uuid not null,
  tenant_id uuid not null,
  is_paused boolean not null,
  primary key (event_id, tenant_id)
) with (autovacuum_analyze_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_threshold = 10000);

alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (kind in (
  'delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts', 'change_chats', 'change_contacts', 'change_runs'));
