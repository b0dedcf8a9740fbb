import { hasUnfinishedRuns } from '../automations/versions-in-use.ts';
import { removalStatement, statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { fileRemovalsQueue } from './queues.ts';

/** Texts that may name files are read once for all of them. */
const TEXTS = `texts as materialized (
     select concat(c.message::text, c.template_header::text) as text from campaigns c where c.tenant_id = $tenant
     union all
     select v.definition::text from automations a
       join automation_versions v on v.automation_id = a.id and v.tenant_id = a.tenant_id
      where a.tenant_id = $tenant and (v.id in (a.active_version_id, a.latest_version_id) or ${hasUnfinishedRuns('v')}))`;
/** Files that came with messages are deleted with those. The index messages_by_file leads from a file to its messages. */
const IS_UNUSED = `f.message_id is null
      and not exists (
        select 1 from messages m
         where m.media @> jsonb_build_array(jsonb_build_object('fileId', f.id)) and m.media <> '[]'::jsonb
           and m.sender = 'outbound' and (m.tenant_id = f.tenant_id) is true)
      and not exists (
        select 1 from saved_replies s
         where s.tenant_id = f.tenant_id and s.media @> jsonb_build_array(jsonb_build_object('fileId', f.id)))
      and not exists (select 1 from texts t where position(f.id::text in t.text) > 0)`;

const deleteUnused = removalStatement<[ids: string[]]>(
  'files.delete_unused',
  `with ${TEXTS} delete from files f where f.id = any ($1::uuid[]) and f.tenant_id = $tenant and ${IS_UNUSED}`,
);
const setPrivate = statement<[id: string, now: Date]>(
  'files.make_unused_private',
  `with ${TEXTS} update visible_files f set is_private = true, updated_at = $2
    where f.id = $1 and f.tenant_id = $tenant and not f.is_private and ${IS_UNUSED}`,
);

/** Deletes those of these files that no message, campaign, saved reply or automation uses. */
export async function removeUnusedFiles(tx: TenantTx, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0 || (await tx.run(deleteUnused, [fileIds])) === 0) return;
  tx.wake(fileRemovalsQueue, tx.tenantId);
}

/** Ends the permanent URL of a file that no message, campaign, saved reply or automation uses. */
export const makeUnusedPrivate = async (tx: TenantTx, fileId: string): Promise<void> => {
  await tx.run(setPrivate, [fileId, tx.now]);
};
