-- outside of a transaction
-- After a change of the hours a job wakes the runs that wait by them, in the order of their ids.
alter table jobs drop constraint if exists jobs_kind_check;
alter table jobs add constraint jobs_kind_check check (
  kind in ('delete_tenant', 'delete_channel', 'delete_contact', 'merge_contacts', 'change_chats', 'change_contacts',
           'change_runs', 'import_contacts', 'retry_deliveries', 'wake_runs'));
-- The last row that was handled, for jobs that go through rows in the order of ids.
alter table jobs add column if not exists last_id uuid;
-- One that has not begun wakes all runs, whatever changed before.
create unique index concurrently if not exists jobs_waking on jobs (tenant_id) where kind = 'wake_runs' and status = 'queued';
create index concurrently if not exists automation_runs_waking on automation_runs (tenant_id, id)
  where waits_for is not null and status = 'waiting';
