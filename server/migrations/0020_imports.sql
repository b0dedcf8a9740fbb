-- Imports of contacts and repeated deliveries are jobs.
alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (
  kind in ('delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts', 'change_chats', 'change_contacts',
           'change_runs', 'import_contacts', 'retry_deliveries'));
-- Which jobs of a tenant have not ended: those that callers ask for have a limit.
create index jobs_unfinished on jobs (tenant_id) where ended_at is null and author is not null;

-- Files of contacts that are imported. The id is that of the job, and the import is deleted with its job.
create table imports (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  file_id uuid not null,
  filename text not null,
  is_dry_run boolean not null,
  -- What the columns are, and what is done with the rows.
  options jsonb not null,
  encoding text not null,
  delimiter text not null,
  -- Where the next batch begins, in bytes, and the number of the last row before.
  position bigint not null,
  last_row int not null,
  created int not null default 0,
  updated int not null default 0,
  skipped int not null default 0,
  -- The first ones.
  issues jsonb not null default '[]',
  primary key (id, tenant_id),
  foreign key (id, tenant_id) references jobs (id, tenant_id) on delete cascade
);
create index imports_by_tenant on imports (tenant_id, id);

-- Rows that were not imported, and why.
create table import_issues (
  import_id uuid not null,
  tenant_id uuid not null,
  row_number int not null,
  issues jsonb not null,
  primary key (import_id, row_number),
  foreign key (import_id, tenant_id) references imports (id, tenant_id) on delete cascade
);

-- Saved filters of contacts, which campaigns use as their audience.
create table segments (
  id uuid not null,
  tenant_id uuid not null references tenants (id) on delete cascade,
  name text not null,
  query text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (id, tenant_id)
);
create unique index segments_name on segments (tenant_id, lower(name));
create index segments_by_tenant on segments (tenant_id, created_at, id);

-- The segment of a campaign's audience, whose filter is copied when an occurrence begins.
alter table campaigns add column segment_id uuid;
alter table campaigns add foreign key (segment_id, tenant_id) references segments (id, tenant_id)
  on delete set null (segment_id);
create index campaigns_by_segment on campaigns (segment_id, tenant_id) where segment_id is not null;
-- Whether it was only sent to try it out.
alter table campaigns add column is_test boolean not null default false;
create or replace view visible_campaigns as
  select * from campaigns
   where not exists (select 1 from removals) or not array[channel_id] && array(select id from removals);
