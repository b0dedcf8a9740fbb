-- A tenant's events in the order of their numbers, for streams. Partial: an event enters it once, when it is numbered,
-- and is not visible before.
create index events_by_sequence on events (tenant_id, sequence) where sequence is not null;
