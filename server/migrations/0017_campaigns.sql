alter table campaigns
  -- The occurrence that is under way, or was last: when it was to be, when it began, and the version its runs are on.
  add column occurrence_at timestamptz,
  add column began_at timestamptz,
  add column version_id uuid,
  -- How far its audience has been gathered: the contact that was looked at last, or infinity at the end.
  add column gathered_at timestamptz,
  add column gathered_id uuid,
  -- The occurrence that comes next; null while one is under way and after the last.
  add column next_at timestamptz,
  -- Why it failed, or was cancelled by the server.
  add column error jsonb;

-- What becomes of a recipient is read from the run and its first message, so nothing of it is kept here.
alter table recipients
  drop column skip_reason,
  -- Named by a call, and so part of every occurrence; others are part of those whose audience they were in.
  add column is_given boolean not null default true,
  -- The latest occurrence that it is, or was, part of; and its run in that.
  add column occurrence_at timestamptz not null default '-infinity',
  add column run_id uuid;
create index recipients_given on recipients (campaign_id, occurrence_at, contact_id) where is_given;
create index recipients_without_run on recipients (campaign_id, contact_id) where run_id is null;

-- What a pause holds is on no list of what is due. When it was due it will be again.
alter table automation_runs add column held_due_at timestamptz;
alter table messages add column held_due_at timestamptz;

-- Work list: automations that start by a schedule. Lane: the tenant. Counted from the start, which is the publishing.
alter table automations
  add column schedule_start timestamptz,
  add column next_at timestamptz,
  add column occurrence_at timestamptz,
  add column began_at timestamptz,
  add column gathered_at timestamptz,
  add column gathered_id uuid,
  add column slot smallint,
  add column due_at timestamptz;
create index automations_due on automations (slot, tenant_id, due_at, id) where due_at is not null;

-- Schedules that are active begin with the first occurrence from now on, which is worked out when they are first seen.
update automations
   set schedule_start = date_trunc('minute', now()), due_at = '-infinity',
       slot = ('x' || right(tenant_id::text, 2))::bit(8)::int % 64
 where status = 'active' and active_trigger_type = 'schedule';

update campaigns set next_at = coalesce(scheduled_at, started_at) where status in ('draft', 'scheduled', 'running', 'paused');
-- Until this version nothing ran. What was to begin before it would come late and by surprise.
update campaigns
   set status = 'cancelled', due_at = null, next_at = null, updated_at = now(),
       error = '{"code":"overdue","message":"It was due before this version of Parley began to run campaigns"}'
 where due_at <= now();
