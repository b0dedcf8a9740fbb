-- Whether a contact wants messages, per kind of channel: {"sms": {"status", "source", "at", "proof"}}. A kind that is missing
-- was never decided and counts as subscribed. is_subscribed is false while one of them is unsubscribed.
alter table contacts add column subscriptions jsonb not null default '{}';
update contacts set subscriptions = (
    select jsonb_object_agg(kind, jsonb_build_object('status', 'unsubscribed', 'source', 'api', 'proof', null,
                                                     'at', to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))
      from unnest(array['whatsapp', 'sms', 'email', 'instagram']) as kind)
 where not is_subscribed;
-- A number that sent STOP gets nothing at all over SMS. From now on that is the entry of the contact; the column of handles
-- stays for processes of the version before.
update contacts c set subscriptions = jsonb_set(c.subscriptions, '{sms}', jsonb_build_object(
    'status', 'unsubscribed', 'source', 'contact', 'proof', null,
    'at', to_char(h.opted_out_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))), is_subscribed = false
  from handles h where h.contact_id = c.id and h.tenant_id = c.tenant_id and h.opted_out_at is not null;

-- Every decision, with its proof. Never changed.
create table consents (
  id uuid not null,
  tenant_id uuid not null,
  contact_id uuid not null,
  channel_kind text not null check (channel_kind in ('whatsapp', 'sms', 'email', 'instagram')),
  status text not null check (status in ('subscribed', 'unsubscribed')),
  source text not null check (source in ('contact', 'vendor', 'complaint', 'link', 'automation', 'api')),
  proof jsonb,
  at timestamptz not null,
  created_at timestamptz not null,
  primary key (id, tenant_id),
  foreign key (contact_id, tenant_id) references contacts (id, tenant_id) on delete cascade
);
create index consents_by_contact on consents (tenant_id, contact_id, created_at, id);

-- Per kind of channel why nothing can be delivered to a handle, and since when; null if nothing is known.
alter table handles add column undeliverable jsonb;

-- The words of a channel that end messages and begin them again, and how an opt-out is confirmed; missing ones have defaults.
alter table channels add column consent jsonb not null default '{}';

-- STOP or START is said to the business, and is no reply to what an automation asked.
alter table messages add column is_opt_out boolean not null default false;
-- Marketing never reaches a contact that is unsubscribed.
alter table messages add column purpose text not null default 'service' check (purpose in ('marketing', 'service'));
alter table campaigns add column purpose text not null default 'marketing' check (purpose in ('marketing', 'service'));

-- With the new columns, and the conditions as they were.
create or replace view visible_contacts as
  select * from contacts
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);
create or replace view visible_channels as
  select * from channels
   where not exists (select 1 from removals) or not array[id] && array(select id from removals);
create or replace view visible_messages as
  select * from messages
   where not exists (select 1 from removals) or not array[channel_id, contact_id] && array(select id from removals);
create or replace view visible_campaigns as
  select * from campaigns
   where not exists (select 1 from removals) or not array[channel_id] && array(select id from removals);
create view visible_consents as
  select * from consents
   where not exists (select 1 from removals) or not array[contact_id] && array(select id from removals);
