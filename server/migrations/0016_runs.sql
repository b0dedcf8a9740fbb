-- A message that a run sent, by the number of its step in the trace: a stretch that is repeated sends nothing twice.
alter table messages
  add column run_id uuid,
  add column run_step integer,
  add column campaign_id uuid;
create unique index messages_of_run on messages (run_id, run_step) where run_id is not null;
create index messages_of_campaign on messages (campaign_id, contact_id) where campaign_id is not null;

-- What follows from an event may depend on more than its data says: whether a run caused it, and facts such as which
-- labels were added. Nobody outside sees these.
alter table events
  add column origin_run_id uuid,
  add column facts jsonb;

-- Runs that wait for a reply are found by the chat in which it comes.
create index automation_runs_waiting on automation_runs (chat_id) where waiting_reply;

-- What starts runs by itself, by what it waits for.
create index automations_by_trigger on automations (tenant_id, active_trigger_type, created_at, id)
  where status = 'active';

-- Until this version nothing ran. What was to begin before it would come late and by surprise.
update automation_runs
   set status = 'cancelled', due_at = null, ended_at = now(), updated_at = now(), revision = revision + 1,
       error = '{"code":"overdue","message":"It was due before this version of Parley began to run automations"}'
 where status in ('scheduled', 'running', 'waiting') and due_at <= now();

-- What has ended is never due again, however it ended.
alter table automation_runs add check (due_at is null or status in ('scheduled', 'running', 'waiting'));
