import { hasUnfinishedRuns } from '../automations/versions-in-use.ts';
import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { fileRemovalsQueue } from './queues.ts';

const deleteUnused = removalStatement<[ids: string[]]>(
  'files.delete_unused',
  // Files that came with messages are deleted with those. The index messages_by_file leads from a file to its messages. Texts that may
  // name files are read once for all of them.
  `with texts as materialized (
     select concat(c.message::text, c.template_header::text) as text from campaigns c where c.tenant_id = $tenant
     union all
     select v.definition::text from automations a
       join automation_versions v on v.automation_id = a.id and v.tenant_id = a.tenant_id
      where a.tenant_id = $tenant and (v.id in (a.active_version_id, a.latest_version_id) or ${hasUnfinishedRuns('v')}))
   delete from files f
    where f.id = any ($1::uuid[]) and f.tenant_id = $tenant and f.message_id is null
      and not exists (
        select 1 from messages m
         where m.media @> jsonb_build_array(jsonb_build_object('fileId', f.id)) and m.media <> '[]'::jsonb
           and m.sender = 'outbound' and (m.tenant_id = f.tenant_id) is true)
      and not exists (
        select 1 from saved_replies s
         where s.tenant_id = f.tenant_id and s.media @> jsonb_build_array(jsonb_build_object('fileId', f.id)))
      and not exists (select 1 from texts t where position(f.id::text in t.text) > 0)`,
);

/** Deletes those of these files that no message, campaign, saved reply or automation uses. */
export async function removeUnusedFiles(tx: TenantTx, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0 || (await tx.run(deleteUnused, [fileIds])) === 0) return;
  tx.wake(fileRemovalsQueue, tx.tenantId);
}
