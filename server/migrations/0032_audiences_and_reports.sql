-- outside of a transaction
-- Which contacts were merged since an audience began to be gathered, and whether they existed then. Null: merged before this column.
create index concurrently if not exists merged_contacts_by_tenant on merged_contacts (tenant_id, created_at);
alter table merged_contacts add column if not exists contact_created_at timestamptz;

-- Recipients who opted out or cannot be reached were counted as failed, and runs of campaigns without an automation as those of one:
-- these hours are counted again. If this is interrupted, it is done again.
insert into report_marks (id, tenant_id, from_at, to_at, has_replies, shard, due_at, created_at)
select gen_random_uuid(), t.id, f.hour, f.hour + interval '1 hour', false,
       case when t.clock is not null then -1 else ('x' || right(t.id::text, 2))::bit(8)::int % 64 end, '-infinity', now()
  from (select distinct r.tenant_id, date_bin('1 hour', r.at, 'epoch') as hour from report_figures r
          left join automations a on a.id = r.subject_id and a.tenant_id = r.tenant_id and a.is_hidden
         where r.figure = 'campaign_failed'
            or (r.figure in ('run_started', 'run_completed', 'run_failed', 'run_cancelled') and a.id is not null)) f
  join tenants t on t.id = f.tenant_id;
