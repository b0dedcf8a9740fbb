-- The schema of Parley 3.0.0: everything that the migrations 0001 to 0022 of the alpha versions built. A database that
-- has those is taken over by takeover/0022.sql instead. schema.sql shows the schema as all migrations leave it.
--
-- Conventions:
-- * Primary keys are (id, tenant_id) and foreign keys carry tenant_id, so that no row can link two tenants. With
--   (tenant_id, id), the generic plans of prepared statements stayed bad on young tables (300/s against 6000/s).
-- * A queue is a table with `shard`, an ordering key and `due_at`. Rows with the same ordering key start in order.
--   `due_at` is null when there is nothing to do. The index `<table>_due` finds the due rows of a shard.
-- * Encrypted columns end in `_encrypted`.
-- * `created_at` and `updated_at` have no default: the process sets them, because test tenants have clocks of their own.

-- Trusted extensions that come with PostgreSQL: a user with CREATE on the database may create them. pg_trgm indexes parts
-- of texts, btree_gin lets the same index begin with the tenant.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;


-- == Access: tenants, tokens, limits, users and teams =================================================================

create table tenants (
  id uuid primary key,
  name text not null,
  plan text not null check (plan in ('free', 'growth', 'scale')),
  rate_override integer check (rate_override between 1 and 1000000000),
  -- The time of a test tenant. Its rows have a shard of their own: see engine/test-clock.
  clock timestamptz,
  -- The time the clock is moving to. It stays set until everything due by then is done, whichever process does it.
  clock_target timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The UUID version of an id says whether it belongs to a test tenant, so that no query is needed to know.
  constraint tenants_clock check ((clock is not null) = (substr(id::text, 15, 1) = '8')),
  constraint tenants_clock_target check (clock_target is null or clock_target >= clock)
);
create index tenants_with_clock on tenants (id) where clock is not null;

