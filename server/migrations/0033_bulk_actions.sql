-- Bulk actions have the names of the documented operations. A label is an action of its own: what has not ended goes on as several jobs.
insert into jobs (id, tenant_id, kind, status, subject_id, step, batch, done, total, failed, errors, shard, due_at, attempts, created_at,
                  updated_at, action, author, item_ids)
select gen_random_uuid(), j.tenant_id, j.kind, j.status, j.subject_id, j.step, j.batch, j.done, j.total, j.failed, j.errors, j.shard,
       j.due_at, j.attempts, j.created_at, j.updated_at, jsonb_set(j.action, '{labelIds}', jsonb_build_array(l.id)), j.author, j.item_ids
  from jobs j cross join lateral jsonb_array_elements(j.action -> 'labelIds') with ordinality as l (id, number)
 where j.action ->> 'type' in ('add_labels', 'remove_labels') and j.ended_at is null and l.number > 1;
update jobs
   set action = case action ->> 'type'
     when 'open' then action || '{"type": "status", "status": "open"}'
     when 'snooze' then action || '{"type": "status", "status": "snoozed"}'
     when 'close' then action || '{"type": "status", "status": "closed"}'
     when 'mark_read' then action || '{"type": "read"}'
     when 'mark_unread' then action || '{"type": "unread"}'
     when 'add_labels' then action - 'labelIds' || jsonb_build_object('type', 'add_label', 'labelId', action #> '{labelIds,0}')
     else action - 'labelIds' || jsonb_build_object('type', 'remove_label', 'labelId', action #> '{labelIds,0}')
   end
 where action ->> 'type' in ('open', 'snooze', 'close', 'mark_read', 'mark_unread', 'add_labels', 'remove_labels');
