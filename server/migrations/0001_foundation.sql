-- Primary keys are (id, tenant_id) and foreign keys carry tenant_id, so that no row can link two tenants.
-- With (tenant_id, id) the generic plans of prepared statements on young tables stayed bad (300/s against 6000/s).

-- One row: proves that a process has the secret key that the rest of the database was written with.
create table installation (
  is_the_only_one boolean primary key default true check (is_the_only_one),
  key_check bytea not null
);

create table tenants (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('free', 'growth', 'scale')),
  rate_override integer check (rate_override between 1 and 1000000000),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table tokens (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  scopes text[] not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create index tokens_by_tenant on tokens (tenant_id, created_at, id);

-- The current minute's count of one tenant. Unlogged: after a crash of the database the minute starts anew.
create unlogged table rate_windows (
  tenant_id uuid primary key,
  minute bigint not null,
  used bigint not null
);

create table idempotency_keys (
  key_hash bytea not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  request_hash bytea not null,
  answer_encrypted bytea not null,
  created_at timestamptz not null,
  primary key (key_hash, tenant_id)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- The engine: who works, and which share of the work is whose.
create table workers (
  id uuid primary key,
  seen_at timestamptz not null
);

create table slots (
  slot smallint primary key,
  owner uuid,
  lease_until timestamptz
);
insert into slots (slot) select generate_series(0, 63);

create table channels (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  kind text not null check (kind in ('whatsapp', 'sms', 'email', 'instagram')),
  provider text not null,
  name text not null,
  address text not null,
  vendor_key text,
  config_encrypted bytea not null,
  health text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  -- A vendor's request names the channel alone, before anyone knows the tenant.
  unique (id),
  unique (provider, vendor_key)
);
create index channels_by_tenant on channels (tenant_id, created_at, id);

create table contacts (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  first_name text,
  last_name text,
  is_subscribed boolean not null,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);

create table handles (
  id uuid not null,
  tenant_id uuid not null,
  contact_id uuid not null,
  type text not null check (type in ('phone_number', 'email', 'instagram_id', 'whatsapp_id')),
  value text not null,
  is_primary boolean not null,
  extra jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint handles_value unique (tenant_id, type, value),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index handles_by_contact on handles (contact_id);

create table labels (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  color text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index labels_name on labels (tenant_id, lower(name));

create table contact_labels (
  contact_id uuid not null,
  label_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  primary key (contact_id, label_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (label_id, tenant_id) references labels (id, tenant_id) on delete cascade
);
create index contact_labels_by_label on contact_labels (label_id);

create table attributes (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  external_id text not null,
  name text not null,
  type text not null check (type in ('text', 'number', 'boolean', 'date', 'datetime', 'url', 'select')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint attributes_external_id unique (tenant_id, external_id)
);

create table contact_attributes (
  contact_id uuid not null,
  attribute_id uuid not null,
  tenant_id uuid not null,
  value text not null,
  updated_at timestamptz not null,
  primary key (contact_id, attribute_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (attribute_id, tenant_id) references attributes (id, tenant_id) on delete cascade
);
create index contact_attributes_by_attribute on contact_attributes (attribute_id);

create table chats (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  contact_id uuid not null,
  handle_id uuid not null,
  status text not null check (status in ('open', 'snoozed', 'closed')),
  unread_count integer not null default 0,
  marked_unread boolean not null default false,
  read_at timestamptz,
  latest_message_id uuid,
  latest_message_at timestamptz,
  open_until timestamptz,
  assigned_user_id uuid,
  assigned_team_id uuid,
  is_sensitive boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint chats_channel_handle unique (tenant_id, channel_id, handle_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (handle_id, tenant_id) references handles (id, tenant_id) on delete cascade
);
create index chats_by_contact on chats (contact_id);
create index chats_by_handle on chats (handle_id);
create index chats_by_channel on chats (channel_id);

create table messages (
  id uuid not null,
  tenant_id uuid not null,
  chat_id uuid not null,
  channel_id uuid not null,
  contact_id uuid not null,
  sender text not null check (sender in ('inbound', 'outbound', 'system')),
  author text not null check (author in ('contact', 'user', 'automation', 'campaign', 'api')),
  type text not null,
  text text,
  media jsonb not null,
  content jsonb not null,
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'failed')),
  error jsonb,
  vendor_id text,
  reply_to_message_id uuid,
  timestamp timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete cascade
);
create index messages_by_chat on messages (chat_id, timestamp, id);

-- One row for each message a vendor knows, whatever arrives first: the message, a status of it, or an echo.
create table vendor_messages (
  channel_id uuid not null,
  vendor_id text not null,
  tenant_id uuid not null,
  message_id uuid,
  status_rank smallint not null,
  created_at timestamptz not null,
  primary key (channel_id, vendor_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);

-- Work list: what vendors sent, as they sent it, until it is processed. Lane: the channel.
create table inbound (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  headers jsonb not null,
  body bytea not null,
  error text,
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index inbound_due on inbound (slot, channel_id, due_at, id) where due_at is not null;
create index inbound_failed on inbound (channel_id, id) where due_at is null;

create table webhooks (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  url text not null,
  status text not null check (status in ('active', 'inactive', 'disabled')),
  secret_encrypted bytea not null,
  api_version smallint not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create index webhooks_by_tenant on webhooks (tenant_id, created_at, id);

create table webhook_events (
  webhook_id uuid not null,
  tenant_id uuid not null,
  number smallint not null,
  type_pattern text,
  channel_ids uuid[],
  primary key (webhook_id, number),
  foreign key (webhook_id, tenant_id) references webhooks (id, tenant_id) on delete cascade
);

-- Commits of a tenant's counter are serialized by its row lock: commit order is sequence order.
create table tenant_counters (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  sequence bigint not null
);

create sequence event_positions;

-- Events, deliveries and attempts are cut by week on their UUIDv7, so that retention is a DROP. The default
-- partitions take what no week is ready for. They are the hottest tables and have no foreign keys: each check would
-- lock the tenant's row once more.
create table events (
  id uuid not null,
  tenant_id uuid not null,
  position bigint not null default nextval('event_positions'),
  type text not null,
  channel_id uuid,
  contact_id uuid,
  chat_id uuid,
  -- The JSON text exactly as it is sent, the same on every retry.
  data text not null,
  slot smallint not null,
  sequence bigint,
  created_at timestamptz not null,
  primary key (id, tenant_id)
) partition by range (id);
create table events_default partition of events default;
create index events_unsequenced on events (slot, tenant_id, position) where sequence is null;

-- Work list: what is to be sent to webhooks. Lane: the webhook.
create table deliveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  sequence bigint not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
) partition by range (id);
create table deliveries_default partition of deliveries default;
create index deliveries_due on deliveries (slot, webhook_id, due_at, sequence) where due_at is not null;
create index deliveries_by_webhook on deliveries (webhook_id, created_at, id);

create table attempts (
  delivery_id uuid not null,
  tenant_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  timings jsonb not null,
  response_status integer,
  response_headers jsonb,
  response_body text,
  error text,
  primary key (delivery_id, number)
) partition by range (delivery_id);
create table attempts_default partition of attempts default;
