import type { AttributeKind } from '../attributes/find-attributes.ts';
import { isLongerThan } from '../base/characters.ts';
import { collectIssues } from '../base/issues.ts';
import { validateValue } from '../contacts/attributes/values.ts';
import { splitName } from '../contacts/create-contacts.ts';
import { commonSpelling } from '../contacts/handles/spellings.ts';
import { type Country, validateHandle } from '../contacts/handles/validate.ts';
import type { ImportedContact } from '../contacts/import/resolve-rows.ts';
import { languageOf, nameOf, validateTimezone } from '../contacts/validate-contact.ts';
import { splitList, unescapeCell } from '../http/csv.ts';
import { ATTRIBUTE_PREFIX, type Column, type ContactColumn, METADATA_PREFIX } from './columns.ts';
import type { CsvRow } from './csv/read-file.ts';
import type { RowIssue } from './schema.ts';

const MAX_NAME = 255;
const MAX_LABELS = 50;
/** A row names so many of its issues. */
const MAX_ISSUES = 10;
const YES: readonly string[] = ['true', 'yes', '1', 'ja', 'y'];
const NO: readonly string[] = ['false', 'no', '0', 'nein', 'n'];

/** `="0170 123"`, by which spreadsheets keep digits as a text. */
const TEXT_FORMULA = /^="([^"]*)"$/;
/** What a spreadsheet has made of a long number. */
const SHORTENED_NUMBER = /^\d[.,]\d+E\+\d+$/i;

/** The text of a cell, without the apostrophes that exports write before what a spreadsheet would read as a formula. */
function textOf(cell: string): string {
  const text = cell.trim();
  return unescapeCell(text.startsWith('=') ? text.replace(TEXT_FORMULA, '$1') : text).trim();
}

/** How the rows of a file become contacts. */
export interface RowRules {
  columns: readonly Column[];
  attributes: ReadonlyMap<string, AttributeKind>;
  defaultCountry: Country | null;
}

/** A row as a contact. Its labels are still names, and become ids in the transaction that stores it. */
export interface ReadContact extends ImportedContact {
  labelNames: string[];
}

/** Reads what one cell says into a contact, or returns what is wrong with it. */
type ReadCell<C = ReadContact> = (contact: C, text: string, rules: RowRules) => string | undefined;
type Handles = Pick<ReadContact, 'phoneNumber' | 'email'>;

const setName =
  (field: 'firstName' | 'lastName'): ReadCell =>
  (contact, text) => {
    if (isLongerThan(text, MAX_NAME)) return `Must have at most ${MAX_NAME} characters`;
    contact[field] = nameOf(text);
    return undefined;
  };

const handleReaders: Record<keyof Handles, ReadCell<Handles>> = {
  phoneNumber(contact, text, { defaultCountry }) {
    if (SHORTENED_NUMBER.test(text))
      return 'A spreadsheet has shortened this number: format the column as text, and export it again';
    const { value, issue } = validateHandle('phone_number', text, defaultCountry);
    if (issue) return issue.message;
    contact.phoneNumber = value;
    return undefined;
  },
  email(contact, text) {
    const { value, issue } = validateHandle('email', text);
    if (issue) return issue.message;
    contact.email = value;
    return undefined;
  },
};

const readers: Record<ContactColumn, ReadCell> = {
  ...handleReaders,
  firstName: setName('firstName'),
  lastName: setName('lastName'),
  fullName(contact, text) {
    if (isLongerThan(text, MAX_NAME)) return `Must have at most ${MAX_NAME} characters`;
    Object.assign(contact, splitName(text));
    return undefined;
  },
  language(contact, text) {
    const issues = collectIssues();
    contact.language = languageOf<null>(text, issues);
    return issues.params.language?.message;
  },
  timezone(contact, text) {
    const issues = collectIssues();
    validateTimezone(text, issues);
    contact.timezone = text;
    return issues.params.timezone?.message;
  },
  isSubscribed(contact, text) {
    const said = text.toLowerCase();
    if (!YES.includes(said) && !NO.includes(said)) return 'Must be true or false';
    contact.isUnsubscribed = NO.includes(said);
    return undefined;
  },
  labels(contact, text) {
    const names = splitList(text);
    if (names.length > MAX_LABELS) return `Must have at most ${MAX_LABELS} labels`;
    contact.labelNames = names;
    return undefined;
  },
};

