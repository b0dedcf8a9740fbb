-- The contact that a contact was merged into, as long as some of its messages, runs and events are still to be moved.
alter table contacts add column merged_into uuid;
create index contacts_being_merged on contacts (merged_into) where merged_into is not null;
create or replace view visible_contacts as
  select * from contacts
   where merged_into is null and (not exists (select 1 from removals) or not array[id] && array(select id from removals));

-- Which contact a merged one is part of now: links in mails that were sent before have the old id.
create table merged_contacts (
  id uuid not null,
  tenant_id uuid not null,
  contact_id uuid not null,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index merged_contacts_by_contact on merged_contacts (contact_id);

alter table jobs drop constraint jobs_kind_check;
alter table jobs add constraint jobs_kind_check
  check (kind in ('delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts'));

-- How the recipients of a template react to it, as the vendor says; null as long as it says nothing.
alter table message_templates add column quality text;

-- What the vendor reported a problem of a channel about, such as its quality; null for refused credentials.
alter table channels add column problem_cause text;
create or replace view visible_channels as
  select * from channels
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);
