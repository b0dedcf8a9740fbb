import type { Logger } from 'pino';
import type { Database } from './db/database.ts';
import { dropOldAuditEntries, dropOldPartitions } from './db/retention.ts';
import { removeImportedFiles } from './files/imported-files.ts';
import { deleteOldJobs } from './jobs/job.ts';

interface Retention {
  retentionDays: number;
  auditDays?: number;
}

/** Removes what has been kept for as long as it should be. */
export async function removeExpired(
  db: Database,
  now: Date,
  { retentionDays, auditDays = retentionDays }: Retention,
  log: Pick<Logger, 'info' | 'error'>,
): Promise<void> {
  // Before the imports, which name the files.
  await removeImportedFiles(db, now, log);
  await deleteOldJobs(db, now);
  const dropped = [
    ...(await dropOldPartitions(db, now, retentionDays)),
    ...(await dropOldAuditEntries(db, now, auditDays)),
  ];
  if (dropped.length > 0) log.info({ dropped }, `dropped ${dropped.length} expired partitions`);
}
