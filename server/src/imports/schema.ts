import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { jobStatuses } from '../jobs/schema.ts';
import { Author, OnBehalfOf } from '../users/author.ts';
import { contactColumns } from './columns.ts';
import { encodings } from './csv/encoding.ts';
import { delimiters } from './csv/examine.ts';
import { MAX_CELLS } from './csv/record.ts';

const FIELD = `What the column is: ${contactColumns.map((field) => `\`${field}\``).join(', ')}, or \`attributes.\` and the \`externalId\` of an attribute; null leaves it out`;

const ImportColumn = Type.Object({
  name: Type.String({ description: 'The name of the column in the first row of the file' }),
  field: Nullable(Type.String({ maxLength: 120, description: FIELD })),
});

const existingChoices = ['update', 'skip'] as const;

const Encoding = OneOf(encodings, 'Detected unless given');
const Delimiter = OneOf(delimiters, 'Between cells; detected unless given');

export const NewImport = Type.Object({
  fileId: Uuid('An uploaded CSV file; see `POST /v3/files`'),
  columns: Type.Optional(
    Type.Array(ImportColumn, {
      minItems: 1,
      maxItems: MAX_CELLS,
      description: 'What the columns are; the others are left out. Guessed by their names unless given',
    }),
  ),
  defaultCountry: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'The country of phone numbers without + and country code, such as `DE` (ISO 3166-1)',
    }),
  ),
  existing: Type.Optional(
    OneOf(
      existingChoices,
      'Whether contacts that exist are updated, which is the default, or stay as they are',
    ),
  ),
  labelIds: Type.Optional(
    Type.Array(Uuid(), {
      maxItems: 100,
      description: 'Labels that every imported contact gets, except those that are skipped',
    }),
  ),
  publishEvents: Type.Optional(
    Type.Boolean({
      description:
        'Whether there is an event for each contact that is created or changed, as there is by default. With false there is only `job.completed`',
    }),
  ),
  isDryRun: Type.Optional(
    Type.Boolean({ description: 'Whether rows are only checked, and nothing is stored; false by default' }),
  ),
  encoding: Type.Optional(Encoding),
  delimiter: Type.Optional(Delimiter),
  ...OnBehalfOf,
});
export type NewImport = Static<typeof NewImport>;

export const ExaminedImport = Type.Object(
  {
    encoding: OneOf(encodings),
    delimiter: OneOf(delimiters),
    columns: Type.Array(
      Type.Object({
        ...ImportColumn.properties,
        samples: Type.Array(Type.String(), { description: 'The first values, cut at 200 characters' }),
      }),
      { description: 'The columns of the file with what they probably are' },
    ),
    rows: Type.Array(Type.Array(Type.String()), {
      description:
        'The cells of the first rows below the names, in the order of `columns`, cut at 200 characters',
    }),
  },
  { title: 'ExaminedImport' },
);
export type ExaminedImport = Static<typeof ExaminedImport>;

export const FileToExamine = Type.Object({
  fileId: NewImport.properties.fileId,
  encoding: Type.Optional(Encoding),
  delimiter: Type.Optional(Delimiter),
});

const RowIssue = Type.Object(
  {
    row: Type.Integer({ description: 'As a spreadsheet counts: the header is row 1' }),
    column: Nullable(Type.String({ description: 'The name of the column; null if it is the whole row' })),
    reason: Type.String(),
  },
  { title: 'ImportIssue' },
);
export type RowIssue = Static<typeof RowIssue>;

/** How many issues an import shows. All others are in its errors.csv. */
export const SHOWN_ISSUES = 100;

export const Import = Type.Object(
  {
    id: Uuid('Also the id of its job'),
    fileId: Uuid(),
    filename: Type.String(),
    status: OneOf(
      jobStatuses,
      '`failed`: the file cannot be read, or what it needs was deleted; see `error`',
    ),
    isDryRun: Type.Boolean(),
    columns: Type.Array(ImportColumn),
    defaultCountry: Nullable(Type.String()),
    existing: OneOf(existingChoices),
    labelIds: Type.Array(Uuid()),
    publishEvents: Type.Boolean(),
    encoding: OneOf(encodings),
    delimiter: OneOf(delimiters),
    author: Author,
    total: Nullable(Type.Integer({ description: 'How many rows there are; null until they are counted' })),
    created: Type.Integer({ description: 'Rows that became a new contact' }),
    updated: Type.Integer({ description: 'Rows of contacts that existed' }),
    skipped: Type.Integer({ description: 'Rows of contacts that existed and stayed as they are' }),
    failed: Type.Integer({ description: 'Rows with issues. Nothing of them is stored' }),
    issues: Type.Array(RowIssue, { description: `The first ${SHOWN_ISSUES}` }),
    error: Nullable(Type.String({ description: 'Why the import failed' })),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    endedAt: Nullable(Timestamp()),
  },
  { title: 'Import' },
);
export type Import = Static<typeof Import>;
