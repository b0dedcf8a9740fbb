import type { ParsedMail } from 'mailparser';
import type { AdapterChannel } from '../adapter-channel.ts';
import { originalHeadersIn, reportFieldsIn } from './delivery-report.ts';
import { fieldsOf, idsIn, type MailHeaders } from './headers.ts';
import { ownAddresses, ownIdIn } from './own-ids.ts';

const ID_LINE = /^[>\s*|]{0,20}(?:x-)?(?:original-)?message[- ]?id\s?:\s{0,5}(<?[^<>\s]{1,500}>?)/gim;
const MAX_ID_LINES = 20;

const ID_FIELDS = ['message-id', 'original-message-id', 'x-original-message-id'];

const idsOfFields = (headers: MailHeaders, names: string[]): string[] =>
  names.flatMap((name) => idsIn(headers.get(name)));

/** The ids in lines such as `Message-ID: <…>`, the first ones. */
function idsInLines(text: string): string[] {
  const found: string[] = [];
  // A folded value is in the line after its name.
  for (const [, id = ''] of text.matchAll(ID_LINE)) {
    if (id.includes('@'))
      found.push(id.startsWith('<') && id.endsWith('>') ? id : `<${id.replace(/^<|>$/g, '')}>`);
    if (found.length === MAX_ID_LINES) break;
  }
  return found;
}

/** Our ids anywhere in a text, except in headers that name earlier mails of the thread. */
function ownIdsIn(text: string, channel: AdapterChannel): string[] {
  const lowered = text
    .replaceAll(/^[>\s]{0,20}(?:references|in-reply-to):.*(?:\n[ \t].*)*/gim, '')
    .toLowerCase();
  const found: string[] = [];
  for (const domain of new Set(ownAddresses(channel).map((own) => `@${own.split('@')[1]}`)))
    for (let at = lowered.indexOf(domain); at >= 0 && found.length < MAX_ID_LINES; ) {
      const id = `<${lowered.slice(Math.max(0, at - 36), at)}${domain}>`;
      if (ownIdIn(id, channel) !== undefined) found.push(id);
      at = lowered.indexOf(domain, at + 1);
    }
  return found;
}

/**
 * The Message-ID of the mail that a report is about: one of ours if there is any, else another one, which may be the id
 * that a relay gave to our mail.
 */
export function originalIdIn(
  mail: ParsedMail,
  headers: MailHeaders,
  texts: readonly string[],
  channel: AdapterChannel,
): string | undefined {
  const fields = reportFieldsIn(mail);
  const stated = [
    ...originalHeadersIn(mail).flatMap((original) => idsOfFields(original, ID_FIELDS)),
    ...fields.flatMap((part) => idsOfFields(fieldsOf(part), ID_FIELDS)),
    ...texts.flatMap(idsInLines),
  ];
  const isOwn = (id: string): boolean => ownIdIn(id, channel) !== undefined;
  const own = stated.find(isOwn) ?? [...fields, ...texts].flatMap((part) => ownIdsIn(part, channel))[0];
  // Gmail and others reply to the mail that they could not deliver.
  const replied = idsOfFields(headers, ['in-reply-to', 'x-original-message-id']);
  return own ?? replied.find(isOwn) ?? stated[0] ?? replied[0];
}
