-- The user who uploaded a file; null for a token and for what came with a message. No foreign key: the id of a user who was
-- deleted matches nobody.
alter table files add column uploaded_by uuid;
create or replace view visible_files as
  select * from files f
   where not exists (select 1 from removals) or not array[f.tenant_id] && array(select id from removals) and (
     f.message_id is null or exists (
       select 1 from messages m where m.id = f.message_id and m.tenant_id = f.tenant_id
          and not array[m.channel_id, m.contact_id] && array(select id from removals)));
