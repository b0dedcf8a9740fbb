-- A subscription made through version 2 is for one of its nine types: so many event names of today, on channels of one kind.
alter table webhooks
  add column v2_type text,
  add check ((api_version = 2) = (v2_type is not null));

-- Who still calls version 2, and which of its operations. A token that is deleted stays here by its id.
create table v2_usage (
  tenant_id uuid not null references tenants (id) on delete cascade,
  token_id uuid not null,
  operation text not null,
  calls bigint not null,
  last_called_at timestamptz not null,
  primary key (tenant_id, token_id, operation)
);
