-- outside of a transaction
-- When a tenant is open (null: always), and when it sends no marketing (null: at any time). Those of a channel are used instead of those
-- of its tenant.
alter table tenants add column if not exists business_hours jsonb;
alter table tenants add column if not exists quiet_hours jsonb;
create or replace view visible_tenants as
  select * from tenants
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);
alter table channels add column if not exists business_hours jsonb;
alter table channels add column if not exists quiet_hours jsonb;
create or replace view visible_channels as
  select * from channels
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);

-- What of the hours a run waits for, `open` or `quiet`. When the hours change it wakes and looks again. Without a check, which would
-- read the whole table under its lock.
alter table automation_runs add column if not exists waits_for text;
create or replace view visible_automation_runs as
  select * from automation_runs
   where not exists (select 1 from removals) or not array[tenant_id, contact_id] && array(select id from removals);
create index concurrently if not exists automation_runs_by_hours on automation_runs (tenant_id, campaign_id)
  where waits_for is not null and status = 'waiting';

-- Whose turn it is in a team: the member with the smallest number, one without a number first.
alter table team_members add column if not exists last_turn bigint;
-- Gets no chats by round robin.
alter table users add column if not exists is_away boolean not null default false;
