-- outside of a transaction
-- What a version uses is kept while it has runs that have not ended: most have.
create index concurrently if not exists automation_runs_unfinished on automation_runs (version_id)
  where status in ('scheduled', 'running', 'waiting');
-- When the limit of runs was used last: a time in the future says that the clock was set back.
alter table tenant_counters add column if not exists runs_used_at timestamptz;
