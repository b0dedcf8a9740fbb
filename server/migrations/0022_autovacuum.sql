-- Statements are planned once for each connection, and again by every connection whenever a table they touch has been
-- vacuumed or analyzed. By PostgreSQL's defaults a table of few rows is due after fifty changes: one that changes all day
-- would be gone over whenever autovacuum looks, and everything waits while its statements are planned. Here it takes ten
-- thousand changes. The weeks of events, deliveries and attempts are made the same way (src/db/partitions.ts).
do $$
declare
  busy text;
begin
  foreach busy in array array['slots', 'workers', 'rate_windows', 'idempotency_keys', 'tenant_counters', 'inbound',
    'chats', 'messages', 'vendor_messages', 'automation_runs', 'run_trace', 'recipients', 'events_default',
    'deliveries_default', 'attempts_default'] loop
    execute format('alter table %I set (autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000,
      autovacuum_analyze_threshold = 10000)', busy);
  end loop;
end $$;
