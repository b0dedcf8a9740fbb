-- A subscription can be for all channels of a kind, as those of version 2 are.
alter table webhook_events add column channel_kinds text[];
update webhook_events e set channel_kinds = array[lower(split_part(w.v2_type, '_', 1))]
  from webhooks w where w.id = e.webhook_id and w.v2_type is not null and e.channel_ids is null;

-- In which language and zone dates are written for a contact.
alter table contacts add column language text, add column timezone text;
create or replace view visible_contacts as
  select * from contacts
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);

-- What automations send to other servers to prove who they are. Never shown.
create table automation_secrets (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  value_encrypted bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id),
  constraint automation_secrets_name unique (tenant_id, name)
);

-- To the hour, so that it costs nothing.
alter table tokens add column last_used_at timestamptz;
