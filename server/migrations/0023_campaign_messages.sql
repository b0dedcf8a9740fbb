-- What a campaign sends that has no automation of the tenant. The automation that sends it is created when the campaign starts.
alter table campaigns add column message jsonb;
alter table campaigns alter column automation_id drop not null;
alter table campaigns add constraint campaigns_automation_check
  check (automation_id is not null or (message is not null and status in ('draft', 'cancelled')));
-- Whether chats that the campaign creates are closed until the contact replies, so that they do not fill the inbox.
alter table campaigns add column close_chats boolean not null default false;
create or replace view visible_campaigns as
  select * from campaigns
   where not exists (select 1 from removals) or not array[channel_id] && array(select id from removals);

-- The automations of such campaigns are not listed, and do not count for the limit.
alter table automations add column is_hidden boolean not null default false;
create or replace view visible_automations as
  select * from automations
   where not exists (select 1 from removals) or not array[tenant_id] && array(select id from removals);