-- One row. key_check proves that a process has the secret key that the rest of the database was written with.
create table installation (
  is_the_only_one boolean primary key default true check (is_the_only_one),
  key_check bytea not null,
  -- The demo tenant gets its content after the server listens: contacts and their messages first, our replies later.
  demo_tenant_id uuid references tenants (id) on delete set null,
  demo_filled_at timestamptz,
  demo_replied_at timestamptz
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

-- The requests of a tenant in the current minute. Unlogged: after a crash of the database the minute starts again.
create unlogged table rate_windows (
  tenant_id uuid primary key,
  minute bigint not null,
  used bigint not null
);

create table idempotency_keys (
  key_hash bytea not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  request_hash bytea not null,
  -- Null while the request is being worked on: a request that calls an external service reserves its key first.
  answer_encrypted bytea,
  reservation uuid,
  reserved_until timestamptz,
  -- Hashes of the ids in the answer. Erasing a contact finds the answers that mention it.
  mentions bigint[] not null default '{}',
  created_at timestamptz not null,
  primary key (key_hash, tenant_id)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);
create index idempotency_keys_by_mention on idempotency_keys using gin (mentions);

-- Calls of API version 2 by token and operation. A deleted token stays here by its id.
create table v2_usage (
  tenant_id uuid not null references tenants (id) on delete cascade,
  token_id uuid not null,
  operation text not null,
  calls bigint not null,
  last_called_at timestamptz not null,
  primary key (tenant_id, token_id, operation)
);

create table users (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  email text not null,
  role text not null check (role in ('admin', 'agent')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index users_email on users (tenant_id, lower(email));
create index users_by_tenant on users (tenant_id, created_at, id);

create table teams (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index teams_name on teams (tenant_id, lower(name));
create index teams_by_tenant on teams (tenant_id, created_at, id);

create table team_members (
  team_id uuid not null,
  user_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  primary key (team_id, user_id),
  foreign key (team_id, tenant_id) references teams (id, tenant_id) on delete cascade,
  foreign key (user_id, tenant_id) references users (id, tenant_id) on delete cascade
);
create index team_members_by_user on team_members (user_id);


-- == Contacts: contacts, handles, labels and attributes ===============================================================

create table contacts (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  first_name text,
  last_name text,
  is_subscribed boolean not null,
  metadata jsonb not null,
  -- What `search` looks in: the full name and the value of every handle, one per line. Every statement that changes a
  -- name or a handle updates it too.
  search_text text not null default '',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create index contacts_search on contacts using gin (tenant_id, search_text gin_trgm_ops);
-- There is no index on updated_at: with one, every change of a contact would rewrite all of its index entries.
create index contacts_by_tenant on contacts (tenant_id, created_at, id);
create index contacts_unsubscribed on contacts (tenant_id, created_at, id) where not is_subscribed;

create table handles (
  id uuid not null,
  tenant_id uuid not null,
  contact_id uuid not null,
  type text not null check (type in ('phone_number', 'email', 'instagram_id', 'whatsapp_id')),
  value text not null,
  is_primary boolean not null,
  extra jsonb not null,
  -- After STOP the vendor delivers nothing to this number until the contact writes START.
  opted_out_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint handles_value unique (tenant_id, type, value),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index handles_by_contact on handles (contact_id);
-- A contact shows one handle of each type.
create unique index handles_primary on handles (contact_id, type) where is_primary;

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
create index labels_by_tenant on labels (tenant_id, created_at, id);

create table contact_labels (
  contact_id uuid not null,
  label_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  primary key (contact_id, label_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (label_id, tenant_id) references labels (id, tenant_id) on delete cascade
);
create index contact_labels_by_label on contact_labels (label_id, contact_id);

create table attributes (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  external_id text not null,
  name text not null,
  description text,
  type text not null check (type in ('text', 'number', 'boolean', 'date', 'datetime', 'url', 'select')),
  -- The choices of a `select`.
  options text[] not null default '{}',
  is_visible_quick_edit boolean not null default false,
  is_visible_contacts_table boolean not null default false,
  is_visible_contact_create boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint attributes_external_id unique (tenant_id, external_id)
);
create index attributes_by_tenant on attributes (tenant_id, created_at, id);

create table contact_attributes (
  contact_id uuid not null,
  attribute_id uuid not null,
  tenant_id uuid not null,
  value text not null,
  -- Numbers, dates and times are compared by these columns instead of their text.
  number double precision,
  time timestamptz,
  -- A long text does not fit into an index, its first 200 characters do. This is a column because PostgreSQL makes no
  -- index-only scan over an expression.
  head text collate "C" generated always as (left(value, 200)) stored,
  updated_at timestamptz not null,
  primary key (contact_id, attribute_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (attribute_id, tenant_id) references attributes (id, tenant_id) on delete cascade
);
create index contact_attributes_by_text on contact_attributes (attribute_id, head, contact_id);
create index contact_attributes_by_number on contact_attributes (attribute_id, number, contact_id)
  where number is not null;
create index contact_attributes_by_time on contact_attributes (attribute_id, time, contact_id) where time is not null;
-- Search by a part of a text. Numbers, dates and times are not searched by their parts.
create index contact_attributes_search on contact_attributes using gin (attribute_id, value gin_trgm_ops)
  where number is null and time is null;


-- == Channels =========================================================================================================

create table channels (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  kind text not null check (kind in ('whatsapp', 'sms', 'email', 'instagram')),
  provider text not null,
  name text not null,
  address text not null,
  vendor_key text,
  -- Several channels may share an account, and some requests carry only its key: Meta reports the status of templates
  -- by business account.
  account_key text,
  -- Meta has one callback URL per app. Its first call carries a token, and only the hash of that is stored.
  verify_hash bytea,
  config_encrypted bytea not null,
  health text not null,
  -- Why the channel is failing, as a sentence.
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  -- The URL of a vendor's request contains the channel only; the tenant is read from its row.
  unique (id),
  unique (provider, vendor_key)
);
create index channels_by_tenant on channels (tenant_id, created_at, id);
create index channels_by_account_key on channels (provider, account_key) where account_key is not null;
create index channels_by_verify_hash on channels (provider, verify_hash) where verify_hash is not null;

-- Queue: requests of vendors, as they came, until they are processed. Ordering key: the channel. A row without due_at
-- has failed, and stays until it is tried again or deleted.
create table inbound (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  -- Some vendors sign the URL that they called, and repeat in it what they were given.
  url text not null default '',
  headers jsonb not null,
  body bytea not null,
  error text,
  shard smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index inbound_due on inbound (shard, channel_id, due_at, id) where due_at is not null;
-- Deleting a channel deletes its requests, due or failed.
create index inbound_by_channel on inbound (channel_id, id);

-- Queue: mailboxes that are polled. Ordering key: the channel, whose id is the mailbox's id.
create table mailboxes (
  id uuid not null,
  tenant_id uuid not null,
  -- How far the mailbox has been read.
  uid_validity bigint,
  uid bigint,
  error text,
  shard smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index mailboxes_due on mailboxes (shard, id, due_at) where due_at is not null;

-- What the sandbox, as a vendor, has accepted. A message is in it once, however often it is sent.
create table sandbox_outbox (
  message_id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  vendor_id text not null,
  recipient text not null,
  type text not null,
  text text,
  content jsonb not null,
  at timestamptz not null,
  primary key (message_id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index sandbox_outbox_by_channel on sandbox_outbox (channel_id, at, message_id);


-- == Chats ============================================================================================================

-- Queue: snoozed chats, due when their snooze ends. Ordering key: the channel.
create table chats (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  contact_id uuid not null,
  handle_id uuid not null,
  status text not null check (status in ('open', 'snoozed', 'closed')),
  snoozed_until timestamptz,
  unread_count integer not null default 0,
  marked_unread boolean not null default false,
  read_at timestamptz,
  latest_message_id uuid,
  latest_message_at timestamptz,
  open_until timestamptz,
  assigned_user_id uuid,
  assigned_team_id uuid,
  is_sensitive boolean not null default false,
  shard smallint,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint chats_channel_handle unique (tenant_id, channel_id, handle_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (handle_id, tenant_id) references handles (id, tenant_id) on delete cascade,
  -- Deleting a user or a team unassigns their chats.
  foreign key (assigned_user_id, tenant_id) references users (id, tenant_id) on delete set null (assigned_user_id),
  foreign key (assigned_team_id, tenant_id) references teams (id, tenant_id) on delete set null (assigned_team_id)
);
create index chats_due on chats (shard, channel_id, due_at, id) where due_at is not null;
create index chats_by_contact on chats (contact_id);
create index chats_by_handle on chats (handle_id);
-- The inbox: a tenant's chats by age or by activity, of any status or of one; those of a channel, a user or a team by
-- activity. Every change of a chat moves updated_at, so every message writes to each of these indexes.
create index chats_by_tenant on chats (tenant_id, created_at, id);
create index chats_by_activity on chats (tenant_id, updated_at, id);
create index chats_by_status on chats (tenant_id, status, updated_at, id);
create index chats_by_channel on chats (channel_id, updated_at, id);
create index chats_by_assigned_user on chats (assigned_user_id, updated_at, id) where assigned_user_id is not null;
create index chats_by_assigned_team on chats (assigned_team_id, updated_at, id) where assigned_team_id is not null;


-- == Messages =========================================================================================================

-- Queue: messages to send. Ordering key: the channel. `sending_at` is committed before the vendor is called, and due_at
-- stays set: a process that finds such a row after a crash asks for the outcome and does not send the message again.
create table messages (
  id uuid not null,
  tenant_id uuid not null,
  chat_id uuid not null,
  channel_id uuid not null,
  contact_id uuid not null,
  sender text not null check (sender in ('inbound', 'outbound', 'system')),
  author text not null check (author in ('contact', 'user', 'automation', 'campaign', 'api')),
  -- Written by a program, such as an out-of-office reply: nothing may answer it automatically.
  is_automatic boolean not null default false,
  type text not null,
  text text,
  media jsonb not null,
  content jsonb not null,
  status text not null check (status in ('queued', 'sent', 'delivered', 'read', 'failed')),
  error jsonb,
  vendor_id text,
  reply_to_message_id uuid,
  -- The automation run that sent it, and the number of the step in its trace: a step batch that is repeated after a
  -- crash sends nothing twice.
  run_id uuid,
  run_step integer,
  campaign_id uuid,
  scheduled_at timestamptz,
  timestamp timestamptz not null,
  edited_at timestamptz,
  deleted_at timestamptz,
  shard smallint,
  due_at timestamptz,
  -- The due_at of a message whose campaign is paused. It is due at that time again when the campaign is resumed.
  held_due_at timestamptz,
  attempts integer not null default 0,
  sending_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete cascade
);
create index messages_due on messages (shard, channel_id, due_at, id) where due_at is not null;
-- The queued messages of one chat: they go out one after another, and one that waits holds back those behind it. The
-- condition says the same as that of messages_due in other words, so that a query by chat can only use this index. While
-- next to nothing is queued the planner finds both equally cheap, and keeps its choice when much is (900 rows read
-- instead of one).
create index messages_waiting on messages (chat_id, id) where coalesce(due_at, 'infinity') < 'infinity';
-- Messages are searched by tenant, chat, contact and channel, the newest first. In batches of 20, each of these indexes
-- adds about 150 bytes of WAL to the 710 of a message. A trigram index over texts would add 23,000 and make inserts four
-- times slower, so a search by a part of a text reads the tenant's messages, the newest first. No index has status or
-- updated_at, so that a change of these writes to no index.
create index messages_by_tenant on messages (tenant_id, created_at, id);
create index messages_by_chat on messages (tenant_id, chat_id, created_at, id);
create index messages_by_contact on messages (tenant_id, contact_id, created_at, id);
create index messages_by_channel on messages (tenant_id, channel_id, created_at, id);
create unique index messages_of_run on messages (run_id, run_step) where run_id is not null;
create index messages_of_campaign on messages (campaign_id, contact_id) where campaign_id is not null;

-- One row for each message that a vendor knows, whichever arrives first: the message, its status, or an echo.
create table vendor_messages (
  channel_id uuid not null,
  vendor_id text not null,
  tenant_id uuid not null,
  message_id uuid,
  status_rank smallint not null,
  -- The error of a status that came before its message.
  pending jsonb,
  created_at timestamptz not null,
  primary key (channel_id, vendor_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);

-- Queue: files of messages that are still to be fetched from the vendor. Ordering key: the channel.
create table media_fetches (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  message_id uuid not null,
  -- The position of the file in the message.
  number smallint not null,
  ref jsonb not null,
  error text,
  shard smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (message_id, tenant_id) references messages (id, tenant_id) on delete cascade
);
create index media_fetches_due on media_fetches (shard, channel_id, due_at, id) where due_at is not null;
create index media_fetches_by_message on media_fetches (message_id);


-- == Files ============================================================================================================

create table files (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  -- A file that came with a message is deleted with it, also when the chat or the contact is deleted.
  message_id uuid,
  filename text not null,
  mime_type text not null,
  size bigint not null,
  sha256 bytea not null,
  -- Made with the file: its public URL never changes, and asking for the URL writes nothing.
  public_token text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (message_id, tenant_id) references messages (id, tenant_id) on delete cascade
);
create unique index files_public_token on files (public_token);
create index files_by_tenant on files (tenant_id, created_at, id);
create index files_by_message on files (message_id) where message_id is not null;

-- Queue: bytes in the data folder that no file needs. Ordering key: the tenant, which may be deleted. An upload is listed
-- before its first byte is written, and removed from the list by the transaction that inserts its file: after a crash
-- there is either the file or the entry. A deleted file is listed by the transaction that deletes it.
create table file_removals (
  id uuid not null,
  tenant_id uuid not null,
  shard smallint not null,
  due_at timestamptz not null,
  created_at timestamptz not null,
  primary key (id, tenant_id)
);
create index file_removals_due on file_removals (shard, tenant_id, due_at, id);

-- A trigger, because files are also deleted by the cascade of their tenant or message. The shard of a tenant is computed
-- as in src/engine. created_at is used by metrics only.
create function list_removed_files() returns trigger language plpgsql as $$
begin
  insert into file_removals (id, tenant_id, shard, due_at, created_at)
  select id, tenant_id, ('x' || right(tenant_id::text, 2))::bit(8)::int % 64, '-infinity', now() from removed;
  return null;
end $$;
create trigger list_removed_files after delete on files
  referencing old table as removed for each statement execute function list_removed_files();


-- == Templates ========================================================================================================

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
  header json,
  body text not null,
  footer text,
  buttons json not null,
  -- Grows with every change. `submitted` is the revision that the vendor has.
  revision integer not null default 1,
  submitted integer,
  -- Why the vendor does not have the latest revision, as a sentence.
  problem text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint message_templates_name unique (tenant_id, channel_id, name, language),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade
);
create index message_templates_by_tenant on message_templates (tenant_id, created_at, id);
-- Vendors report their decisions by their own id.
create index message_templates_by_vendor on message_templates (channel_id, vendor_id) where vendor_id is not null;

-- Queue: changes of templates for vendors that review them. Ordering key: the channel, whose tasks are done one after
-- another, in order for each name and language.
create table template_tasks (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  -- The template to submit, in its revision of that time. Null: delete a template at the vendor that is deleted here.
  template_id uuid,
  name text not null,
  language text not null,
  -- The template to delete at the vendor, if its id is known.
  vendor_id text,
  shard smallint not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  foreign key (template_id, tenant_id) references message_templates (id, tenant_id) on delete cascade
);
create index template_tasks_due on template_tasks (shard, channel_id, due_at, id);
create index template_tasks_by_template on template_tasks (template_id) where template_id is not null;
create index template_tasks_by_channel on template_tasks (channel_id);


-- == Automations ======================================================================================================

-- Queue: automations that start on a schedule. Ordering key: the tenant. The columns about triggers repeat what stands in
-- the definitions of the versions: automations are searched by them.
create table automations (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  status text not null check (status in ('draft', 'active', 'inactive', 'archived')),
  active_version_id uuid,
  active_trigger_type text,
  active_channel_id uuid,
  latest_version_id uuid not null,
  latest_trigger_type text not null,
  latest_channel_id uuid,
  -- Occurrences are counted from here: the time of publishing.
  schedule_start timestamptz,
  -- The occurrence in progress, or the last one: its planned time and when it began.
  occurrence_at timestamptz,
  began_at timestamptz,
  -- How far its audience has been gathered: the contact that was read last.
  gathered_at timestamptz,
  gathered_id uuid,
  -- The next occurrence. Null while one is in progress, and after the last.
  next_at timestamptz,
  shard smallint,
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  check (status <> 'active' or active_version_id is not null),
  check ((active_version_id is null) = (active_trigger_type is null))
);
create index automations_due on automations (shard, tenant_id, due_at, id) where due_at is not null;
create index automations_by_tenant on automations (tenant_id, created_at, id);
create index automations_by_name on automations (tenant_id, name collate "C", id);
-- Automations that an event starts, by its type.
create index automations_by_trigger on automations (tenant_id, active_trigger_type, created_at, id)
  where status = 'active';
-- Search by status and trigger in the order of a page; and by a part of the name, a trigger or a channel, alone or combined.
create index automations_by_status on automations (tenant_id, status, latest_trigger_type, created_at, id);
create index automations_search on automations using gin (
  tenant_id, active_trigger_type, active_channel_id, latest_trigger_type, latest_channel_id, name gin_trgm_ops);

-- Never changed: a run stays on the version it started with.
create table automation_versions (
  id uuid not null,
  tenant_id uuid not null,
  automation_id uuid not null,
  number integer not null,
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  -- Automations and runs refer to this key, so that their version cannot be that of another automation.
  unique (id, automation_id, tenant_id),
  constraint automation_versions_number unique (automation_id, number),
  foreign key (automation_id, tenant_id) references automations (id, tenant_id) on delete cascade
);

alter table automations
  add foreign key (active_version_id, id, tenant_id) references automation_versions (id, automation_id, tenant_id),
  add foreign key (latest_version_id, id, tenant_id) references automation_versions (id, automation_id, tenant_id);
create index automations_by_active_version on automations (active_version_id);
create index automations_by_latest_version on automations (latest_version_id);

-- Queue: runs to start or to continue. Ordering key: the automation.
create table automation_runs (
  id uuid not null,
  tenant_id uuid not null,
  automation_id uuid not null,
  version_id uuid not null,
  contact_id uuid not null,
  chat_id uuid,
  -- What started the run: an occurrence of a campaign or of a schedule, an event, or otherwise a call of the API.
  campaign_id uuid,
  occurrence_at timestamptz,
  cause_event_id uuid,
  status text not null check (status in ('scheduled', 'running', 'waiting', 'completed', 'failed', 'cancelled')),
  -- The next step. Null before the first and after the last.
  step text,
  -- The variables of the run, and the results of its steps.
  state jsonb not null,
  -- Grows with every change. A reply, a time-out and a cancellation at the same time compare it, and one wins.
  revision integer not null default 0,
  waiting_reply boolean not null default false,
  error jsonb,
  scheduled_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  shard smallint not null,
  due_at timestamptz,
  -- The due_at of a run whose campaign is paused. It is due at that time again when the campaign is resumed.
  held_due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  -- automation_runs_of_campaign gives a contact one run per campaign and occurrence; with a null it would not.
  check (campaign_id is null or occurrence_at is not null),
  -- A run that has ended is never due again.
  check (due_at is null or status in ('scheduled', 'running', 'waiting')),
  -- Also deletes the runs of an automation: deleting it deletes its versions.
  foreign key (version_id, automation_id, tenant_id) references automation_versions (id, automation_id, tenant_id)
    on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete set null (chat_id)
);
create index automation_runs_due on automation_runs (shard, automation_id, due_at, id) where due_at is not null;
create index automation_runs_by_tenant on automation_runs (tenant_id, created_at, id);
create index automation_runs_by_automation on automation_runs (automation_id, created_at, id);
create index automation_runs_by_version on automation_runs (version_id);
create index automation_runs_by_contact on automation_runs (contact_id);
create index automation_runs_by_chat on automation_runs (chat_id) where chat_id is not null;
-- A reply in a chat finds the runs that wait for it.
create index automation_runs_waiting on automation_runs (chat_id) where waiting_reply;
-- Each cause starts one run, however often the statement is repeated.
create unique index automation_runs_of_campaign on automation_runs (campaign_id, occurrence_at, contact_id)
  where campaign_id is not null;
create unique index automation_runs_of_event on automation_runs (automation_id, cause_event_id)
  where cause_event_id is not null;
create unique index automation_runs_of_schedule on automation_runs (automation_id, occurrence_at, contact_id)
  where campaign_id is null and occurrence_at is not null;

-- One row for each step that a run went through. A loop goes through a step more than once.
create table run_trace (
  run_id uuid not null,
  tenant_id uuid not null,
  number integer not null,
  step text not null,
  type text not null,
  status text not null check (status in ('running', 'waiting', 'completed', 'failed')),
  detail jsonb not null,
  error jsonb,
  started_at timestamptz not null,
  ended_at timestamptz,
  primary key (run_id, number),
  foreign key (run_id, tenant_id) references automation_runs (id, tenant_id) on delete cascade
);


-- == Campaigns ========================================================================================================

-- Queue: campaigns that are scheduled or running. Ordering key: the tenant.
create table campaigns (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  channel_id uuid not null,
  -- These two have no foreign key: a campaign whose automation or template is deleted must fail visibly. It must not
  -- disappear or send something else.
  automation_id uuid not null,
  message_template_id uuid,
  name text not null,
  status text not null
    check (status in ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'failed')),
  -- Why the campaign failed, or why the server cancelled it.
  error jsonb,
  scheduled_at timestamptz,
  -- As the request had them, null if it had none.
  recurrence_rules json,
  is_reoccurring boolean not null,
  variables json,
  -- A filter over contacts, evaluated when an occurrence begins.
  audience text,
  started_at timestamptz,
  -- The occurrence in progress, or the last one: its planned time, when it began, and the version of its runs.
  occurrence_at timestamptz,
  began_at timestamptz,
  version_id uuid,
  -- How far its audience has been gathered: the contact that was read last, or infinity at the end.
  gathered_at timestamptz,
  gathered_id uuid,
  -- The next occurrence. Null while one is in progress, and after the last.
  next_at timestamptz,
  shard smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  check ((due_at is not null) = (status in ('scheduled', 'running')))
);
create index campaigns_due on campaigns (shard, tenant_id, due_at, id) where due_at is not null;
create index campaigns_by_tenant on campaigns (tenant_id, created_at, id);
create index campaigns_by_channel on campaigns (channel_id, created_at, id);

-- The contacts of a campaign, each once. The status of a recipient is read from its run and the run's first message, so
-- it is not stored here.
create table recipients (
  campaign_id uuid not null,
  contact_id uuid not null,
  tenant_id uuid not null,
  -- Given by a request, and so part of every occurrence. The others are part of those whose audience they were in.
  is_given boolean not null default true,
  -- The latest occurrence that the contact is part of, and its run in that occurrence.
  occurrence_at timestamptz not null default '-infinity',
  run_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (campaign_id, contact_id),
  foreign key (campaign_id, tenant_id) references campaigns (id, tenant_id) on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index recipients_by_age on recipients (campaign_id, created_at, contact_id);
create index recipients_by_contact on recipients (contact_id);
create index recipients_given on recipients (campaign_id, occurrence_at, contact_id) where is_given;
create index recipients_without_run on recipients (campaign_id, contact_id) where run_id is null;


-- == Events and webhooks ==============================================================================================

-- The sequencer numbers the events of a tenant. The row lock serializes its commits, so the order of the numbers is the
-- order of the commits.
create table tenant_counters (
  tenant_id uuid primary key references tenants (id) on delete cascade,
  sequence bigint not null
);

create sequence event_positions;

-- Events, deliveries and attempts are partitioned by week on their UUIDv7, so that retention is a DROP TABLE
-- (src/db/partitions.ts). The default partition takes rows of a week that has no partition. They have no foreign keys:
-- they are the tables with the most inserts, and each check would lock the tenant's row once more.
create table events (
  id uuid not null,
  tenant_id uuid not null,
  position bigint not null default nextval('event_positions'),
  -- Null until the event is numbered. An event is not visible before.
  sequence bigint,
  type text not null,
  channel_id uuid,
  contact_id uuid,
  chat_id uuid,
  -- The JSON text exactly as it is sent, the same on every retry.
  data text not null,
  -- What subscribers inside the server need beyond the data, such as the run that caused the event or the labels that
  -- were added. It is never sent.
  origin_run_id uuid,
  facts jsonb,
  shard smallint not null,
  created_at timestamptz not null,
  primary key (id, tenant_id)
) partition by range (id);
create table events_default partition of events default;
create index events_unsequenced on events (shard, tenant_id, position) where sequence is null;
-- A tenant's events by number for streams, and by time for searches and for a webhook that catches up. Both are partial:
-- an event enters them once, when it is numbered.
create index events_by_sequence on events (tenant_id, sequence) where sequence is not null;
create index events_by_tenant on events (tenant_id, created_at, id) where sequence is not null;
-- Erasing a contact erases its events and their deliveries.
create index events_by_contact on events (contact_id) where contact_id is not null;

create table webhooks (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  url text not null,
  status text not null check (status in ('active', 'inactive', 'disabled')),
  secret_encrypted bytea not null,
  -- During a rotation the old secret signs as well.
  old_secret_encrypted bytea,
  old_secret_until timestamptz,
  -- The first failure after the last success.
  failing_since timestamptz,
  api_version smallint not null,
  -- A subscription of API version 2 has one of its nine types: several event types of today, on channels of one kind.
  v2_type text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  check ((api_version = 2) = (v2_type is not null))
);
create index webhooks_by_tenant on webhooks (tenant_id, created_at, id);

-- The event types and channels that a webhook subscribes to.
create table webhook_events (
  webhook_id uuid not null,
  tenant_id uuid not null,
  number smallint not null,
  type_pattern text,
  channel_ids uuid[],
  primary key (webhook_id, number),
  foreign key (webhook_id, tenant_id) references webhooks (id, tenant_id) on delete cascade
);

-- Queue: events to send to webhooks. Ordering key: the webhook.
create table deliveries (
  id uuid not null,
  tenant_id uuid not null,
  webhook_id uuid not null,
  event_id uuid not null,
  event_type text not null,
  sequence bigint not null,
  status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
  shard smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  -- Attempts before the last replay: a delivery that is replayed gets the whole retry schedule again.
  earlier_attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
) partition by range (id);
create table deliveries_default partition of deliveries default;
create index deliveries_due on deliveries (shard, webhook_id, due_at, sequence) where due_at is not null;
create index deliveries_by_webhook on deliveries (webhook_id, created_at, id);
create index deliveries_by_event on deliveries (event_id);

create table attempts (
  delivery_id uuid not null,
  tenant_id uuid not null,
  number integer not null,
  -- Where the request went. The webhook may have another URL by now.
  url text,
  started_at timestamptz not null,
  timings jsonb not null,
  response_status integer,
  response_headers jsonb,
  response_body text,
  error text,
  primary key (delivery_id, number)
) partition by range (delivery_id);
create table attempts_default partition of attempts default;


-- == Engine ===========================================================================================================

create table workers (
  id uuid primary key,
  seen_at timestamptz not null
);

-- Each shard has one owner at a time, which works on the due rows of that shard in all queues. Shard -1 has the rows of
-- test tenants.
create table shards (
  shard smallint primary key,
  owner uuid,
  lease_until timestamptz
);
insert into shards (shard) select generate_series(-1, 63);

-- After VACUUM or ANALYZE of a table, every connection plans its statements on that table again, and all requests wait
-- for that. By default, autovacuum visits a table of few rows after 50 changes: one that changes all day would be visited
-- every minute. Here it takes 10,000 changes. The weekly partitions get the same (src/db/partitions.ts).
do $$
declare
  busy_table text;
begin
  foreach busy_table in array array['shards', 'workers', 'rate_windows', 'idempotency_keys', 'tenant_counters',
    'inbound', 'chats', 'messages', 'vendor_messages', 'automation_runs', 'run_trace', 'recipients', 'events_default',
    'deliveries_default', 'attempts_default'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 10000,
      autovacuum_vacuum_insert_threshold = 10000, autovacuum_analyze_threshold = 10000)', busy_table);
  end loop;
end $$;
