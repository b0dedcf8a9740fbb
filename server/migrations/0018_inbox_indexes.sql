-- outside of a transaction
-- The views of an inbox, each with an index that has its chats in its order. Mine, and those of nobody, the newest message first.
create index concurrently if not exists chats_of_user
  on chats (assigned_user_id, tenant_id, status, (coalesce(latest_message_at, created_at)), id) where assigned_user_id is not null;
drop index concurrently if exists chats_by_assigned_user;
create index concurrently if not exists chats_unassigned
  on chats (tenant_id, status, (coalesce(latest_message_at, created_at)), id) where assigned_user_id is null;
-- All chats, for searches of a name.
create index concurrently if not exists chats_by_latest_message_of_all
  on chats (tenant_id, (coalesce(latest_message_at, created_at)), id);
-- Those that wait for an answer, the longest first.
create index concurrently if not exists chats_waiting_by_status
  on chats (tenant_id, status, waiting_since, id) where waiting_since is not null;
drop index concurrently if exists chats_waiting;
-- Snoozed chats, the next first.
create index concurrently if not exists chats_snoozed
  on chats (tenant_id, snoozed_until, id) where status = 'snoozed';
-- The counts of unread chats.
create index concurrently if not exists chats_unread
  on chats (tenant_id, status, assigned_user_id) where marked_unread or unread_count > 0;
-- The unique index on tenant, channel and handle leads to the chats of a channel, too.
drop index concurrently if exists chats_by_channel;
