-- A tenant's events in the order of their numbers, for streams, and in that of their times, for searches and for what a
-- webhook missed. Partial: an event enters them once, when it is numbered, and is not visible before.
create index events_by_sequence on events (tenant_id, sequence) where sequence is not null;
create index events_by_tenant on events (tenant_id, created_at, id) where sequence is not null;
