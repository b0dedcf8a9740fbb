-- When the campaign of a held message went on. From then on the message counts as if it had just been written: how long it is
-- tried, and its place among what waits in its chat.
alter table messages add column released_at timestamptz;
create or replace view visible_messages as
  select * from messages
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);
