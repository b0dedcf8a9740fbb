-- The filters of the segments that an audience names, as they were when it began to be gathered: a segment that is changed meanwhile
-- changes the next occurrence.
alter table campaigns add column segment_filters jsonb;
create or replace view visible_campaigns as
  select * from campaigns
   where not exists (select 1 from removals) or not array[channel_id] && array(select id from removals);
alter table automations add column segment_filters jsonb;
create or replace view visible_automations as
  select * from automations
   where not exists (select 1 from removals) or not array[tenant_id] && array(select id from removals);
