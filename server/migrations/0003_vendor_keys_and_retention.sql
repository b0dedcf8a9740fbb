-- A vendor key, such as WhatsApp's phone number id, belongs to one channel of the whole server only after the vendor has
-- accepted the credentials of that channel: otherwise a tenant could keep another one from connecting its own number. One
-- tenant still has a key once.
alter table channels add column vendor_confirmed_at timestamptz;
alter table channels drop constraint channels_provider_vendor_key_key;
alter table channels add constraint channels_tenant_vendor_key_key unique (tenant_id, provider, vendor_key);
create unique index channels_confirmed_vendor_key on channels (provider, vendor_key) where vendor_confirmed_at is not null;
create index channels_by_vendor_key on channels (provider, vendor_key);

-- Failed requests and expired tokens are deleted after a time.
create index inbound_failed on inbound (tenant_id, created_at) where due_at is null;
create index tokens_by_expiry on tokens (expires_at);
