import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { findFile } from '../files/file.ts';
import type { FileStore } from '../files/store.ts';
import { csvLine } from '../http/csv.ts';
import type { Download } from '../http/download.ts';
import type { Principal } from '../http/permissions.ts';
import { examineFile } from './csv/examine.ts';
import { readRows } from './csv/read-file.ts';
import { requireImportRow } from './import.ts';
import type { RowIssue } from './schema.ts';

const PAGE = 1_000;

interface IssueRow {
  row_number: number;
  issues: Omit<RowIssue, 'row'>[];
}

const issuesPage = statement<[importId: string, after: number], IssueRow>(
  'import_issues.page',
  `select row_number, issues from import_issues where import_id = $1 and tenant_id = $tenant and row_number > $2
    order by row_number limit ${PAGE}`,
);

const describe = (issues: IssueRow['issues']): string =>
  issues.map(({ column, reason }) => (column === null ? reason : `${column}: ${reason}`)).join('\n');

/**
 * The rows that were not imported, with the reasons and their cells as they are in the file, so that they can be corrected and imported
 * again. Both are read a part at a time, in the order of rows. Without the cells if the file was deleted.
 */
export async function importErrors(
  db: TenantDatabase,
  store: FileStore,
  importId: string,
  principal: Principal,
): Promise<Download> {
  const { id, file_id, encoding, delimiter, options } = await requireImportRow(db.byKey, importId, principal);
  const hasFile = (await findFile(db.byKey, file_id)) !== undefined;

  async function* issueRows(): AsyncGenerator<IssueRow> {
    for (let after = 0; ; ) {
      const page = await db.all(issuesPage, [id, after]);
      yield* page;
      if (page.length < PAGE) return;
      after = (page.at(-1) as IssueRow).row_number;
    }
  }

  async function* fileRows(): AsyncGenerator<{ row: number; cells: string[] }> {
    if (!hasFile) return;
    const path = store.pathOf(file_id);
    const { start } = await examineFile(path, { encoding, delimiter });
    for await (const rows of readRows(path, { encoding, delimiter }, start)) yield* rows;
  }

  async function* pieces(): AsyncGenerator<string> {
    const names = hasFile ? options.columns.map(({ name }) => name) : [];
    yield csvLine(['row', 'reason', ...names]);
    const rows = fileRows();
    try {
      for await (const { row_number, issues } of issueRows()) {
        let found = hasFile ? await rows.next() : undefined;
        while (found && !found.done && found.value.row < row_number) found = await rows.next();
        const cells = found && !found.done ? found.value.cells : [];
        yield csvLine([String(row_number), describe(issues), ...cells]);
      }
    } finally {
      await rows.return(undefined);
    }
  }

  return { filename: `import-${id}-errors.csv`, pieces: pieces() };
}
