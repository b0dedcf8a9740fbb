-- outside of a transaction
-- What a version uses is kept while it has runs that have not ended: most have.
create index concurrently if not exists automation_runs_unfinished on automation_runs (version_id)
  where status in ('scheduled', 'running', 'waiting');
