-- When a tenant is open, and when it sends no marketing; null: always open, and at any time. Those of a channel are used
-- instead of those of its tenant.
alter table tenants add column business_hours jsonb;
alter table tenants add column quiet_hours jsonb;
create or replace view visible_tenants as
  select * from tenants
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);
alter table channels add column business_hours jsonb;
alter table channels add column quiet_hours jsonb;
create or replace view visible_channels as
  select * from channels
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);

-- What of the hours a run waits for. When the hours change it wakes and looks again.
alter table automation_runs add column waits_for text check (waits_for in ('open', 'quiet'));
create index automation_runs_by_hours on automation_runs (tenant_id, campaign_id)
  where waits_for is not null and status = 'waiting';
create or replace view visible_automation_runs as
  select * from automation_runs
   where not exists (select 1 from removals) or not array[tenant_id, contact_id] && array(select id from removals);

-- Whose turn it is in a team: the member with the smallest number, one without a number first.
alter table team_members add column last_turn bigint;
-- Gets no chats by round robin.
alter table users add column is_away boolean not null default false;
