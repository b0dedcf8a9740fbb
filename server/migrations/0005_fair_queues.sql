-- A run that waits for the answer to an outside call is in a queue of its own, so that it takes no place of the runs
-- that can go on.
alter table automation_runs add column is_calling boolean not null default false;

-- How often a process ended while it worked on the row, as far as that is known. After the third time it is set aside.
alter table automation_runs add column crashes smallint not null default 0;
alter table inbound add column crashes smallint not null default 0;

drop index automation_runs_due;
create index automation_runs_due on automation_runs (shard, automation_id, due_at, id)
  where due_at is not null and not is_calling;
create index automation_runs_calls_due on automation_runs (shard, automation_id, due_at, id)
  where due_at is not null and is_calling;
