-- A snoozed chat is due again at its end. Lane: the channel.
alter table chats
  add column snoozed_until timestamptz,
  add column slot smallint,
  add column due_at timestamptz;
create index chats_due on chats (slot, channel_id, due_at, id) where due_at is not null;
