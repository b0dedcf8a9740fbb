-- outside of a transaction
-- Who uses something asks which campaigns go on with a version.
create index concurrently if not exists campaigns_by_version on campaigns (version_id)
  where status in ('running', 'paused');
-- How often a process ended while it fetched the file.
alter table media_fetches add column if not exists crashes smallint not null default 0;
create or replace view visible_media_fetches as
  select * from media_fetches f
   where not exists (select 1 from removals) or exists (
     select 1 from messages m where m.id = f.message_id and m.tenant_id = f.tenant_id
        and not array[m.channel_id, m.contact_id] && array(select id from removals));
