-- What the columns of a version's trigger say also stands in its definition: they are what automations are searched by.
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
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  check (status <> 'active' or active_version_id is not null),
  check ((active_version_id is null) = (active_trigger_type is null))
);
create index automations_by_tenant on automations (tenant_id, created_at, id);
create index automations_by_name on automations (tenant_id, name collate "C", id);

-- Written once and never changed: a run stays on the version it started with.
create table automation_versions (
  id uuid not null,
  tenant_id uuid not null,
  automation_id uuid not null,
  number integer not null,
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  -- What the versions of an automation and of a run refer to, so that they cannot be another automation's.
  unique (id, automation_id, tenant_id),
  constraint automation_versions_number unique (automation_id, number),
  foreign key (automation_id, tenant_id) references automations (id, tenant_id) on delete cascade
);

alter table automations
  add foreign key (active_version_id, id, tenant_id) references automation_versions (id, automation_id, tenant_id),
  add foreign key (latest_version_id, id, tenant_id) references automation_versions (id, automation_id, tenant_id);
create index automations_by_active_version on automations (active_version_id);
create index automations_by_latest_version on automations (latest_version_id);

-- Work list: runs that are to start or to go on. Lane: the automation. A run goes with its version, and that with its
-- automation; the version's key carries both, so one foreign key does for the two.
create table automation_runs (
  id uuid not null,
  tenant_id uuid not null,
  automation_id uuid not null,
  version_id uuid not null,
  contact_id uuid not null,
  chat_id uuid,
  -- What started it: a campaign's or a schedule's occurrence, an event, or else a call of the API.
  campaign_id uuid,
  occurrence_at timestamptz,
  cause_event_id uuid,
  status text not null check (status in ('scheduled', 'running', 'waiting', 'completed', 'failed', 'cancelled')),
  -- The step that is next, null before the first and after the last.
  step text,
  -- What the run knows: its variables, and later what its steps brought back.
  state jsonb not null,
  -- Raised by whoever changes the run: a reply, a time-out and a cancellation that meet compare it.
  revision integer not null default 0,
  waiting_reply boolean not null default false,
  error jsonb,
  scheduled_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  slot smallint not null,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  -- An occurrence is what makes a campaign's run the only one of its contact.
  check (campaign_id is null or occurrence_at is not null),
  foreign key (version_id, automation_id, tenant_id) references automation_versions (id, automation_id, tenant_id)
    on delete cascade,
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade,
  foreign key (chat_id, tenant_id) references chats (id, tenant_id) on delete set null (chat_id)
);
create index automation_runs_due on automation_runs (slot, automation_id, due_at, id) where due_at is not null;
create index automation_runs_by_tenant on automation_runs (tenant_id, created_at, id);
create index automation_runs_by_automation on automation_runs (automation_id, created_at, id);
create index automation_runs_by_version on automation_runs (version_id);
create index automation_runs_by_contact on automation_runs (contact_id);
create index automation_runs_by_chat on automation_runs (chat_id) where chat_id is not null;
create unique index automation_runs_of_campaign on automation_runs (campaign_id, occurrence_at, contact_id)
  where campaign_id is not null;
create unique index automation_runs_of_event on automation_runs (automation_id, cause_event_id)
  where cause_event_id is not null;
create unique index automation_runs_of_schedule on automation_runs (automation_id, occurrence_at, contact_id)
  where campaign_id is null and occurrence_at is not null;

-- What a run did, a row for each step it went through; a loop goes through a step more than once.
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
