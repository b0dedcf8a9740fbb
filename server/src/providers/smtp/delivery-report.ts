import type { ParsedMail } from 'mailparser';
import { fieldsOf, type MailHeaders } from './headers.ts';

/** What is read of one part of a report. */
const MAX_PART_BYTES = 64 * 1024;
const MAX_PARTS = 10;
const MAX_RECIPIENTS = 100;

const contentOf = (
  { attachments }: ParsedMail,
  isWanted: (type: string, content: Buffer) => boolean,
): string[] =>
  attachments
    .filter(({ contentType, content }) => isWanted(contentType?.toLowerCase() ?? '', content))
    .slice(0, MAX_PARTS)
    .map(({ content }) => content.subarray(0, MAX_PART_BYTES).toString('utf8'));

const FIELDS_TYPE = /^message\/(?:global-)?delivery-status$/;
const FIELDS_START = /^\s*(?:reporting-mta|original-envelope-id|final-recipient|dsn-gateway):/i;
const ORIGINAL_TYPE = /^(?:message|text)\/(?:rfc822|rfc822-headers?|global|global-headers)$/;

/** The parts with the fields of RFC 3464. Some servers give them another type. */
export const reportFieldsIn = (mail: ParsedMail): string[] =>
  contentOf(
    mail,
    (type, content) =>
      FIELDS_TYPE.test(type) ||
      (/^(?:text|message)\//.test(type) && FIELDS_START.test(content.subarray(0, 200).toString('latin1'))),
  );

/** Headers of the mails that are attached. Not their bodies, which can contain lines that look like headers. */
export const originalHeadersIn = (mail: ParsedMail): MailHeaders[] =>
  contentOf(mail, (type) => ORIGINAL_TYPE.test(type)).map((text) =>
    fieldsOf(text.trimStart().split(/\r?\n\r?\n/, 1)[0] ?? ''),
  );

/** What a report says about one recipient. */
export interface RecipientReport {
  /** The address that the mail was sent to, and the one that it was forwarded to. */
  recipients: string[];
  action: string;
  status: string | undefined;
  diagnostic: string | undefined;
}

const ADDRESS = /[^\s<>;,:"'()[\]]{1,64}@[^\s<>;,:"'()[\]]{1,190}/g;

/** The addresses in a text, in lower case, each once. */
export const addressesIn = (text: string): string[] => [
  ...new Set(Array.from(text.match(ADDRESS) ?? [], (found) => found.toLowerCase().replace(/[.]+$/, ''))),
];

/** The fields of each recipient. A group ends with a blank line, or where a field is repeated. */
function* groupsIn(text: string): Generator<MailHeaders> {
  let group = new Map<string, string>();
  for (const line of text.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (line.trim() === '' || group.has(key)) {
      if (group.size > 0) yield group;
      group = new Map();
    }
    if (key !== '') group.set(key, line.slice(colon + 1).trim());
  }
  if (group.size > 0) yield group;
}

/** The recipients in the fields of a report. */
export function recipientReportsIn(text: string): RecipientReport[] {
  const found: RecipientReport[] = [];
  for (const group of groupsIn(text)) {
    const recipients = addressesIn(
      ['original-recipient', 'final-recipient', 'x-actual-recipient']
        .map((name) => (group.get(name) ?? '').slice(0, 1_000))
        .join(' '),
    );
    if (recipients.length === 0 && !group.has('action') && !group.has('final-recipient')) continue;
    found.push({
      recipients,
      action: /^[a-z]+/.exec(group.get('action')?.toLowerCase() ?? '')?.[0] ?? 'failed',
      status: /[245]\.\d{1,3}\.\d{1,3}/.exec(group.get('status') ?? '')?.[0],
      diagnostic: group.get('diagnostic-code')?.replace(/^[\w-]{1,20}\s?;\s*/, ''),
    });
    if (found.length === MAX_RECIPIENTS) break;
  }
  return found;
}
