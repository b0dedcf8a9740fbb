-- What a machine wrote, such as an out-of-office note: nothing may answer it by itself.
alter table messages add column is_automatic boolean not null default false;

-- A file that came with a message goes with it, whatever takes the message away: its writer, its chat, its contact.
alter table files
  add column message_id uuid,
  add foreign key (message_id, tenant_id) references messages (id, tenant_id) on delete cascade;
create index files_by_message on files (message_id) where message_id is not null;
