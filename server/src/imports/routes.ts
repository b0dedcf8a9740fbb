import { Type } from 'typebox';
import type { FileStore } from '../files/store.ts';
import { csv, data } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import { examineImport, startImport } from './create-import.ts';
import { importErrors } from './errors-file.ts';
import { exampleErrors, exampleExamined, exampleImport } from './example.ts';
import { cancelImport, importFields, importSource, presentImport, requireImport } from './import.ts';
import { ExaminedImport, FileToExamine, Import, NewImport } from './schema.ts';

const imports = routeFamily({
  tag: 'Imports',
  params: Type.Object({ importId: Type.String() }),
  exampleParams: { importId: exampleImport.id },
});
const queued: Import = {
  ...exampleImport,
  status: 'queued',
  total: null,
  created: 0,
  updated: 0,
  failed: 0,
  issues: [],
};

export function importRoutes({ store }: { store: FileStore }): Route[] {
  return [
    imports.call(
      {
        method: 'POST',
        path: '/v3/imports',
        operationId: 'createImport',
        summary: 'Import contacts from a file',
        description:
          'The file is a CSV of up to 1,000,000 rows, whose first row has the names of the columns. Upload it with `POST /v3/files`; its import makes it private, which needs `files:write`, unless it is a dry run, or a message, a campaign, a saved reply or an automation uses the file. A private file is deleted 7 days after its last import has ended. A row becomes a contact. One whose phone number or email address a contact has is skipped, or updates the contact with `onExisting: "update"`; empty cells change nothing. Rows with issues are left out and listed, also those that repeat a phone number or an email address of an earlier row (`duplicate_in_file`). The import is a job with the same id. Also needs `files:read`. See the guide about imports.',
        access: 'contacts:write',
        body: NewImport,
        answer: data(Import),
        failures: ['limit_reached'],
        example: {
          body: {
            fileId: exampleImport.fileId,
            mapping: exampleImport.mapping,
            defaultCountry: 'DE',
            onExisting: 'update',
            labelIds: exampleImport.labelIds,
          },
          answer: queued,
        },
      },
      ({ principal, body }, db) => startImport(db, store, body, principal),
    ),
    imports.read(
      {
        method: 'POST',
        path: '/v3/imports/examine',
        operationId: 'examineImport',
        summary: 'Examine a file before its import',
        description:
          'Returns how the file is written, its columns with their first values, and what they probably are. Nothing is stored. Also needs `files:read`.',
        access: 'contacts:read',
        body: FileToExamine,
        answer: data(ExaminedImport),
        failures: [],
        example: { body: { fileId: exampleImport.fileId }, answer: exampleExamined },
      },
      ({ principal, body }, db) => examineImport(db, store, body, principal),
    ),
    searchRoute({
      path: '/v3/imports/search',
      operationId: 'searchImports',
      tag: 'Imports',
      noun: 'imports',
      access: 'contacts:read',
      searchable: importFields,
      source: async (_db, _params, principal) => importSource(principal),
      schema: Import,
      present: presentImport,
      example: { query: 'eq(status,"running")', item: exampleImport },
    }),
    imports.read(
      {
        method: 'GET',
        path: '/v3/imports/:importId',
        operationId: 'getImport',
        summary: 'Get an import',
        description:
          'Users who are restricted to teams see the imports that they asked for. Imports are kept for 30 days after they have ended.',
        access: 'contacts:read',
        answer: data(Import),
        failures: ['import_not_found'],
        example: { answer: exampleImport },
      },
      ({ principal, params }, db) => requireImport(db.byKey, params.importId, principal),
    ),
    imports.write(
      {
        method: 'POST',
        path: '/v3/imports/:importId/cancel',
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description: 'What was imported before stays. An import that has ended is not changed.',
        access: 'contacts:write',
        answer: data(Import),
        failures: ['import_not_found'],
        example: { answer: { ...exampleImport, status: 'cancelled', endedAt: exampleImport.updatedAt } },
      },
      ({ principal, params }, tx) => cancelImport(tx, params.importId, principal),
    ),
    imports.read(
      {
        method: 'GET',
        path: '/v3/imports/:importId/errors.csv',
        operationId: 'getImportErrors',
        summary: 'Download the rows that were not imported',
        description:
          'Returns a CSV file with the number of each row that has an issue, the reason, and its cells, which can be corrected and imported again; without the cells after the file was deleted. It has the first 100,000 such rows. A text that a spreadsheet could read as a formula is preceded by an apostrophe, which an import removes.',
        access: 'contacts:read',
        answer: csv,
        failures: ['import_not_found'],
        example: { answer: exampleErrors },
      },
      ({ principal, params }, db) => importErrors(db, store, params.importId, principal),
    ),
  ];
}
