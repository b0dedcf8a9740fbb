import { describe, expect, it } from 'vitest';
import { validation } from '../../../../console/src/i18n/de/validation.ts';
import { validationContent } from '../../../../console/src/i18n/de/validation-content.ts';
import { createMessageTranslator } from '../../../../console/src/i18n/server-messages.ts';
import { attributeTypes } from '../../../src/attributes/schema.ts';
import { attributesByField, readRow } from '../../../src/imports/read-row.ts';

const translate = createMessageTranslator({ ...validation, ...validationContent });
const attributes = attributesByField(
  attributeTypes.map((type) => ({ id: type, external_id: type, type, options: ['a', 'b'] })),
);
const FIELDS = [
  'phoneNumber',
  'email',
  'firstName',
  'fullName',
  'language',
  'timezone',
  'isSubscribed',
  'labels',
  ...attributeTypes.map((type) => `attributes.${type}`),
];
const CELLS = ['?', '017', '+49 1', '1,5E+11', '\0', 'x'.repeat(70_000), 'a,'.repeat(60), '$1 $& "'];

/** Every reason that a cell can be wrong for. */
const reasons = FIELDS.flatMap((field) =>
  CELLS.flatMap((cell) =>
    ([null, 'DE'] as const).flatMap((defaultCountry) => {
      const row = { row: 2, cells: [cell, 'more'], end: 0, offset: 0 };
      const read = readRow(row, { columns: [{ name: 'x', field }], attributes, defaultCountry });
      return 'issues' in read ? read.issues.map(({ reason }) => reason) : [];
    }),
  ),
);

describe('what is wrong with a row of a file', () => {
  it.each([
    ...new Set(reasons),
    'Has neither a phone number nor an email address',
    'The phone number and the email address belong to two contacts: merge those first',
    'There is no label "a"b\nc"',
    'Its contact would have more than 100 phone numbers and email addresses: is one address used for several people?',
    'Its contact would have more than 16384 characters of metadata, as JSON',
  ])('is said in German: %s', (reason) => {
    expect(translate(reason)).toBeTypeOf('string');
  });
});
