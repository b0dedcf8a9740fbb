import { groupBy } from '../base/group-by.ts';
import type { ImportCounts } from '../contacts/import/import-contacts.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantReader, TenantTx } from '../db/tenant.ts';
import { findJobState, type JobState, storeBulkProgress, storeProgress } from '../jobs/job.ts';
import type { Job } from '../jobs/schema.ts';
import type { CsvPosition } from './csv/read-file.ts';
import type { ImportRow } from './import.ts';
import { type RowIssue, SHOWN_ISSUES } from './schema.ts';

/** How many rows with issues errors.csv has. */
const MAX_STORED_ROWS = 100_000;

/** An import as its handler works on it. */
export interface ImportWork
  extends Pick<ImportRow, 'id' | 'file_id' | 'is_dry_run' | 'options' | 'encoding' | 'delimiter' | 'failed'> {
  status: Job['status'];
  batch: number;
  attempts: number;
  position: number;
  last_row: number;
  /** How many rows are done. Blank ones are not counted. */
  handled: number;
  /** The rows that repeat a handle of an earlier one; null until the file has been read. */
  duplicates: Buffer | null;
  has_file: boolean;
}

const importToRun = statement<[id: string], ImportWork>(
  'imports.to_run',
  // A tenant that is being deleted imports nothing.
  `select i.id, i.file_id, i.is_dry_run, i.options, i.encoding, i.delimiter, i.position, i.last_row, i.duplicates, j.status, j.batch,
          j.attempts, j.step as handled, j.failed, exists (select from visible_files f where f.id = i.file_id and f.tenant_id = i.tenant_id) as has_file
     from imports i join jobs j on j.id = i.id and (j.tenant_id = i.tenant_id) is true
    where i.id = $1 and i.tenant_id = $tenant and j.ended_at is null
      and exists (select from visible_tenants t where t.id = $tenant)`,
);
const positionOf = statement<[id: string], { position: number; issues: RowIssue[] }>(
  'imports.position',
  'select position, issues from imports where id = $1 and tenant_id = $tenant',
);
const setFacts = statement<[id: string, encoding: string, duplicates: Buffer]>(
  'imports.set_facts',
  'update imports set encoding = $2, duplicates = $3 where id = $1 and tenant_id = $tenant',
);
const advance = statement<
  [
    id: string,
    position: number,
    lastRow: number,
    created: number,
    updated: number,
    skipped: number,
    issues: string,
  ]
>(
  'imports.advance',
  `update imports set position = $2, last_row = $3, created = created + $4, updated = updated + $5, skipped = skipped + $6,
          issues = $7::jsonb
    where id = $1 and tenant_id = $tenant`,
);
const insertIssues = statement<[importId: string, rows: number[], issues: string[]]>(
  'import_issues.insert',
  `insert into import_issues (import_id, tenant_id, row_number, issues)
   select $1, $tenant, n.row_number, n.issues::jsonb from unnest($2::int[], $3::text[]) as n (row_number, issues)`,
);

/** An import that has not ended. */
export const findImportWork = (db: TenantReader, jobId: string): Promise<ImportWork | undefined> =>
  db.find(importToRun, [jobId]);

/** Ends an import before its end: because of an error, or because its tenant is deleted. */
export const endImport = (
  tenant: TenantDatabase,
  jobId: string,
  status: 'failed' | 'cancelled',
  errors: string[],
): Promise<boolean> =>
  tenant.transaction(async (tx) => {
    const job = await findJobState(tx, jobId);
    if (job)
      // The reason must not be left out if rows have failed before.
      await storeBulkProgress(
        tx,
        { ...job, errors: errors.length > 0 ? job.errors.slice(0, 9) : job.errors },
        { status, handled: 0, batch: job.batch, done: 0, errors, failed: 0 },
      );
    return true;
  });

/** What the whole file shows. */
export interface FileFacts {
  total: number;
  duplicates: Buffer;
}

/** Stores what the whole file shows, and how it is encoded after all. Returns whether it has no rows. */
export const storeFacts = (
  tenant: TenantDatabase,
  work: ImportWork,
  { total, duplicates }: FileFacts,
): Promise<boolean> =>
  tenant.transaction(async (tx) => {
    const job = await findJobState(tx, work.id);
    if (!job) return true;
    await tx.run(setFacts, [work.id, work.encoding, duplicates]);
    await storeProgress(tx, job, { ...job, done: 0, total, isCompleted: total === 0 });
    return total === 0;
  });

/** Locks an import at the position where its batch began; undefined if it has ended or another process has done the batch. */
export async function lockImport(
  tx: TenantTx,
  { id, position }: ImportWork,
): Promise<{ job: JobState; issues: RowIssue[] } | undefined> {
  const job = await findJobState(tx, id);
  const stored = job && (await tx.find(positionOf, [id]));
  return job && stored?.position === position ? { job, issues: stored.issues } : undefined;
}

/** What a batch of rows has come to. */
export interface BatchResult extends Omit<ImportCounts, 'refused'> {
  end: CsvPosition;
  isEnded: boolean;
  nextBatch: number;
  rows: number;
  issues: RowIssue[];
}

/** Stores what became of a batch, and returns how many rows have issues. */
export async function storeBatch(
  tx: TenantTx,
  { id, failed }: ImportWork,
  { job, issues: earlier }: { job: JobState; issues: RowIssue[] },
  { end, isEnded, nextBatch, rows, issues, created, updated, skipped }: BatchResult,
): Promise<number> {
  const byRow = [...groupBy(issues, ({ row }) => row)];
  const shown = JSON.stringify([...earlier, ...issues].slice(0, SHOWN_ISSUES));
  await tx.run(advance, [id, end.offset, end.row, created, updated, skipped, shown]);
  const kept = byRow.slice(0, Math.max(0, MAX_STORED_ROWS - failed));
  if (kept.length > 0)
    await tx.run(insertIssues, [
      id,
      kept.map(([row]) => row),
      kept.map(([, ofRow]) => JSON.stringify(ofRow.map(({ column, reason }) => ({ column, reason })))),
    ]);
  await storeBulkProgress(tx, job, {
    status: isEnded ? 'completed' : 'running',
    handled: rows,
    batch: nextBatch,
    done: rows - byRow.length,
    errors: issues.map(
      ({ row, column, reason }) => `Row ${row}${column === null ? '' : `, ${column}`}: ${reason}`,
    ),
    failed: byRow.length,
  });
  return byRow.length;
}
