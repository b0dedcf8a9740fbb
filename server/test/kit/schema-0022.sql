-- A database as Parley 3.0.0-alpha.1 left it: the schema of the migrations 0001 to 0022, with the partitions of one week.
-- Written once by scripts/read-schema.ts from a database that those migrations built. It never changes.

CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;

CREATE SEQUENCE event_positions AS bigint INCREMENT 1 MINVALUE 1 MAXVALUE 9223372036854775807 START 1 CACHE 1 NO CYCLE;

CREATE OR REPLACE FUNCTION list_removed_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into file_removals (id, tenant_id, slot, due_at, created_at)
  select id, tenant_id, ('x' || right(tenant_id::text, 2))::bit(8)::int % 64, '-infinity', now() from removed;
  return null;
end $function$;

CREATE TABLE attempts (
  delivery_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  number integer NOT NULL,
  started_at timestamptz NOT NULL,
  timings jsonb NOT NULL,
  response_status integer,
  response_headers jsonb,
  response_body text,
  error text,
  url text,
  CONSTRAINT attempts_pkey PRIMARY KEY (delivery_id, number)
) PARTITION BY RANGE (delivery_id);
CREATE TABLE attempts_20261116 PARTITION OF attempts FOR VALUES FROM ('01a1e1a7-4c00-7000-8000-000000000000') TO ('01a205b3-d000-7000-8000-000000000000')
WITH (autovacuum_analyze_threshold=100000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
ALTER TABLE attempts_20261116 ALTER COLUMN timings SET STATISTICS 0;
ALTER TABLE attempts_20261116 ALTER COLUMN response_headers SET STATISTICS 0;
ALTER TABLE attempts_20261116 ALTER COLUMN response_body SET STATISTICS 0;
ALTER TABLE attempts_20261116 ALTER COLUMN error SET STATISTICS 0;
ALTER TABLE attempts_20261116 ALTER COLUMN url SET STATISTICS 0;
CREATE TABLE attempts_default PARTITION OF attempts DEFAULT
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE attributes (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  external_id text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  description text,
  options text[] DEFAULT '{}'::text[] NOT NULL,
  is_visible_quick_edit boolean DEFAULT false NOT NULL,
  is_visible_contacts_table boolean DEFAULT false NOT NULL,
  is_visible_contact_create boolean DEFAULT false NOT NULL,
  CONSTRAINT attributes_external_id UNIQUE (tenant_id, external_id),
  CONSTRAINT attributes_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT attributes_type_check CHECK (type = ANY (ARRAY['text'::text, 'number'::text, 'boolean'::text, 'date'::text, 'datetime'::text, 'url'::text, 'select'::text]))
);
CREATE INDEX attributes_by_tenant ON attributes (tenant_id, created_at, id);

CREATE TABLE automation_runs (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  automation_id uuid NOT NULL,
  version_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  chat_id uuid,
  campaign_id uuid,
  occurrence_at timestamptz,
  cause_event_id uuid,
  status text NOT NULL,
  step text,
  state jsonb NOT NULL,
  revision integer DEFAULT 0 NOT NULL,
  waiting_reply boolean DEFAULT false NOT NULL,
  error jsonb,
  scheduled_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  held_due_at timestamptz,
  CONSTRAINT automation_runs_check CHECK (campaign_id IS NULL OR occurrence_at IS NOT NULL),
  CONSTRAINT automation_runs_check1 CHECK (due_at IS NULL OR (status = ANY (ARRAY['scheduled'::text, 'running'::text, 'waiting'::text]))),
  CONSTRAINT automation_runs_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT automation_runs_status_check CHECK (status = ANY (ARRAY['scheduled'::text, 'running'::text, 'waiting'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX automation_runs_by_automation ON automation_runs (automation_id, created_at, id);
CREATE INDEX automation_runs_by_chat ON automation_runs (chat_id) WHERE chat_id IS NOT NULL;
CREATE INDEX automation_runs_by_contact ON automation_runs (contact_id);
CREATE INDEX automation_runs_by_tenant ON automation_runs (tenant_id, created_at, id);
CREATE INDEX automation_runs_by_version ON automation_runs (version_id);
CREATE INDEX automation_runs_due ON automation_runs (slot, automation_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX automation_runs_of_campaign ON automation_runs (campaign_id, occurrence_at, contact_id) WHERE campaign_id IS NOT NULL;
CREATE UNIQUE INDEX automation_runs_of_event ON automation_runs (automation_id, cause_event_id) WHERE cause_event_id IS NOT NULL;
CREATE UNIQUE INDEX automation_runs_of_schedule ON automation_runs (automation_id, occurrence_at, contact_id) WHERE campaign_id IS NULL AND occurrence_at IS NOT NULL;
CREATE INDEX automation_runs_waiting ON automation_runs (chat_id) WHERE waiting_reply;

CREATE TABLE automation_versions (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  automation_id uuid NOT NULL,
  number integer NOT NULL,
  definition jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT automation_versions_id_automation_id_tenant_id_key UNIQUE (id, automation_id, tenant_id),
  CONSTRAINT automation_versions_number UNIQUE (automation_id, number),
  CONSTRAINT automation_versions_pkey PRIMARY KEY (id, tenant_id)
);

CREATE TABLE automations (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  active_version_id uuid,
  active_trigger_type text,
  active_channel_id uuid,
  latest_version_id uuid NOT NULL,
  latest_trigger_type text NOT NULL,
  latest_channel_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  schedule_start timestamptz,
  next_at timestamptz,
  occurrence_at timestamptz,
  began_at timestamptz,
  gathered_at timestamptz,
  gathered_id uuid,
  slot smallint,
  due_at timestamptz,
  CONSTRAINT automations_check CHECK (status <> 'active'::text OR active_version_id IS NOT NULL),
  CONSTRAINT automations_check1 CHECK ((active_version_id IS NULL) = (active_trigger_type IS NULL)),
  CONSTRAINT automations_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT automations_status_check CHECK (status = ANY (ARRAY['draft'::text, 'active'::text, 'inactive'::text, 'archived'::text]))
);
CREATE INDEX automations_by_active_version ON automations (active_version_id);
CREATE INDEX automations_by_latest_version ON automations (latest_version_id);
CREATE INDEX automations_by_name ON automations (tenant_id, name COLLATE "C", id);
CREATE INDEX automations_by_status ON automations (tenant_id, status, latest_trigger_type, created_at, id);
CREATE INDEX automations_by_tenant ON automations (tenant_id, created_at, id);
CREATE INDEX automations_by_trigger ON automations (tenant_id, active_trigger_type, created_at, id) WHERE status = 'active'::text;
CREATE INDEX automations_due ON automations (slot, tenant_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX automations_search ON automations USING gin (tenant_id, active_trigger_type, active_channel_id, latest_trigger_type, latest_channel_id, name gin_trgm_ops);

CREATE TABLE campaigns (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  automation_id uuid NOT NULL,
  message_template_id uuid,
  name text NOT NULL,
  status text NOT NULL,
  scheduled_at timestamptz,
  recurrence_rules json,
  is_reoccurring boolean NOT NULL,
  variables json,
  audience text,
  started_at timestamptz,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  occurrence_at timestamptz,
  began_at timestamptz,
  version_id uuid,
  gathered_at timestamptz,
  gathered_id uuid,
  next_at timestamptz,
  error jsonb,
  CONSTRAINT campaigns_check CHECK ((due_at IS NOT NULL) = (status = ANY (ARRAY['scheduled'::text, 'running'::text]))),
  CONSTRAINT campaigns_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT campaigns_status_check CHECK (status = ANY (ARRAY['draft'::text, 'scheduled'::text, 'running'::text, 'paused'::text, 'completed'::text, 'cancelled'::text, 'failed'::text]))
);
CREATE INDEX campaigns_by_channel ON campaigns (channel_id, created_at, id);
CREATE INDEX campaigns_by_tenant ON campaigns (tenant_id, created_at, id);
CREATE INDEX campaigns_due ON campaigns (slot, tenant_id, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE channels (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  kind text NOT NULL,
  provider text NOT NULL,
  name text NOT NULL,
  address text NOT NULL,
  vendor_key text,
  config_encrypted bytea NOT NULL,
  health text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  verify_hash bytea,
  account_key text,
  problem text,
  CONSTRAINT channels_id_key UNIQUE (id),
  CONSTRAINT channels_kind_check CHECK (kind = ANY (ARRAY['whatsapp'::text, 'sms'::text, 'email'::text, 'instagram'::text])),
  CONSTRAINT channels_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT channels_provider_vendor_key_key UNIQUE (provider, vendor_key)
);
CREATE INDEX channels_by_account_key ON channels (provider, account_key) WHERE account_key IS NOT NULL;
CREATE INDEX channels_by_tenant ON channels (tenant_id, created_at, id);
CREATE INDEX channels_by_verify_hash ON channels (provider, verify_hash) WHERE verify_hash IS NOT NULL;

CREATE TABLE chats (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  handle_id uuid NOT NULL,
  status text NOT NULL,
  unread_count integer DEFAULT 0 NOT NULL,
  marked_unread boolean DEFAULT false NOT NULL,
  read_at timestamptz,
  latest_message_id uuid,
  latest_message_at timestamptz,
  open_until timestamptz,
  assigned_user_id uuid,
  assigned_team_id uuid,
  is_sensitive boolean DEFAULT false NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  snoozed_until timestamptz,
  slot smallint,
  due_at timestamptz,
  CONSTRAINT chats_channel_handle UNIQUE (tenant_id, channel_id, handle_id),
  CONSTRAINT chats_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT chats_status_check CHECK (status = ANY (ARRAY['open'::text, 'snoozed'::text, 'closed'::text]))
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX chats_by_activity ON chats (tenant_id, updated_at, id);
CREATE INDEX chats_by_assigned_team ON chats (assigned_team_id, updated_at, id) WHERE assigned_team_id IS NOT NULL;
CREATE INDEX chats_by_assigned_user ON chats (assigned_user_id, updated_at, id) WHERE assigned_user_id IS NOT NULL;
CREATE INDEX chats_by_channel ON chats (channel_id, updated_at, id);
CREATE INDEX chats_by_contact ON chats (contact_id);
CREATE INDEX chats_by_handle ON chats (handle_id);
CREATE INDEX chats_by_status ON chats (tenant_id, status, updated_at, id);
CREATE INDEX chats_by_tenant ON chats (tenant_id, created_at, id);
CREATE INDEX chats_due ON chats (slot, channel_id, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE contact_attributes (
  contact_id uuid NOT NULL,
  attribute_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  value text NOT NULL,
  updated_at timestamptz NOT NULL,
  number double precision,
  time timestamptz,
  head text COLLATE "C" GENERATED ALWAYS AS ("left"(value, 200)) STORED,
  CONSTRAINT contact_attributes_pkey PRIMARY KEY (contact_id, attribute_id)
);
CREATE INDEX contact_attributes_by_number ON contact_attributes (attribute_id, number, contact_id) WHERE number IS NOT NULL;
CREATE INDEX contact_attributes_by_text ON contact_attributes (attribute_id, head, contact_id);
CREATE INDEX contact_attributes_by_time ON contact_attributes (attribute_id, "time", contact_id) WHERE "time" IS NOT NULL;
CREATE INDEX contact_attributes_search ON contact_attributes USING gin (attribute_id, value gin_trgm_ops) WHERE number IS NULL AND "time" IS NULL;

CREATE TABLE contact_labels (
  contact_id uuid NOT NULL,
  label_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT contact_labels_pkey PRIMARY KEY (contact_id, label_id)
);
CREATE INDEX contact_labels_by_label ON contact_labels (label_id, contact_id);

CREATE TABLE contacts (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  first_name text,
  last_name text,
  is_subscribed boolean NOT NULL,
  metadata jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  search_text text DEFAULT ''::text NOT NULL,
  CONSTRAINT contacts_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX contacts_by_tenant ON contacts (tenant_id, created_at, id);
CREATE INDEX contacts_search ON contacts USING gin (tenant_id, search_text gin_trgm_ops);
CREATE INDEX contacts_unsubscribed ON contacts (tenant_id, created_at, id) WHERE NOT is_subscribed;

CREATE TABLE deliveries (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  sequence bigint NOT NULL,
  status text NOT NULL,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  earlier_attempts integer DEFAULT 0 NOT NULL,
  CONSTRAINT deliveries_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text]))
) PARTITION BY RANGE (id);
CREATE INDEX deliveries_by_event ON deliveries (event_id);
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, created_at, id);
CREATE INDEX deliveries_due ON deliveries (slot, webhook_id, due_at, sequence) WHERE due_at IS NOT NULL;
CREATE TABLE deliveries_20261116 PARTITION OF deliveries FOR VALUES FROM ('01a1e1a7-4c00-7000-8000-000000000000') TO ('01a205b3-d000-7000-8000-000000000000')
WITH (autovacuum_analyze_threshold=100000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE TABLE deliveries_default PARTITION OF deliveries DEFAULT
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE events (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  position bigint DEFAULT nextval('event_positions'::regclass) NOT NULL,
  type text NOT NULL,
  channel_id uuid,
  contact_id uuid,
  chat_id uuid,
  data text NOT NULL,
  slot smallint NOT NULL,
  sequence bigint,
  created_at timestamptz NOT NULL,
  origin_run_id uuid,
  facts jsonb,
  CONSTRAINT events_pkey PRIMARY KEY (id, tenant_id)
) PARTITION BY RANGE (id);
CREATE INDEX events_by_contact ON events (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX events_by_sequence ON events (tenant_id, sequence) WHERE sequence IS NOT NULL;
CREATE INDEX events_by_tenant ON events (tenant_id, created_at, id) WHERE sequence IS NOT NULL;
CREATE INDEX events_unsequenced ON events (slot, tenant_id, "position") WHERE sequence IS NULL;
CREATE TABLE events_20261116 PARTITION OF events FOR VALUES FROM ('01a1e1a7-4c00-7000-8000-000000000000') TO ('01a205b3-d000-7000-8000-000000000000')
WITH (autovacuum_analyze_threshold=100000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
ALTER TABLE events_20261116 ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE events_20261116 ALTER COLUMN facts SET STATISTICS 0;
CREATE TABLE events_default PARTITION OF events DEFAULT
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE file_removals (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  slot smallint NOT NULL,
  due_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT file_removals_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX file_removals_due ON file_removals (slot, tenant_id, due_at, id);

CREATE TABLE files (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  filename text NOT NULL,
  mime_type text NOT NULL,
  size bigint NOT NULL,
  sha256 bytea NOT NULL,
  public_token text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  message_id uuid,
  CONSTRAINT files_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX files_by_message ON files (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX files_by_tenant ON files (tenant_id, created_at, id);
CREATE UNIQUE INDEX files_public_token ON files (public_token);
CREATE TRIGGER list_removed_files AFTER DELETE ON files REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION list_removed_files();

CREATE TABLE handles (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  type text NOT NULL,
  value text NOT NULL,
  is_primary boolean NOT NULL,
  extra jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  opted_out_at timestamptz,
  CONSTRAINT handles_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT handles_type_check CHECK (type = ANY (ARRAY['phone_number'::text, 'email'::text, 'instagram_id'::text, 'whatsapp_id'::text])),
  CONSTRAINT handles_value UNIQUE (tenant_id, type, value)
);
CREATE INDEX handles_by_contact ON handles (contact_id);
CREATE UNIQUE INDEX handles_primary ON handles (contact_id, type) WHERE is_primary;

CREATE TABLE idempotency_keys (
  key_hash bytea NOT NULL,
  tenant_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  answer_encrypted bytea,
  created_at timestamptz NOT NULL,
  mentions bigint[] DEFAULT '{}'::bigint[] NOT NULL,
  reservation uuid,
  reserved_until timestamptz,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (key_hash, tenant_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_mention ON idempotency_keys USING gin (mentions);

CREATE TABLE inbound (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  headers jsonb NOT NULL,
  body bytea NOT NULL,
  error text,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  url text DEFAULT ''::text NOT NULL,
  CONSTRAINT inbound_pkey PRIMARY KEY (id, tenant_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX inbound_by_channel ON inbound (channel_id, id);
CREATE INDEX inbound_due ON inbound (slot, channel_id, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE installation (
  is_the_only_one boolean DEFAULT true NOT NULL,
  key_check bytea NOT NULL,
  demo_tenant_id uuid,
  demo_filled_at timestamptz,
  demo_replied_at timestamptz,
  CONSTRAINT installation_is_the_only_one_check CHECK (is_the_only_one),
  CONSTRAINT installation_pkey PRIMARY KEY (is_the_only_one)
);

CREATE TABLE labels (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  color text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT labels_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX labels_by_tenant ON labels (tenant_id, created_at, id);
CREATE UNIQUE INDEX labels_name ON labels (tenant_id, lower(name));

CREATE TABLE mailboxes (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  uid_validity bigint,
  uid bigint,
  error text,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT mailboxes_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX mailboxes_due ON mailboxes (slot, id, due_at) WHERE due_at IS NOT NULL;

CREATE TABLE media_fetches (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  message_id uuid NOT NULL,
  number smallint NOT NULL,
  ref jsonb NOT NULL,
  error text,
  slot smallint NOT NULL,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT media_fetches_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX media_fetches_by_message ON media_fetches (message_id);
CREATE INDEX media_fetches_due ON media_fetches (slot, channel_id, due_at, id) WHERE due_at IS NOT NULL;

CREATE TABLE message_templates (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  name text NOT NULL,
  language text NOT NULL,
  category text NOT NULL,
  status text NOT NULL,
  rejection_reason text,
  vendor_id text,
  body text NOT NULL,
  header json,
  footer text,
  buttons json NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revision integer DEFAULT 1 NOT NULL,
  submitted integer,
  problem text,
  CONSTRAINT message_templates_category_check CHECK (category = ANY (ARRAY['marketing'::text, 'utility'::text, 'authentication'::text])),
  CONSTRAINT message_templates_name UNIQUE (tenant_id, channel_id, name, language),
  CONSTRAINT message_templates_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT message_templates_status_check CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'paused'::text, 'disabled'::text]))
);
CREATE INDEX message_templates_by_tenant ON message_templates (tenant_id, created_at, id);
CREATE INDEX message_templates_by_vendor ON message_templates (channel_id, vendor_id) WHERE vendor_id IS NOT NULL;

CREATE TABLE messages (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  chat_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  sender text NOT NULL,
  author text NOT NULL,
  type text NOT NULL,
  text text,
  media jsonb NOT NULL,
  content jsonb NOT NULL,
  status text NOT NULL,
  error jsonb,
  vendor_id text,
  reply_to_message_id uuid,
  timestamp timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  slot smallint,
  due_at timestamptz,
  attempts integer DEFAULT 0 NOT NULL,
  sending_at timestamptz,
  scheduled_at timestamptz,
  edited_at timestamptz,
  deleted_at timestamptz,
  is_automatic boolean DEFAULT false NOT NULL,
  run_id uuid,
  run_step integer,
  campaign_id uuid,
  held_due_at timestamptz,
  CONSTRAINT messages_author_check CHECK (author = ANY (ARRAY['contact'::text, 'user'::text, 'automation'::text, 'campaign'::text, 'api'::text])),
  CONSTRAINT messages_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT messages_sender_check CHECK (sender = ANY (ARRAY['inbound'::text, 'outbound'::text, 'system'::text])),
  CONSTRAINT messages_status_check CHECK (status = ANY (ARRAY['queued'::text, 'sent'::text, 'delivered'::text, 'read'::text, 'failed'::text]))
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX messages_by_channel ON messages (tenant_id, channel_id, created_at, id);
CREATE INDEX messages_by_chat ON messages (tenant_id, chat_id, created_at, id);
CREATE INDEX messages_by_contact ON messages (tenant_id, contact_id, created_at, id);
CREATE INDEX messages_by_tenant ON messages (tenant_id, created_at, id);
CREATE INDEX messages_due ON messages (slot, channel_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX messages_of_campaign ON messages (campaign_id, contact_id) WHERE campaign_id IS NOT NULL;
CREATE UNIQUE INDEX messages_of_run ON messages (run_id, run_step) WHERE run_id IS NOT NULL;
CREATE INDEX messages_waiting ON messages (chat_id, id) WHERE COALESCE(due_at, 'infinity'::timestamp with time zone) < 'infinity'::timestamp with time zone;

CREATE TABLE migrations (
  name text NOT NULL,
  applied_at timestamptz DEFAULT now() NOT NULL,
  CONSTRAINT migrations_pkey PRIMARY KEY (name)
);

CREATE UNLOGGED TABLE rate_windows (
  tenant_id uuid NOT NULL,
  minute bigint NOT NULL,
  used bigint NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (tenant_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE recipients (
  campaign_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  is_given boolean DEFAULT true NOT NULL,
  occurrence_at timestamptz DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  run_id uuid,
  CONSTRAINT recipients_pkey PRIMARY KEY (campaign_id, contact_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);
CREATE INDEX recipients_by_age ON recipients (campaign_id, created_at, contact_id);
CREATE INDEX recipients_by_contact ON recipients (contact_id);
CREATE INDEX recipients_given ON recipients (campaign_id, occurrence_at, contact_id) WHERE is_given;
CREATE INDEX recipients_without_run ON recipients (campaign_id, contact_id) WHERE run_id IS NULL;

CREATE TABLE run_trace (
  run_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  number integer NOT NULL,
  step text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  detail jsonb NOT NULL,
  error jsonb,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  CONSTRAINT run_trace_pkey PRIMARY KEY (run_id, number),
  CONSTRAINT run_trace_status_check CHECK (status = ANY (ARRAY['running'::text, 'waiting'::text, 'completed'::text, 'failed'::text]))
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE sandbox_outbox (
  message_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  vendor_id text NOT NULL,
  recipient text NOT NULL,
  type text NOT NULL,
  text text,
  content jsonb NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT sandbox_outbox_pkey PRIMARY KEY (message_id, tenant_id)
);
CREATE INDEX sandbox_outbox_by_channel ON sandbox_outbox (channel_id, at, message_id);

CREATE TABLE slots (
  slot smallint NOT NULL,
  owner uuid,
  lease_until timestamptz,
  CONSTRAINT slots_pkey PRIMARY KEY (slot)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE team_members (
  team_id uuid NOT NULL,
  user_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT team_members_pkey PRIMARY KEY (team_id, user_id)
);
CREATE INDEX team_members_by_user ON team_members (user_id);

CREATE TABLE teams (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT teams_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX teams_by_tenant ON teams (tenant_id, created_at, id);
CREATE UNIQUE INDEX teams_name ON teams (tenant_id, lower(name));

CREATE TABLE template_tasks (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  template_id uuid,
  name text NOT NULL,
  language text NOT NULL,
  vendor_id text,
  slot smallint NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT template_tasks_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX template_tasks_by_channel ON template_tasks (channel_id);
CREATE INDEX template_tasks_by_template ON template_tasks (template_id) WHERE template_id IS NOT NULL;
CREATE INDEX template_tasks_due ON template_tasks (slot, channel_id, due_at, id);

CREATE TABLE tenant_counters (
  tenant_id uuid NOT NULL,
  sequence bigint NOT NULL,
  CONSTRAINT tenant_counters_pkey PRIMARY KEY (tenant_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE tenants (
  id uuid NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  rate_override integer,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  clock timestamptz,
  clock_target timestamptz,
  CONSTRAINT tenants_clock CHECK ((clock IS NOT NULL) = (substr(id::text, 15, 1) = '8'::text)),
  CONSTRAINT tenants_clock_target CHECK (clock_target IS NULL OR clock_target >= clock),
  CONSTRAINT tenants_pkey PRIMARY KEY (id),
  CONSTRAINT tenants_plan_check CHECK (plan = ANY (ARRAY['free'::text, 'growth'::text, 'scale'::text])),
  CONSTRAINT tenants_rate_override_check CHECK (rate_override >= 1 AND rate_override <= 1000000000)
);
CREATE INDEX tenants_with_clock ON tenants (id) WHERE clock IS NOT NULL;

CREATE TABLE tokens (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT tokens_pkey PRIMARY KEY (id, tenant_id)
);
CREATE INDEX tokens_by_tenant ON tokens (tenant_id, created_at, id);

CREATE TABLE users (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT users_role_check CHECK (role = ANY (ARRAY['admin'::text, 'agent'::text]))
);
CREATE INDEX users_by_tenant ON users (tenant_id, created_at, id);
CREATE UNIQUE INDEX users_email ON users (tenant_id, lower(email));

CREATE TABLE v2_usage (
  tenant_id uuid NOT NULL,
  token_id uuid NOT NULL,
  operation text NOT NULL,
  calls bigint NOT NULL,
  last_called_at timestamptz NOT NULL,
  CONSTRAINT v2_usage_pkey PRIMARY KEY (tenant_id, token_id, operation)
);

CREATE TABLE vendor_messages (
  channel_id uuid NOT NULL,
  vendor_id text NOT NULL,
  tenant_id uuid NOT NULL,
  message_id uuid,
  status_rank smallint NOT NULL,
  created_at timestamptz NOT NULL,
  parked jsonb,
  CONSTRAINT vendor_messages_pkey PRIMARY KEY (channel_id, vendor_id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

CREATE TABLE webhook_events (
  webhook_id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  number smallint NOT NULL,
  type_pattern text,
  channel_ids uuid[],
  CONSTRAINT webhook_events_pkey PRIMARY KEY (webhook_id, number)
);

CREATE TABLE webhooks (
  id uuid NOT NULL,
  tenant_id uuid NOT NULL,
  url text NOT NULL,
  status text NOT NULL,
  secret_encrypted bytea NOT NULL,
  api_version smallint NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  v2_type text,
  old_secret_encrypted bytea,
  old_secret_until timestamptz,
  failing_since timestamptz,
  CONSTRAINT webhooks_check CHECK ((api_version = 2) = (v2_type IS NOT NULL)),
  CONSTRAINT webhooks_pkey PRIMARY KEY (id, tenant_id),
  CONSTRAINT webhooks_status_check CHECK (status = ANY (ARRAY['active'::text, 'inactive'::text, 'disabled'::text]))
);
CREATE INDEX webhooks_by_tenant ON webhooks (tenant_id, created_at, id);

CREATE TABLE workers (
  id uuid NOT NULL,
  seen_at timestamptz NOT NULL,
  CONSTRAINT workers_pkey PRIMARY KEY (id)
)
WITH (autovacuum_analyze_threshold=10000, autovacuum_vacuum_insert_threshold=10000, autovacuum_vacuum_threshold=10000);

ALTER TABLE attributes ADD CONSTRAINT attributes_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE automation_runs ADD CONSTRAINT automation_runs_chat_id_tenant_id_fkey FOREIGN KEY (chat_id, tenant_id) REFERENCES chats(id, tenant_id) ON DELETE SET NULL (chat_id);
ALTER TABLE automation_runs ADD CONSTRAINT automation_runs_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE automation_runs ADD CONSTRAINT automation_runs_version_id_automation_id_tenant_id_fkey FOREIGN KEY (version_id, automation_id, tenant_id) REFERENCES automation_versions(id, automation_id, tenant_id) ON DELETE CASCADE;
ALTER TABLE automation_versions ADD CONSTRAINT automation_versions_automation_id_tenant_id_fkey FOREIGN KEY (automation_id, tenant_id) REFERENCES automations(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE automations ADD CONSTRAINT automations_active_version_id_id_tenant_id_fkey FOREIGN KEY (active_version_id, id, tenant_id) REFERENCES automation_versions(id, automation_id, tenant_id);
ALTER TABLE automations ADD CONSTRAINT automations_latest_version_id_id_tenant_id_fkey FOREIGN KEY (latest_version_id, id, tenant_id) REFERENCES automation_versions(id, automation_id, tenant_id);
ALTER TABLE automations ADD CONSTRAINT automations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE campaigns ADD CONSTRAINT campaigns_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE campaigns ADD CONSTRAINT campaigns_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE channels ADD CONSTRAINT channels_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE chats ADD CONSTRAINT chats_assigned_team_id_tenant_id_fkey FOREIGN KEY (assigned_team_id, tenant_id) REFERENCES teams(id, tenant_id) ON DELETE SET NULL (assigned_team_id);
ALTER TABLE chats ADD CONSTRAINT chats_assigned_user_id_tenant_id_fkey FOREIGN KEY (assigned_user_id, tenant_id) REFERENCES users(id, tenant_id) ON DELETE SET NULL (assigned_user_id);
ALTER TABLE chats ADD CONSTRAINT chats_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE chats ADD CONSTRAINT chats_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE chats ADD CONSTRAINT chats_handle_id_tenant_id_fkey FOREIGN KEY (handle_id, tenant_id) REFERENCES handles(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE contact_attributes ADD CONSTRAINT contact_attributes_attribute_id_tenant_id_fkey FOREIGN KEY (attribute_id, tenant_id) REFERENCES attributes(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE contact_attributes ADD CONSTRAINT contact_attributes_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE contact_labels ADD CONSTRAINT contact_labels_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE contact_labels ADD CONSTRAINT contact_labels_label_id_tenant_id_fkey FOREIGN KEY (label_id, tenant_id) REFERENCES labels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE contacts ADD CONSTRAINT contacts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE files ADD CONSTRAINT files_message_id_tenant_id_fkey FOREIGN KEY (message_id, tenant_id) REFERENCES messages(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE files ADD CONSTRAINT files_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE handles ADD CONSTRAINT handles_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE inbound ADD CONSTRAINT inbound_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE installation ADD CONSTRAINT installation_demo_tenant_id_fkey FOREIGN KEY (demo_tenant_id) REFERENCES tenants(id) ON DELETE SET NULL;
ALTER TABLE labels ADD CONSTRAINT labels_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE mailboxes ADD CONSTRAINT mailboxes_id_tenant_id_fkey FOREIGN KEY (id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE media_fetches ADD CONSTRAINT media_fetches_message_id_tenant_id_fkey FOREIGN KEY (message_id, tenant_id) REFERENCES messages(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE message_templates ADD CONSTRAINT message_templates_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE messages ADD CONSTRAINT messages_chat_id_tenant_id_fkey FOREIGN KEY (chat_id, tenant_id) REFERENCES chats(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE recipients ADD CONSTRAINT recipients_campaign_id_tenant_id_fkey FOREIGN KEY (campaign_id, tenant_id) REFERENCES campaigns(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE recipients ADD CONSTRAINT recipients_contact_id_tenant_id_fkey FOREIGN KEY (contact_id, tenant_id) REFERENCES contacts(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE run_trace ADD CONSTRAINT run_trace_run_id_tenant_id_fkey FOREIGN KEY (run_id, tenant_id) REFERENCES automation_runs(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE sandbox_outbox ADD CONSTRAINT sandbox_outbox_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE team_members ADD CONSTRAINT team_members_team_id_tenant_id_fkey FOREIGN KEY (team_id, tenant_id) REFERENCES teams(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE team_members ADD CONSTRAINT team_members_user_id_tenant_id_fkey FOREIGN KEY (user_id, tenant_id) REFERENCES users(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE teams ADD CONSTRAINT teams_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE template_tasks ADD CONSTRAINT template_tasks_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE template_tasks ADD CONSTRAINT template_tasks_template_id_tenant_id_fkey FOREIGN KEY (template_id, tenant_id) REFERENCES message_templates(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE tenant_counters ADD CONSTRAINT tenant_counters_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE tokens ADD CONSTRAINT tokens_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE users ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE v2_usage ADD CONSTRAINT v2_usage_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;
ALTER TABLE vendor_messages ADD CONSTRAINT vendor_messages_channel_id_tenant_id_fkey FOREIGN KEY (channel_id, tenant_id) REFERENCES channels(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE webhook_events ADD CONSTRAINT webhook_events_webhook_id_tenant_id_fkey FOREIGN KEY (webhook_id, tenant_id) REFERENCES webhooks(id, tenant_id) ON DELETE CASCADE;
ALTER TABLE webhooks ADD CONSTRAINT webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE;

-- A sample of rows: one tenant and one test tenant, at least one row in every table, and a row in each partition.

insert into migrations (name) values
  ('0001_foundation.sql'), ('0002_people_and_labels.sql'), ('0003_chat_changes.sql'), ('0004_contacts.sql'),
  ('0005_files.sql'), ('0006_templates.sql'), ('0007_automations.sql'), ('0008_campaigns.sql'), ('0009_v2_usage.sql'),
  ('0010_webhooks.sql'), ('0011_stream.sql'), ('0013_conversations.sql'), ('0014_inbox.sql'), ('0015_templates.sql'),
  ('0016_runs.sql'), ('0017_campaigns.sql'), ('0018_demo_replies.sql'), ('0019_test_clock.sql'),
  ('0020_automations_search.sql'), ('0021_attributes_search.sql'), ('0022_autovacuum.sql');
insert into slots (slot, owner, lease_until)
  select n, '01a1e885-1c00-7000-8000-0000000000f1', '2026-11-18 09:00:15+00' from generate_series(-1, 63) n;
insert into workers values ('01a1e885-1c00-7000-8000-0000000000f1', '2026-11-18 09:00:00+00');

insert into tenants (id, name, plan, rate_override, clock, clock_target, created_at, updated_at) values
  ('01a1e885-1c00-7000-8000-000000000001', 'Shop', 'growth', 900, null, null, '2026-11-17 08:00+00', '2026-11-17 08:00+00'),
  ('01a1e885-1c00-8000-8000-000000000002', 'Tests', 'free', null, '2027-01-01 00:00+00', '2027-02-01 00:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into installation (key_check, demo_tenant_id, demo_filled_at, demo_replied_at) values
  ('\x6b6579', '01a1e885-1c00-7000-8000-000000000001', '2026-11-17 08:00:01+00', '2026-11-17 08:00:02+00');
insert into tokens values ('01a1e885-1c00-7000-8000-000000000011', '01a1e885-1c00-7000-8000-000000000001', 'CRM',
  '{contacts:read,chats:write}', '2027-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into rate_windows values ('01a1e885-1c00-7000-8000-000000000001', 29389500, 12);
insert into idempotency_keys (key_hash, tenant_id, request_hash, answer_encrypted, created_at, mentions, reservation, reserved_until) values
  ('\x01', '01a1e885-1c00-7000-8000-000000000001', '\x02', '\x03', '2026-11-17 08:00+00', '{123,-456}', null, null),
  ('\x04', '01a1e885-1c00-7000-8000-000000000001', '\x05', null, '2026-11-17 08:00+00', '{}', '01a1e885-1c00-7000-8000-0000000000f2', '2026-11-17 08:01+00');
insert into v2_usage values ('01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000011', 'GET /v2/attributes', 3, '2026-11-17 09:00+00');
insert into users values ('01a1e885-1c00-7000-8000-000000000021', '01a1e885-1c00-7000-8000-000000000001', 'Ada', 'ada@shop.example', 'admin', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into teams values ('01a1e885-1c00-7000-8000-000000000022', '01a1e885-1c00-7000-8000-000000000001', 'Support', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into team_members values ('01a1e885-1c00-7000-8000-000000000022', '01a1e885-1c00-7000-8000-000000000021', '01a1e885-1c00-7000-8000-000000000001', '2026-11-17 08:00+00');

insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at, search_text) values
  ('01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000001', 'Zoë', 'O''Brien', false, '{"crm": {"id": 7}}', '2026-11-17 08:00+00', '2026-11-17 08:00+00', E'Zoë O''Brien\n+4915112345678');
insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at, opted_out_at) values
  ('01a1e885-1c00-7000-8000-000000000032', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000031', 'phone_number', '+4915112345678', true, '{}', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 09:00+00');
insert into labels values ('01a1e885-1c00-7000-8000-000000000033', '01a1e885-1c00-7000-8000-000000000001', 'VIP', '#ff0000', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into contact_labels values ('01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000033', '01a1e885-1c00-7000-8000-000000000001', '2026-11-17 08:00+00');
insert into attributes (id, tenant_id, external_id, name, type, options, created_at, updated_at) values
  ('01a1e885-1c00-7000-8000-000000000034', '01a1e885-1c00-7000-8000-000000000001', 'tier', 'Tier', 'select', '{gold,silver}', '2026-11-17 08:00+00', '2026-11-17 08:00+00'),
  ('01a1e885-1c00-7000-8000-000000000035', '01a1e885-1c00-7000-8000-000000000001', 'age', 'Age', 'number', '{}', '2026-11-17 08:00+00', '2026-11-17 08:00+00');
insert into contact_attributes (contact_id, attribute_id, tenant_id, value, updated_at, number) values
  ('01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000034', '01a1e885-1c00-7000-8000-000000000001', 'gold', '2026-11-17 08:00+00', null),
  ('01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000035', '01a1e885-1c00-7000-8000-000000000001', '42', '2026-11-17 08:00+00', 42);

insert into channels (id, tenant_id, kind, provider, name, address, vendor_key, config_encrypted, health, created_at, updated_at, verify_hash, account_key, problem) values
  ('01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000001', 'whatsapp', 'whatsapp_cloud', 'Main', '+4930123456', '555', '\x06', 'failing', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '\x07', '777', 'The token has expired.'),
  ('01a1e885-1c00-7000-8000-000000000042', '01a1e885-1c00-7000-8000-000000000001', 'email', 'smtp', 'Mail', 'help@shop.example', null, '\x08', 'healthy', '2026-11-17 08:00+00', '2026-11-17 08:00+00', null, null, null);
insert into inbound (id, tenant_id, channel_id, headers, body, error, slot, due_at, attempts, created_at, url) values
  ('01a1e885-1c00-7000-8000-000000000043', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '{"a": "b"}', '\x7b7d', null, 1, '-infinity', 2, '2026-11-17 08:00+00', '/providers/x?y=1'),
  ('01a1e885-1c00-7000-8000-000000000044', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '{}', '\x00', 'no JSON', 1, null, 9, '2026-11-17 08:00+00', '');
insert into mailboxes (id, tenant_id, uid_validity, uid, error, slot, due_at, created_at) values
  ('01a1e885-1c00-7000-8000-000000000042', '01a1e885-1c00-7000-8000-000000000001', 9, 120, null, 2, '2026-11-17 08:05+00', '2026-11-17 08:00+00');
insert into sandbox_outbox values ('01a1e885-1c00-7000-8000-000000000061', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', 'wamid.1', '+4915112345678', 'text', 'Hello', '{}', '2026-11-17 08:00+00');

insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, unread_count, latest_message_id, latest_message_at, assigned_user_id, assigned_team_id, created_at, updated_at, snoozed_until, slot, due_at) values
  ('01a1e885-1c00-7000-8000-000000000051', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000032', 'snoozed', 2, '01a1e885-1c00-7000-8000-000000000061', '2026-11-17 08:00+00', '01a1e885-1c00-7000-8000-000000000021', '01a1e885-1c00-7000-8000-000000000022', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-12-01 08:00+00', 1, '2026-12-01 08:00+00');
insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content, status, error, vendor_id, timestamp, created_at, updated_at, slot, due_at, attempts, sending_at, run_id, run_step, campaign_id, held_due_at) values
  ('01a1e885-1c00-7000-8000-000000000061', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000051', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000031', 'outbound', 'automation', 'text', 'Hello', '[]', '{}', 'sent', null, 'wamid.1', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', null, null, 1, '2026-11-17 08:00+00', '01a1e885-1c00-7000-8000-000000000091', 1, null, null),
  ('01a1e885-1c00-7000-8000-000000000062', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000051', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000031', 'outbound', 'campaign', 'text', 'Sale', '[]', '{}', 'queued', null, null, '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', 1, '2026-11-19 08:00+00', 0, null, null, null, '01a1e885-1c00-7000-8000-0000000000a1', null),
  ('01a1e885-1c00-7000-8000-000000000063', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000051', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000031', 'inbound', 'contact', 'image', null, '[{"id": null}]', '{"caption": "x"}', 'delivered', null, 'wamid.2', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', null, null, 0, null, null, null, null, '2026-11-19 08:00+00');
insert into vendor_messages (channel_id, vendor_id, tenant_id, message_id, status_rank, created_at, parked) values
  ('01a1e885-1c00-7000-8000-000000000041', 'wamid.1', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000061', 1, '2026-11-17 08:00+00', null),
  ('01a1e885-1c00-7000-8000-000000000041', 'wamid.9', '01a1e885-1c00-7000-8000-000000000001', null, 4, '2026-11-17 08:00+00', '{"code": "131026"}');
insert into media_fetches (id, tenant_id, channel_id, message_id, number, ref, slot, due_at, created_at) values
  ('01a1e885-1c00-7000-8000-000000000064', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000063', 0, '{"id": "m1"}', 1, '-infinity', '2026-11-17 08:00+00');

insert into files (id, tenant_id, filename, mime_type, size, sha256, public_token, created_at, updated_at, message_id) values
  ('01a1e885-1c00-7000-8000-000000000071', '01a1e885-1c00-7000-8000-000000000001', 'a.png', 'image/png', 3, '\x0a', 'tok', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '01a1e885-1c00-7000-8000-000000000063');
insert into file_removals values ('01a1e885-1c00-7000-8000-000000000072', '01a1e885-1c00-7000-8000-000000000001', 1, '2026-11-18 08:00+00', '2026-11-17 08:00+00');

insert into message_templates (id, tenant_id, channel_id, name, language, category, status, vendor_id, body, header, buttons, created_at, updated_at, revision, submitted, problem) values
  ('01a1e885-1c00-7000-8000-000000000081', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', 'sale', 'en', 'marketing', 'pending', 'v1', 'Hi {{1}}', '{"type":  "text"}', '[ ]', '2026-11-17 08:00+00', '2026-11-17 08:00+00', 3, 2, 'The vendor is down.');
insert into template_tasks (id, tenant_id, channel_id, template_id, name, language, slot, due_at, created_at) values
  ('01a1e885-1c00-7000-8000-000000000082', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000081', 'sale', 'en', 1, '-infinity', '2026-11-17 08:00+00');

with made as (
  insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, created_at, updated_at) values
    ('01a1e885-1c00-7000-8000-000000000092', '01a1e885-1c00-7000-8000-000000000001', 'Daily', 'draft', '01a1e885-1c00-7000-8000-000000000093', 'schedule', '2026-11-17 08:00+00', '2026-11-17 08:00+00'))
insert into automation_versions values ('01a1e885-1c00-7000-8000-000000000093', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000092', 1, '{"steps": []}', '2026-11-17 08:00+00');
update automations set status = 'active', active_version_id = latest_version_id, active_trigger_type = 'schedule', slot = 1,
  schedule_start = '2026-11-17 08:00+00', next_at = '2026-11-18 08:00+00', due_at = '2026-11-18 08:00+00';
insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, chat_id, campaign_id, occurrence_at, cause_event_id, status, step, state, revision, waiting_reply, scheduled_at, started_at, slot, due_at, created_at, updated_at, held_due_at) values
  ('01a1e885-1c00-7000-8000-000000000091', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000092', '01a1e885-1c00-7000-8000-000000000093', '01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000051', null, null, '01a1e885-1c00-7000-8000-0000000000b1', 'waiting', 'ask', '{"variables": {"a": 1}}', 4, true, '2026-11-17 08:00+00', '2026-11-17 08:00+00', 18, '2026-11-20 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', null),
  ('01a1e885-1c00-7000-8000-000000000094', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000092', '01a1e885-1c00-7000-8000-000000000093', '01a1e885-1c00-7000-8000-000000000031', null, '01a1e885-1c00-7000-8000-0000000000a1', '2026-11-17 08:00+00', null, 'scheduled', null, '{}', 0, false, '2026-11-17 08:00+00', null, 18, null, '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-19 08:00+00');
insert into run_trace values ('01a1e885-1c00-7000-8000-000000000091', '01a1e885-1c00-7000-8000-000000000001', 1, 'ask', 'send_message', 'waiting', '{}', null, '2026-11-17 08:00+00', null);

insert into campaigns (id, tenant_id, channel_id, automation_id, message_template_id, name, status, recurrence_rules, is_reoccurring, variables, audience, slot, created_at, updated_at, occurrence_at, began_at, version_id, gathered_at) values
  ('01a1e885-1c00-7000-8000-0000000000a1', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000092', '01a1e885-1c00-7000-8000-000000000081', 'Sale', 'paused', '["FREQ=DAILY"]', true, '{"a":  1}', 'eq(isSubscribed,true)', 1, '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '2026-11-17 08:00+00', '01a1e885-1c00-7000-8000-000000000093', 'infinity');
insert into recipients (campaign_id, contact_id, tenant_id, created_at, updated_at, is_given, occurrence_at, run_id) values
  ('01a1e885-1c00-7000-8000-0000000000a1', '01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000001', '2026-11-17 08:00+00', '2026-11-17 08:00+00', false, '2026-11-17 08:00+00', '01a1e885-1c00-7000-8000-000000000094');

insert into tenant_counters values ('01a1e885-1c00-7000-8000-000000000001', 2);
insert into events (id, tenant_id, type, channel_id, contact_id, chat_id, data, slot, sequence, created_at, origin_run_id, facts) values
  ('01a1e885-1c00-7000-8000-0000000000b1', '01a1e885-1c00-7000-8000-000000000001', 'chat.created', '01a1e885-1c00-7000-8000-000000000041', '01a1e885-1c00-7000-8000-000000000031', '01a1e885-1c00-7000-8000-000000000051', '{"id":  1}', 1, 1, '2026-11-17 08:00+00', null, null),
  ('01700000-0000-7000-8000-0000000000b2', '01a1e885-1c00-7000-8000-000000000001', 'contact.labels_added', null, '01a1e885-1c00-7000-8000-000000000031', null, '{}', 1, 2, '2020-01-01 00:00+00', '01a1e885-1c00-7000-8000-000000000091', '{"labelIds": ["x"]}'),
  ('01a1e885-1c00-7000-8000-0000000000b3', '01a1e885-1c00-8000-8000-000000000002', 'webhook.test', null, null, null, '{}', -1, null, '2026-11-17 08:00+00', null, null);
insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at, v2_type, old_secret_encrypted, old_secret_until, failing_since) values
  ('01a1e885-1c00-7000-8000-0000000000c1', '01a1e885-1c00-7000-8000-000000000001', 'https://shop.example/hook', 'active', '\x0b', 3, '2026-11-17 08:00+00', '2026-11-17 08:00+00', null, '\x0c', '2026-11-19 08:00+00', '2026-11-17 09:00+00'),
  ('01a1e885-1c00-7000-8000-0000000000c2', '01a1e885-1c00-7000-8000-000000000001', 'https://shop.example/old', 'inactive', '\x0d', 2, '2026-11-17 08:00+00', '2026-11-17 08:00+00', 'message.received', null, null, null);
insert into webhook_events values ('01a1e885-1c00-7000-8000-0000000000c1', '01a1e885-1c00-7000-8000-000000000001', 0, 'chat.*', '{01a1e885-1c00-7000-8000-000000000041}');
insert into deliveries (id, tenant_id, webhook_id, event_id, event_type, sequence, status, slot, due_at, attempts, earlier_attempts, created_at, updated_at) values
  ('01a1e885-1c00-7000-8000-0000000000d1', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-0000000000c1', '01a1e885-1c00-7000-8000-0000000000b1', 'chat.created', 1, 'pending', 1, '2026-11-17 10:00+00', 1, 3, '2026-11-17 08:00+00', '2026-11-17 08:00+00'),
  ('01700000-0000-7000-8000-0000000000d2', '01a1e885-1c00-7000-8000-000000000001', '01a1e885-1c00-7000-8000-0000000000c1', '01700000-0000-7000-8000-0000000000b2', 'contact.labels_added', 2, 'delivered', 1, null, 1, 0, '2020-01-01 00:00+00', '2020-01-01 00:00+00');
insert into attempts (delivery_id, tenant_id, number, started_at, timings, response_status, response_headers, response_body, error, url) values
  ('01a1e885-1c00-7000-8000-0000000000d1', '01a1e885-1c00-7000-8000-000000000001', 4, '2026-11-17 08:00+00', '{"total": 12.5}', 500, '{"x": "y"}', 'oops', null, 'https://shop.example/hook'),
  ('01700000-0000-7000-8000-0000000000d2', '01a1e885-1c00-7000-8000-000000000001', 1, '2020-01-01 00:00+00', '{}', 200, '{}', '', null, null);
