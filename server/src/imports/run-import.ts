import { attributesOf, findAttributes } from '../attributes/find-attributes.ts';
import { collectIssues } from '../base/issues.ts';
import { createTurns } from '../base/turns.ts';
import { isHandleTaken } from '../contacts/handles/insert-new.ts';
import { importContacts, previewImport } from '../contacts/import/import-contacts.ts';
import type { ImportedContact } from '../contacts/import/resolve-rows.ts';
import { validateLabels } from '../contacts/validate-contact.ts';
import { causedByUser, type TenantDatabase, type TenantTx } from '../db/tenant.ts';
import type { FileStore } from '../files/store.ts';
import { nextBatch } from '../jobs/batch-size.ts';
import { findLabels } from '../labels/find-or-create.ts';
import { ATTRIBUTE_PREFIX } from './columns.ts';
import { hasPlainHead } from './csv/examine.ts';
import { CsvError, type CsvPosition, readRows } from './csv/read-file.ts';
import { isBlank } from './csv/record.ts';
import { createRowSet, createSeenTexts, hasRow } from './duplicates.ts';
import {
  endImport,
  type FileFacts,
  findImportWork,
  type ImportWork,
  lockImport,
  storeBatch,
  storeFacts,
} from './progress.ts';
import { attributesByField, handleReader, type ReadContact, type RowRules, readRow } from './read-row.ts';
import { DUPLICATE_IN_FILE, type RowIssue } from './schema.ts';

const MAX_ROWS = 1_000_000;
/** A batch locks its contacts until it is committed. */
const MAX_BATCH = 2_000;
/** Rows may have a megabyte each, and two batches are in memory at the same time. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** A row whose batch failed so often, the last times alone, is left out. */
const MAX_ATTEMPTS = 10;
const MAX_CONFLICTS = 3;
/** After this time a call begins no further batch, so that jobs of others get their turn. */
const CALL_MS = 500;

const MESSAGES = {
  fileDeleted: 'The file was deleted',
  // Not by toLocaleString(): its first call takes 20 ms, of every start.
  tooManyRows: `The file has more than ${MAX_ROWS / 1_000_000},000,000 rows: split it`,
  internal: 'Could not be imported because of an internal error',
};

/** The job cannot go on: what it needs was deleted. */
class ImportError extends Error {
  override readonly name = 'ImportError';
}

const formatOf = ({ encoding, delimiter }: ImportWork) => ({ encoding, delimiter });
const startOf = ({ position, last_row }: ImportWork): CsvPosition => ({ offset: position, row: last_row });

/** Counts the rows, and finds those with a handle that an earlier row has, whether that one can be imported or not. */
async function readFacts(path: string, work: ImportWork, rules: RowRules): Promise<FileFacts> {
  const turn = createTurns();
  const readHandles = handleReader(rules);
  const seen = createSeenTexts();
  const duplicates = createRowSet();
  let total = work.handled;
  for await (const rows of readRows(path, formatOf(work), startOf(work)))
    for (const row of rows) {
      if (isBlank(row)) continue;
      if (total === MAX_ROWS) throw new CsvError(MESSAGES.tooManyRows);
      // All of them are remembered, also those of a row that is a duplicate by the other.
      if (readHandles(row).filter((handle) => !seen.add(handle)).length > 0) duplicates.add(total);
      total += 1;
      const pause = turn();
      if (pause) await pause;
    }
  return { total, duplicates: duplicates.toBuffer() };
}

/**
 * Reads the whole file once before anything is stored, so that one that cannot be read to its end changes nothing. A text that
 * looked like UTF-8 because it begins without special characters may be one of Windows after all.
 */
async function begin(path: string, tenant: TenantDatabase, work: ImportWork): Promise<boolean> {
  const rules = await readRules(tenant, work);
  const store = async (one: ImportWork) => storeFacts(tenant, one, await readFacts(path, one, rules));
  try {
    return await store(work);
  } catch (error) {
    if (!(error instanceof CsvError) || !error.isEncoding || !(await hasPlainHead(path))) throw error;
    return store({ ...work, encoding: 'windows-1252' });
  }
}

