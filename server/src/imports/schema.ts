import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { jobStatuses } from '../jobs/schema.ts';
import { Author, OnBehalfOf } from '../users/author.ts';
import { contactColumns } from './columns.ts';
import { encodings } from './csv/encoding.ts';
import { delimiters } from './csv/examine.ts';
import { MAX_CELLS } from './csv/record.ts';

const FIELD = `What the column is: ${contactColumns.map((field) => `\`${field}\``).join(', ')}, \`attributes.\` and the \`externalId\` of an attribute, or \`metadata.\` and a key`;

const Mapping = (description: string) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties: MAX_CELLS,
    additionalProperties: Type.String({ maxLength: 120, description: FIELD }),
    description,
  });

export const onExistingChoices = ['skip', 'update'] as const;

const Encoding = OneOf(encodings, 'Detected unless given');
const Delimiter = OneOf(delimiters, 'Between cells; detected unless given');

export const NewImport = Type.Object({
  fileId: Uuid('An uploaded CSV file; see `POST /v3/files`'),
  mapping: Mapping(
    'What the columns are, by their names in the first row of the file; the others are left out. `POST /v3/imports/examine` guesses it',
  ),
  defaultCountry: Type.Optional(
    Type.String({
      pattern: '^[A-Z]{2}$',
      description: 'The country of phone numbers without + and country code, such as `DE` (ISO 3166-1)',
    }),
  ),
  onExisting: Type.Optional(
    OneOf(
      onExistingChoices,
      'Whether contacts that exist stay as they are, which is the default, or are updated',
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
  triggerAutomations: Type.Optional(
    Type.Boolean({
      description:
        'Whether automations start for contacts that are created or get a label; false by default. Needs events',
    }),
  ),
  dryRun: Type.Optional(
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
        name: Type.String({ description: 'The name of the column in the first row of the file' }),
        field: Nullable(Type.String({ description: `${FIELD}; null if that is unknown` })),
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

/** Why a row is not imported that has a phone number or an email address of an earlier row. */
export const DUPLICATE_IN_FILE = 'duplicate_in_file';

const RowIssue = Type.Object(
  {
    row: Type.Integer({ description: 'As a spreadsheet counts: the header is row 1' }),
    column: Nullable(Type.String({ description: 'The name of the column; null if it is the whole row' })),
    reason: Type.String({
      description: `What is wrong; \`${DUPLICATE_IN_FILE}\` if an earlier row has the phone number or the email address`,
    }),
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
    dryRun: Type.Boolean(),
    mapping: Mapping('What the columns are that are imported'),
    defaultCountry: Nullable(Type.String()),
    onExisting: OneOf(onExistingChoices),
    labelIds: Type.Array(Uuid()),
    publishEvents: Type.Boolean(),
    triggerAutomations: Type.Boolean(),
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
