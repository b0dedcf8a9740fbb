import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { statement, systemStatement } from '../db/statement.ts';
import { removeUnusedFiles } from './unused-files.ts';

/** So long after the last import of a file has ended it is deleted. */
const KEPT_MS = 7 * 24 * 3600_000;
const PAGE = 100;

interface ImportedFile {
  file_id: string;
  tenant_id: string;
}

const endedBefore = systemStatement<[before: Date, afterFileId: string | null], ImportedFile>(
  'files.imported_before',
  // From the imports, of which there are few. The permanent URL of a file that is not private ends only with the file.
  `select distinct i.file_id, i.tenant_id from imports i
     join jobs j on j.id = i.id and j.tenant_id = i.tenant_id and j.ended_at < $1
     join visible_files f on f.id = i.file_id and f.tenant_id = i.tenant_id and f.is_private and f.message_id is null
    where $2::uuid is null or i.file_id > $2
    order by i.file_id limit ${PAGE}`,
);
const laterImport = statement<[fileId: string, before: Date], { id: string }>(
  'files.later_import',
  `select i.id from imports i join jobs j on j.id = i.id and (j.tenant_id = i.tenant_id) is true
    where i.tenant_id = $tenant and i.file_id = $1 and (j.ended_at is null or j.ended_at >= $2) limit 1`,
);

/** The file is imported once more. */
class StillNeeded extends Error {}

/**
 * Deletes private files whose last import ended a week ago, unless something else uses them. Whether there is a later import is asked after
 * the deletion, which has waited for those who hold the file. One that cannot be deleted now is tried again the next time.
 */
export async function removeImportedFiles(
  db: Database,
  now: Date,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  const before = new Date(now.getTime() - KEPT_MS);
  for (let last: string | null = null; ; ) {
    const page: ImportedFile[] = await db.all(endedBefore, [before, last]);
    for (const { tenant_id, file_id } of page)
      await db
        .forTenant(tenant_id)
        .transaction(async (tx) => {
          await removeUnusedFiles(tx, [file_id]);
          if (await tx.find(laterImport, [file_id, before])) throw new StillNeeded();
        })
        .catch((error) => {
          if (!(error instanceof StillNeeded))
            log.error(
              { err: error, tenantId: tenant_id, fileId: file_id },
              'could not delete an imported file',
            );
        });
    if (page.length < PAGE) return;
    last = page.at(-1)?.file_id ?? null;
  }
}
