-- Both are trusted extensions that come with PostgreSQL: whoever may create in the database may create them too.
create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- What `search` looks in: the full name and the value of every handle, one a line, kept by whoever writes either.
alter table contacts add column search_text text not null default '';
update contacts c
   set search_text = concat_ws(E'\n', nullif(concat_ws(' ', nullif(c.first_name, ''), nullif(c.last_name, '')), ''),
         (select string_agg(h.value, E'\n' order by h.created_at, h.id) from handles h where h.contact_id = c.id));
create index contacts_search on contacts using gin (tenant_id, search_text gin_trgm_ops);
-- There is none by updated_at on purpose: it would make every change of a contact rewrite all of its index entries.
create index contacts_by_tenant on contacts (tenant_id, created_at, id);
create index contacts_unsubscribed on contacts (tenant_id, created_at, id) where not is_subscribed;

-- Of each type, a contact shows one handle.
create unique index handles_primary on handles (contact_id, type) where is_primary;

drop index contact_labels_by_label;
create index contact_labels_by_label on contact_labels (label_id, contact_id);

-- What a value is compared by, where its text is not it: numbers, dates and times. Nothing could write
-- values before this migration, so none has to be converted.
alter table contact_attributes
  add column number double precision,
  add column time timestamptz,
  -- Long texts do not fit into an index, their beginning does. A column and not an expression of the index, because
  -- only then the index answers by itself.
  add column head text collate "C" generated always as (left(value, 200)) stored;
drop index contact_attributes_by_attribute;
create index contact_attributes_by_text on contact_attributes (attribute_id, head, contact_id);
create index contact_attributes_by_number on contact_attributes (attribute_id, number, contact_id) where number is not null;
create index contact_attributes_by_time on contact_attributes (attribute_id, time, contact_id) where time is not null;

-- Erasing a person finds what was told about them, to whom, and the stored answers that show them.
create index events_by_contact on events (contact_id) where contact_id is not null;
create index deliveries_by_event on deliveries (event_id);
alter table idempotency_keys add column mentions bigint[] not null default '{}';
create index idempotency_keys_by_mention on idempotency_keys using gin (mentions);
