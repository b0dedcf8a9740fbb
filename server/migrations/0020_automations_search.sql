-- What automations are searched by: a status with a trigger, in the order of a page; and a part of the name, a trigger
-- or a channel, alone or together.
create index automations_by_status on automations (tenant_id, status, latest_trigger_type, created_at, id);
create index automations_search on automations using gin (
  tenant_id, active_trigger_type, active_channel_id, latest_trigger_type, latest_channel_id, name gin_trgm_ops);