/** The rows of the next batch. */
interface ReadBatch {
  contacts: ReadContact[];
  issues: RowIssue[];
  /** How many rows they are. */
  rows: number;
  end: CsvPosition;
  isLast: boolean;
}

/** An import after a batch. */
const after = (work: ImportWork, { end, rows }: ReadBatch): ImportWork => ({
  ...work,
  position: end.offset,
  last_row: end.row,
  handled: work.handled + rows,
});

async function readBatch(path: string, work: ImportWork, rules: RowRules): Promise<ReadBatch> {
  const turn = createTurns();
  const batch: ReadBatch = { contacts: [], issues: [], rows: 0, end: startOf(work), isLast: true };
  const maxOffset = work.position + MAX_BATCH_BYTES;
  for await (const rows of readRows(path, formatOf(work), startOf(work)))
    for (const row of rows) {
      if (batch.rows === work.batch || (row.offset > maxOffset && batch.end.offset > work.position))
        return { ...batch, isLast: false };
      batch.end = { offset: row.offset, row: row.row };
      if (isBlank(row)) continue;
      const isDuplicate = work.duplicates !== null && hasRow(work.duplicates, work.handled + batch.rows);
      batch.rows += 1;
      const read = isDuplicate
        ? { issues: [{ row: row.row, column: null, reason: DUPLICATE_IN_FILE }] }
        : readRow(row, rules);
      if ('contact' in read) batch.contacts.push(read.contact);
      else batch.issues.push(...read.issues);
      const pause = turn();
      if (pause) await pause;
    }
  return batch;
}

/** Locks what rows refer to, so that nobody deletes it before the rows are stored. */
async function lockReferences(tx: TenantTx, work: ImportWork, rules: RowRules): Promise<void> {
  const ids = [...rules.attributes.values()].map(({ id }) => id);
  const known = await findAttributes(tx, { ids });
  for (const { field } of work.options.columns)
    if (field?.startsWith(ATTRIBUTE_PREFIX) && !known.has(rules.attributes.get(field)?.id ?? ''))
      throw new ImportError(`The attribute "${field.slice(ATTRIBUTE_PREFIX.length)}" was deleted`);
  const issues = collectIssues();
  await validateLabels(
    tx,
    work.options.labelIds.map((id) => ({ id })),
    issues,
  );
  if (!issues.isEmpty) throw new ImportError('One of the labels was deleted');
}

/** Gives contacts the ids of their labels. A row with a name that no label has is an issue. */
async function resolveLabels(
  tx: TenantTx,
  { contacts }: ReadBatch,
  work: ImportWork,
): Promise<{ contacts: ImportedContact[]; issues: RowIssue[] }> {
  const ids = await findLabels(
    tx,
    contacts.flatMap(({ labelNames }) => labelNames),
  );
  const column = work.options.columns.find(({ field }) => field === 'labels')?.name ?? null;
  const issues: RowIssue[] = [];
  const resolved = contacts.filter((contact) => {
    const { labelNames, row } = contact;
    if (labelNames.length === 0) {
      contact.labelIds = work.options.labelIds;
      return true;
    }
    const unknown = labelNames.find((name) => !ids.has(name));
    if (unknown !== undefined)
      issues.push({ row, column, reason: `There is no label "${unknown.slice(0, 100)}"` });
    const own = labelNames.map((name) => ids.get(name) as string);
    contact.labelIds = [...new Set([...work.options.labelIds, ...own])];
    return unknown === undefined;
  });
  return { contacts: resolved, issues };
}

/** Repeats a transaction if somebody else has created one of its contacts at the same time. */
async function withoutConflicts<T>(tenant: TenantDatabase, work: (tx: TenantTx) => Promise<T>): Promise<T> {
  for (let left = MAX_CONFLICTS; ; left -= 1)
    try {
      return await tenant.transaction(work);
    } catch (error) {
      if (!isHandleTaken(error) || left === 0) throw error;
    }
}

async function readRules(tenant: TenantDatabase, { options }: ImportWork): Promise<RowRules> {
  const { columns, defaultCountry } = options;
  const attributes = attributesByField(await attributesOf(tenant));
  const used = columns.flatMap(({ field }) => {
    const attribute = field === null ? undefined : attributes.get(field);
    return attribute ? [[field as string, attribute] as const] : [];
  });
  return { columns, attributes: new Map(used), defaultCountry };
}

