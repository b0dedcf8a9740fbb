import type { AttributeKind } from '../attributes/find-attributes.ts';
import type { Issues } from '../base/issues.ts';

/** What a column of a file can be, beside `attributes.city` and `metadata.crmId`. */
export const contactColumns = [
  'firstName',
  'lastName',
  'fullName',
  'phoneNumber',
  'email',
  'language',
  'timezone',
  'isSubscribed',
  'labels',
] as const;
export type ContactColumn = (typeof contactColumns)[number];
export const ATTRIBUTE_PREFIX = 'attributes.';
export const METADATA_PREFIX = 'metadata.';
/** Keys that no request may have in its metadata either. */
const FORBIDDEN_KEYS: readonly string[] = ['', '__proto__', 'constructor'];

const isContactColumn = (field: string): field is ContactColumn =>
  (contactColumns as readonly string[]).includes(field);

/** A column of the file and what it is; null if it is left out. */
export interface Column {
  name: string;
  field: string | null;
}

/** Other names of columns, without blanks and signs, as spreadsheets and other products write them. */
const aliases: Record<string, ContactColumn> = {
  firstname: 'firstName',
  givenname: 'firstName',
  vorname: 'firstName',
  lastname: 'lastName',
  surname: 'lastName',
  familyname: 'lastName',
  nachname: 'lastName',
  familienname: 'lastName',
  name: 'fullName',
  fullname: 'fullName',
  vollständigername: 'fullName',
  ansprechpartner: 'fullName',
  phone: 'phoneNumber',
  phonenumber: 'phoneNumber',
  mobile: 'phoneNumber',
  mobilephone: 'phoneNumber',
  mobilenumber: 'phoneNumber',
  mobil: 'phoneNumber',
  mobilnummer: 'phoneNumber',
  mobiltelefon: 'phoneNumber',
  cellphone: 'phoneNumber',
  whatsapp: 'phoneNumber',
  tel: 'phoneNumber',
  telephone: 'phoneNumber',
  telefon: 'phoneNumber',
  telefonnummer: 'phoneNumber',
  handy: 'phoneNumber',
  handynummer: 'phoneNumber',
  rufnummer: 'phoneNumber',
  email: 'email',
  emailaddress: 'email',
  mail: 'email',
  emailadresse: 'email',
  mailadresse: 'email',
  language: 'language',
  locale: 'language',
  sprache: 'language',
  timezone: 'timezone',
  zeitzone: 'timezone',
  issubscribed: 'isSubscribed',
  subscribed: 'isSubscribed',
  abonniert: 'isSubscribed',
  labels: 'labels',
  tags: 'labels',
  etiketten: 'labels',
  schlagworte: 'labels',
};

const plain = (name: string): string =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** What the columns probably are, by their names. Each field is used once. */
export function guessColumns(header: readonly string[], attributes: readonly AttributeKind[]): Column[] {
  const used = new Set<string>();
  // The oldest attribute counts. Looked up by name: there may be thousands, and 500 columns.
  const fields = new Map(
    attributes.toReversed().map(({ external_id }) => [plain(external_id), ATTRIBUTE_PREFIX + external_id]),
  );
  const exact = new Set(attributes.map(({ external_id }) => ATTRIBUTE_PREFIX + external_id));
  const guess = (name: string): string | null => {
    const short = plain(name);
    const alias = Object.hasOwn(aliases, short) ? aliases[short] : undefined;
    return alias ?? (exact.has(name) ? name : (fields.get(short) ?? null));
  };
  return header.map((name) => {
    const field = guess(name);
    if (field === null || used.has(field)) return { name, field: null };
    used.add(field);
    return { name, field };
  });
}

/** Adds an issue unless a column can be what it is said to be. */
function validateField(
  name: string,
  field: string,
  attributes: readonly AttributeKind[],
  issues: Issues,
): void {
  const externalId = field.startsWith(ATTRIBUTE_PREFIX) ? field.slice(ATTRIBUTE_PREFIX.length) : undefined;
  const key = field.startsWith(METADATA_PREFIX) ? field.slice(METADATA_PREFIX.length) : '';
  if (externalId !== undefined) {
    if (!attributes.some(({ external_id }) => external_id === externalId))
      issues.add(name, 'custom', `There is no attribute "${externalId}"`);
  } else if (!isContactColumn(field) && FORBIDDEN_KEYS.includes(key))
    issues.add(
      name,
      'invalid_enum_value',
      `Must be one of ${contactColumns.join(', ')}, attributes. and the externalId of an attribute, or metadata. and a key`,
    );
}

/** The columns of a file with what the client says they are. Adds an issue for each that is wrong. */
export function mapColumns(
  mapping: Readonly<Record<string, string>>,
  header: readonly string[],
  attributes: readonly AttributeKind[],
  issues: Issues,
): Column[] {
  const fields = new Map<number, string>();
  const used = new Set<string>();
  for (const [name, field] of Object.entries(mapping)) {
    const position = header.indexOf(name.trim());
    if (position === -1) issues.add(name, 'custom', 'The file has no column of this name');
    else if (header.includes(name.trim(), position + 1))
      issues.add(name, 'custom', 'The file has several columns of this name');
    else if (fields.has(position)) issues.add(name, 'custom', 'Is given twice');
    validateField(name, field, attributes, issues);
    if (used.has(field)) issues.add(name, 'custom', `Another column is ${field} already`);
    used.add(field);
    if (position !== -1) fields.set(position, field);
  }
  return header.map((name, position) => ({ name, field: fields.get(position) ?? null }));
}

/** Adds an issue unless contacts can be identified. */
export function requireHandles(columns: readonly Column[], issues: Issues): void {
  const fields = columns.map(({ field }) => field);
  if (!fields.includes('phoneNumber') && !fields.includes('email'))
    issues.add('mapping', 'custom', 'One column must be phoneNumber or email, to identify a contact');
  if (fields.includes('fullName') && (fields.includes('firstName') || fields.includes('lastName')))
    issues.add('mapping', 'custom', 'Use either fullName, or firstName and lastName');
}
