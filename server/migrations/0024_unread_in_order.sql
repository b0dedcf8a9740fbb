-- outside of a transaction
-- Unread chats in the order of the inbox, so that a page of them reads a page and not all of them. For counts the user comes last:
-- the index alone decides which chats are read.
create index concurrently if not exists chats_unread_by_latest_message
  on chats (tenant_id, status, (coalesce(latest_message_at, created_at)), id, assigned_user_id)
  where marked_unread or unread_count > 0;
drop index concurrently if exists chats_unread;
