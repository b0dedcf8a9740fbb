-- The file in the header of a campaign's template: {"fileId"} or {"url"}.
alter table campaigns add column template_header jsonb;
-- The zone in which recurrence rules are meant.
alter table campaigns add column timezone text not null default 'UTC';
create or replace view visible_campaigns as
  select * from campaigns
   where not exists (select 1 from removals) or not array[channel_id] && array(select id from removals);