function readAttribute(contact: ReadContact, text: string, attribute: AttributeKind): string | undefined {
  const { stored, issue } = validateValue(attribute, text);
  if (issue) return issue.message;
  contact.attributes.set(attribute.id, stored);
  return undefined;
}

/** Whether PostgreSQL can store a text. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** A row as a contact, or what is wrong with it. An empty cell says nothing about the contact. */
export function readRow(row: CsvRow, rules: RowRules): { contact: ReadContact } | { issues: RowIssue[] } {
  const issues: RowIssue[] = [];
  const addIssue = (column: string | null, reason: string): void => {
    if (issues.length < MAX_ISSUES) issues.push({ row: row.row, column, reason });
  };
  const contact: ReadContact = {
    row: row.row,
    phoneNumber: null,
    email: null,
    firstName: null,
    lastName: null,
    language: null,
    timezone: null,
    isUnsubscribed: false,
    metadata: null,
    attributes: new Map(),
    labelNames: [],
    labelIds: [],
  };
  if (row.problem !== undefined) return { issues: [{ row: row.row, column: null, reason: row.problem }] };
  const more = row.cells.slice(rules.columns.length);
  if (more.some((cell) => cell.trim() !== ''))
    addIssue(null, `Has ${row.cells.length} cells, but there are ${rules.columns.length} columns`);
  for (const [index, { name, field }] of rules.columns.entries()) {
    if (field === null) continue;
    const text = textOf(row.cells[index] ?? '');
    if (text === '') continue;
    if (!isStorable(text)) {
      addIssue(name, 'Has a character that cannot be stored');
      continue;
    }
    if (field.startsWith(METADATA_PREFIX)) {
      contact.metadata ??= {};
      contact.metadata[field.slice(METADATA_PREFIX.length)] = text;
      continue;
    }
    const attribute = rules.attributes.get(field);
    const reason = attribute
      ? readAttribute(contact, text, attribute)
      : readers[field as ContactColumn]?.(contact, text, rules);
    if (reason !== undefined) addIssue(name, reason);
  }
  if (issues.length === 0 && contact.phoneNumber === null && contact.email === null)
    addIssue(null, 'Has neither a phone number nor an email address');
  return issues.length > 0 ? { issues } : { contact };
}

/** The attributes that columns have, by the names of their fields. */
export const attributesByField = (attributes: readonly AttributeKind[]): Map<string, AttributeKind> =>
  new Map(attributes.map((attribute) => [ATTRIBUTE_PREFIX + attribute.external_id, attribute]));

/**
 * Returns a function that returns the phone number and the email address of a row, as far as they can be read, whatever else is
 * wrong with the row. Two spellings of a number are the same text.
 */
export function handleReader(rules: RowRules): (row: CsvRow) => string[] {
  const columns = rules.columns.flatMap(({ field }, index) =>
    field === 'phoneNumber' || field === 'email' ? [{ index, read: handleReaders[field] }] : [],
  );
  return ({ cells, problem }) => {
    if (problem !== undefined) return [];
    const handles: Handles = { phoneNumber: null, email: null };
    for (const { index, read } of columns) {
      const text = textOf(cells[index] ?? '');
      if (text !== '') read(handles, text, rules);
    }
    const { phoneNumber, email } = handles;
    return [
      ...(phoneNumber === null ? [] : [commonSpelling(phoneNumber)]),
      ...(email === null ? [] : [email]),
    ];
  };
}
