-- outside of a transaction
-- Automations that searches show: counting them reads no more than an index.
create index concurrently if not exists automations_shown
  on automations (tenant_id, created_at, id) where not is_hidden;
drop index concurrently if exists automations_by_tenant;
create index concurrently if not exists automations_shown_by_status
  on automations (tenant_id, status, latest_trigger_type, created_at, id) where not is_hidden;
drop index concurrently if exists automations_by_status;
