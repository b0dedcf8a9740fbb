import { attributesOf } from '../attributes/find-attributes.ts';
import { type ApiError, invalidParam } from '../base/errors.ts';
import { collectIssues } from '../base/issues.ts';
import { type Country, isCountry } from '../contacts/handles/validate.ts';
import { validateLabels } from '../contacts/validate-contact.ts';
import type { TenantDatabase, TenantReader } from '../db/tenant.ts';
import { type FileRow, findFile, hasSignedUrls, holdFile } from '../files/file.ts';
import type { FileStore } from '../files/store.ts';
import { makeUnusedPrivate } from '../files/unused-files.ts';
import { hasScope, lacksScope, type Principal } from '../http/permissions.ts';
import type { Finish } from '../http/route.ts';
import { insertRequested } from '../jobs/insert-job.ts';
import { authorOf } from '../users/author.ts';
import { guessColumns, mapColumns, requireHandles } from './columns.ts';
import { type ExaminedFile, examineFile, hasWideMark } from './csv/examine.ts';
import { CsvError } from './csv/read-file.ts';
import { insertImport, requireImport } from './import.ts';
import type { ExaminedImport, Import, NewImport } from './schema.ts';

const FIRST_BATCH = 500;
const SAMPLES = 5;
const MAX_SAMPLE_CHARACTERS = 200;
const cutSample = (text: string): string => text.trim().slice(0, MAX_SAMPLE_CHARACTERS).toWellFormed();
/** What texts are detected as. Those in UTF-16 and the encodings of Windows are not detected as texts. */
const READABLE: readonly string[] = [
  'text/csv',
  'text/plain',
  'text/tab-separated-values',
  'application/octet-stream',
];

interface FileRequest {
  fileId: string;
  encoding?: ExaminedFile['encoding'];
  delimiter?: ExaminedImport['delimiter'];
}

const noFile = (fileId: string): ApiError => invalidParam('fileId', 'custom', `There is no file ${fileId}`);

const requireFileScope = (principal: Principal, scope: 'files:read' | 'files:write'): void => {
  if (!hasScope(principal, scope)) throw invalidParam('fileId', 'custom', lacksScope(scope));
};

/** Finds a file that the caller may read and that may be a table. */
async function requireTable(
  db: TenantReader,
  store: FileStore,
  fileId: string,
  principal: Principal,
): Promise<FileRow> {
  requireFileScope(principal, 'files:read');
  const file = await findFile(db, fileId);
  if (!file) throw noFile(fileId);
  // The mark of UTF-16 is also how some sounds begin.
  if (!READABLE.includes(file.mime_type) && !(await hasWideMark(store.pathOf(file.id))))
    throw invalidParam(
      'fileId',
      'custom',
      `Must be a CSV file, received ${file.mime_type}. In a spreadsheet, choose “Save as CSV”`,
    );
  return file;
}

/** Reads the beginning of a file. What is no table is an invalid `fileId`. */
async function examine(
  db: TenantDatabase,
  store: FileStore,
  { fileId, encoding, delimiter }: FileRequest,
  principal: Principal,
): Promise<{ file: FileRow; examined: ExaminedFile }> {
  const file = await requireTable(db.byKey, store, fileId, principal);
  try {
    const examined = await examineFile(store.pathOf(file.id), {
      ...(encoding === undefined ? {} : { encoding }),
      ...(delimiter === undefined ? {} : { delimiter }),
    });
    return { file, examined };
  } catch (error) {
    if (error instanceof CsvError) throw invalidParam('fileId', 'custom', error.message);
    throw error;
  }
}

/** What a file has, and what its columns probably are. */
export async function examineImport(
  db: TenantDatabase,
  store: FileStore,
  request: FileRequest,
  principal: Principal,
): Promise<ExaminedImport> {
  const { examined } = await examine(db, store, request, principal);
  const columns = guessColumns(examined.header, await attributesOf(db));
  return {
    encoding: examined.encoding,
    delimiter: examined.delimiter as ExaminedImport['delimiter'],
    columns: columns.map((column, index) => ({
      ...column,
      samples: examined.samples
        .flatMap((cells) => cells[index]?.trim() || [])
        .slice(0, SAMPLES)
        .map(cutSample),
    })),
    rows: examined.samples
      .slice(0, SAMPLES)
      .map((cells) => columns.map((_, index) => cutSample(cells[index] ?? ''))),
  };
}

function countryOf(code: string | undefined): Country | null {
  if (code === undefined) return null;
  if (!isCountry(code))
    throw invalidParam('defaultCountry', 'custom', 'Must be the code of a country, such as DE');
  return code;
}

/** Starts to import the contacts of a file. The columns are checked now, the rows by the job. */
export async function startImport(
  db: TenantDatabase,
  store: FileStore,
  request: NewImport,
  principal: Principal,
): Promise<Finish<Import>> {
  const { dryRun = false, onExisting = 'skip', publishEvents = true, triggerAutomations = false } = request;
  if (triggerAutomations && !publishEvents)
    throw invalidParam('triggerAutomations', 'custom', 'Events start automations: leave out publishEvents');
  const defaultCountry = countryOf(request.defaultCountry);
  const { file, examined } = await examine(db, store, request, principal);
  // Files that are imported are full of personal data. So they become private, which ends their permanent URLs.
  const becomesPrivate = !dryRun && !hasSignedUrls(file);
  if (becomesPrivate) requireFileScope(principal, 'files:write');
  const issues = collectIssues();
  const columns = mapColumns(request.mapping, examined.header, await attributesOf(db), issues.at('mapping'));
  if (issues.isEmpty) requireHandles(columns, issues);
  issues.throwIfAny();
  return async (tx) => {
    if (!(await holdFile(tx, file.id))) throw noFile(file.id);
    if (becomesPrivate) await makeUnusedPrivate(tx, file.id);
    const labelIds = (request.labelIds ?? []).map((id) => id.toLowerCase());
    const known = new Set(
      await validateLabels(
        tx,
        labelIds.map((id) => ({ id })),
        collectIssues(),
      ),
    );
    for (const [index, id] of labelIds.entries())
      if (!known.has(id)) issues.add(`labelIds.${index}`, 'custom', `There is no label ${id}`);
    issues.throwIfAny();
    const author = await authorOf(tx, principal, request.userId);
    const { id } = await insertRequested(tx, {
      kind: 'import_contacts',
      subjectId: file.id,
      author,
      batch: FIRST_BATCH,
    });
    await insertImport(tx, {
      id,
      fileId: file.id,
      filename: file.filename,
      isDryRun: dryRun,
      settings: {
        columns,
        defaultCountry,
        onExisting,
        labelIds: [...known],
        publishEvents,
        triggerAutomations,
      },
      encoding: examined.encoding,
      delimiter: examined.delimiter,
      start: examined.start,
    });
    return requireImport(tx, id, principal);
  };
}
