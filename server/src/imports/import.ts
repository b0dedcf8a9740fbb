import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Country } from '../contacts/handles/validate.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import { cancelJob } from '../jobs/bulk.ts';
import { isVisibleJob } from '../jobs/job.ts';
import { jobStatuses } from '../jobs/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import type { Column } from './columns.ts';
import { encodings } from './csv/encoding.ts';
import { delimiters } from './csv/examine.ts';
import { type Import, onExistingChoices, type RowIssue } from './schema.ts';

/** What is done with the rows of a file, as it is stored. */
interface ImportSettings {
  columns: Column[];
  defaultCountry: Country | null;
  onExisting: Import['onExisting'];
  labelIds: string[];
  publishEvents: boolean;
  triggerAutomations: boolean;
}

export interface ImportRow {
  id: string;
  file_id: string;
  filename: string;
  is_dry_run: boolean;
  options: ImportSettings;
  encoding: Import['encoding'];
  delimiter: Import['delimiter'];
  created: number;
  updated: number;
  skipped: number;
  issues: RowIssue[];
  status: Import['status'];
  author: Import['author'];
  total: number | null;
  failed: number;
  errors: string[];
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}

const IMPORT_COLUMNS = `i.id, i.file_id, i.filename, i.is_dry_run, i.options, i.encoding, i.delimiter, i.created, i.updated, i.skipped,
  i.issues, j.status, j.author, j.total, j.failed, j.errors, j.created_at, j.updated_at, j.ended_at`;
const IMPORTS = 'imports i join jobs j on j.id = i.id and (j.tenant_id = i.tenant_id) is true';

const insertOne = statement<
  [
    id: string,
    fileId: string,
    filename: string,
    isDryRun: boolean,
    options: ImportSettings,
    encoding: string,
    delimiter: string,
    position: number,
    lastRow: number,
  ]
>(
  'imports.insert',
  `insert into imports (id, tenant_id, file_id, filename, is_dry_run, options, encoding, delimiter, position, last_row)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const importById = statement<[id: string], ImportRow>(
  'imports.by_id',
  `select ${IMPORT_COLUMNS} from ${IMPORTS} where i.id = $1 and i.tenant_id = $tenant`,
);

export const presentImport = ({ options, ...row }: ImportRow): Import => ({
  id: row.id,
  fileId: row.file_id,
  filename: row.filename,
  status: row.status,
  dryRun: row.is_dry_run,
  mapping: Object.fromEntries(
    options.columns.flatMap(({ name, field }) => (field === null ? [] : [[name, field] as const])),
  ),
  defaultCountry: options.defaultCountry,
  onExisting: options.onExisting,
  labelIds: options.labelIds,
  publishEvents: options.publishEvents,
  triggerAutomations: options.triggerAutomations,
  encoding: row.encoding,
  delimiter: row.delimiter,
  author: row.author,
  total: row.total,
  created: row.created,
  updated: row.updated,
  skipped: row.skipped,
  failed: row.failed,
  issues: row.issues,
  // The reasons of rows are in `issues`: the last one is why the job ended.
  error: row.status === 'failed' ? (row.errors.at(-1) ?? null) : null,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  endedAt: timestampOrNull(row.ended_at),
});

/** A new import, before its first row. */
export interface NewImportRow {
  id: string;
  fileId: string;
  filename: string;
  isDryRun: boolean;
  settings: ImportSettings;
  encoding: string;
  delimiter: string;
  start: { offset: number; row: number };
}

export async function insertImport(tx: TenantTx, given: NewImportRow): Promise<void> {
  const { id, fileId, filename, isDryRun, settings, encoding, delimiter, start } = given;
  await tx.run(insertOne, [
    id,
    fileId,
    filename,
    isDryRun,
    settings,
    encoding,
    delimiter,
    start.offset,
    start.row,
  ]);
}

/** Users who are restricted to teams see what they asked for, as with jobs. */
export async function requireImportRow(
  db: TenantReader,
  importId: string,
  principal: Principal,
): Promise<ImportRow> {
  const row = isUuid(importId) ? await db.find(importById, [importId]) : undefined;
  if (!row || !isVisibleJob(principal, row)) throw new ApiError('import_not_found');
  return row;
}

export const requireImport = async (
  db: TenantReader,
  importId: string,
  principal: Principal,
): Promise<Import> => presentImport(await requireImportRow(db, importId, principal));

/** Ends an import before its end. What is imported stays. One that has ended is not changed. */
export async function cancelImport(tx: TenantTx, importId: string, principal: Principal): Promise<Import> {
  const { id } = await requireImportRow(tx, importId, principal);
  await cancelJob(tx, id, principal);
  return requireImport(tx, id, principal);
}

export const importFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'i.id' },
    status: { type: 'enum', sql: 'j.status', values: jobStatuses },
    dryRun: { type: 'boolean', sql: 'i.is_dry_run' },
    fileId: { type: 'uuid', sql: 'i.file_id' },
    filename: { type: 'string', sql: 'i.filename' },
    defaultCountry: { type: 'string', sql: `i.options->>'defaultCountry'`, nullable: true },
    onExisting: { type: 'enum', sql: `i.options->>'onExisting'`, values: onExistingChoices },
    publishEvents: { type: 'boolean', sql: `(i.options->>'publishEvents')::boolean` },
    triggerAutomations: { type: 'boolean', sql: `(i.options->>'triggerAutomations')::boolean` },
    encoding: { type: 'enum', sql: 'i.encoding', values: encodings },
    delimiter: { type: 'enum', sql: 'i.delimiter', values: delimiters },
    total: { type: 'number', sql: 'j.total', nullable: true },
    created: { type: 'number', sql: 'i.created' },
    updated: { type: 'number', sql: 'i.updated' },
    skipped: { type: 'number', sql: 'i.skipped' },
    failed: { type: 'number', sql: 'j.failed' },
    authorId: { type: 'uuid', sql: `(j.author->>'id')::uuid`, nullable: true },
    createdAt: { type: 'time', sql: 'j.created_at' },
    updatedAt: { type: 'time', sql: 'j.updated_at' },
    endedAt: { type: 'time', sql: 'j.ended_at', nullable: true },
  },
  names: ['i.filename'],
  id: 'i.id',
};

export const importSource = ({ channelIds, caller }: Principal): SearchSource => ({
  select: IMPORT_COLUMNS,
  from: IMPORTS,
  tenantColumn: 'i.tenant_id',
  ...(channelIds === undefined ? {} : { where: (bind) => `j.author->>'id' = ${bind(caller.id)}` }),
});
