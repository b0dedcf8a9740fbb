create table message_templates (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  name text not null,
  language text not null,
  category text not null check (category in ('marketing', 'utility', 'authentication')),
  status text not null check (status in ('pending', 'approved', 'rejected', 'paused', 'disabled')),
  rejection_reason text,
  vendor_id text,
  body text not null,
  header json,
  footer text,
  buttons json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint message_templates_name unique (tenant_id, channel_id, name, language),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index message_templates_by_tenant on message_templates (tenant_id, created_at, id);

-- The inbox: a tenant's chats by age or by activity, in any status or in one; those of a channel, a user or a team by
-- activity. Every change of a chat moves updated_at, so each index here is written with every message.
create index chats_by_tenant on chats (tenant_id, created_at, id);
create index chats_by_activity on chats (tenant_id, updated_at, id);
create index chats_by_status on chats (tenant_id, status, updated_at, id);
drop index chats_by_channel, chats_by_assigned_user, chats_by_assigned_team;
create index chats_by_channel on chats (channel_id, updated_at, id);
create index chats_by_assigned_user on chats (assigned_user_id, updated_at, id) where assigned_user_id is not null;
create index chats_by_assigned_team on chats (assigned_team_id, updated_at, id) where assigned_team_id is not null;

-- A channel takes its requests with it, those that wait and those that failed: found without reading all others'.
drop index inbound_failed;
create index inbound_by_channel on inbound (channel_id, id);