/**
 * Stores a batch. Returns how the import goes on; undefined if it has ended or another process has done the batch. `readNext` is
 * called when there is time for it.
 */
const storeRows = (
  tenant: TenantDatabase,
  work: ImportWork,
  rules: RowRules,
  batch: ReadBatch,
  readNext: () => void,
): Promise<{ following: ImportWork; isEnded: boolean } | undefined> =>
  withoutConflicts(tenant, async (tx) => {
    const locked = await lockImport(tx, work);
    if (!locked) return undefined;
    const startedAt = performance.now();
    await lockReferences(tx, work, rules);
    const { contacts, issues } = await resolveLabels(tx, batch, work);
    const { author } = locked.job;
    const byAuthor = causedByUser(tx, author?.type === 'user' ? author.id : null);
    const isPoison = work.attempts >= MAX_ATTEMPTS && batch.rows === 1;
    const rows = isPoison ? [] : contacts;
    if (work.is_dry_run) readNext();
    const counts = work.is_dry_run
      ? await previewImport(tx, rows, work.options)
      : await importContacts(byAuthor, rows, work.options, readNext);
    const refused = [
      ...counts.refused.map((one) => ({ ...one, column: null })),
      ...(isPoison ? contacts.map(({ row }) => ({ row, column: null, reason: MESSAGES.internal })) : []),
    ];
    const next = nextBatch(work.batch, performance.now() - startedAt, batch.rows === work.batch, MAX_BATCH);
    const isEnded = batch.isLast;
    const failed = await storeBatch(tx, work, locked, {
      ...counts,
      end: batch.end,
      isEnded,
      rows: batch.rows,
      issues: [...batch.issues, ...issues, ...refused].toSorted((a, b) => a.row - b.row),
      nextBatch: next,
    });
    return { following: { ...after(work, batch), batch: next, failed: work.failed + failed }, isEnded };
  });

/**
 * Does some batches and returns whether the import has ended. The rows of the next batch are read while PostgreSQL stores one: as
 * long as it waits for statements, reading would delay them (docs/develop/performance.md has what that brings). After a failed
 * batch, each is done alone.
 */
async function runRows(path: string, tenant: TenantDatabase, work: ImportWork): Promise<boolean> {
  const startedAt = performance.now();
  const rules = await readRules(tenant, work);
  let current = work;
  let reading: Promise<ReadBatch> | undefined;
  for (;;) {
    const batch = await (reading ?? readBatch(path, current, rules));
    const goesOn = !batch.isLast && work.attempts === 0 && performance.now() - startedAt < CALL_MS;
    const following = after(current, batch);
    let next: Promise<ReadBatch> | undefined;
    const readNext = (): void => {
      if (!goesOn) return;
      // Once, also if storing is repeated.
      next ??= readBatch(path, following, rules);
      // If storing fails, nobody waits for it.
      next.catch(() => {});
    };
    const stored = await storeRows(tenant, current, rules, batch, readNext);
    reading = next;
    if (!stored) return false;
    if (!goesOn) return stored.isEnded;
    current = stored.following;
  }
}

/** Does some batches of an import and returns whether it has ended. Position and contacts are stored in one transaction. */
export async function runImport(
  { store }: { store: FileStore },
  tenant: TenantDatabase,
  jobId: string,
): Promise<boolean> {
  const work = await findImportWork(tenant, jobId);
  if (!work) return endImport(tenant, jobId, 'cancelled', []);
  if (!work.has_file) return endImport(tenant, jobId, 'failed', [MESSAGES.fileDeleted]);
  const path = store.pathOf(work.file_id);
  try {
    if (work.duplicates !== null) return await runRows(path, tenant, work);
    const startedAt = performance.now();
    if (await begin(path, tenant, work)) return true;
    return performance.now() - startedAt < CALL_MS ? await runImport({ store }, tenant, jobId) : false;
  } catch (error) {
    if (error instanceof CsvError || error instanceof ImportError)
      return endImport(tenant, jobId, 'failed', [error.message]);
    throw error;
  }
}
