-- Work list: what vendors that review templates are still to be told. Lane: the channel, whose tasks are done one after
-- another, in the order in which they came for each name and language.
create table template_tasks (
  id uuid not null,
  tenant_id uuid not null,
  channel_id uuid not null,
  -- The template that is to be submitted as it is by then; null: one that is deleted here is to be deleted there.
  template_id uuid,
  name text not null,
  language text not null,
  -- Of what is to be deleted, where it is known.
  vendor_id text,
  slot smallint not null,
  due_at timestamptz not null,
  attempts integer not null default 0,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  foreign key (template_id, tenant_id) references message_templates (id, tenant_id) on delete cascade
);
create index template_tasks_due on template_tasks (slot, channel_id, due_at, id);
create index template_tasks_by_template on template_tasks (template_id) where template_id is not null;
create index template_tasks_by_channel on template_tasks (channel_id);

alter table message_templates
  -- Grows with every change; `submitted` is the one that the vendor has.
  add column revision integer not null default 1,
  add column submitted integer,
  -- Why the vendor does not have it as it is, in words.
  add column problem text;
-- The vendor tells its decisions by its own id.
create index message_templates_by_vendor on message_templates (channel_id, vendor_id) where vendor_id is not null;

-- Requests that ask somebody outside reserve their key before they do, and have no answer until they are done.
alter table idempotency_keys
  alter column answer_encrypted drop not null,
  add column reservation uuid,
  add column reserved_until timestamptz;

-- The demo tenant gets its content after the server listens: whether it has it, and whose it is.
alter table installation
  add column demo_tenant_id uuid references tenants (id) on delete set null,
  add column demo_filled_at timestamptz;
