-- Work list: campaigns that are to start or under way. Lane: the tenant.
create table campaigns (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  channel_id uuid not null,
  -- These two are kept by their ids alone: a campaign whose automation or template was deleted has to fail where it can
  -- be seen, and neither disappear nor send something else.
  automation_id uuid not null,
  message_template_id uuid,
  name text not null,
  status text not null
    check (status in ('draft', 'scheduled', 'running', 'paused', 'completed', 'cancelled', 'failed')),
  scheduled_at timestamptz,
  -- As they were sent, null where they were not.
  recurrence_rules json,
  is_reoccurring boolean not null,
  variables json,
  -- A filter over contacts, judged when the campaign starts.
  audience text,
  started_at timestamptz,
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (channel_id, tenant_id) references channels (id, tenant_id) on delete cascade,
  check ((due_at is not null) = (status in ('scheduled', 'running')))
);
create index campaigns_due on campaigns (slot, tenant_id, due_at, id) where due_at is not null;
create index campaigns_by_tenant on campaigns (tenant_id, created_at, id);
create index campaigns_by_channel on campaigns (channel_id, created_at, id);

-- Whom a campaign is for, each once. What becomes of them is the skip reason here, or else the status of their message.
create table recipients (
  campaign_id uuid not null,
  contact_id uuid not null,
  tenant_id uuid not null,
  skip_reason text check (skip_reason in ('no_handle', 'unsubscribed', 'window_closed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (campaign_id, contact_id),
  foreign key (campaign_id, tenant_id) references campaigns (id, tenant_id) on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index recipients_by_age on recipients (campaign_id, created_at, contact_id);
create index recipients_by_contact on recipients (contact_id);
