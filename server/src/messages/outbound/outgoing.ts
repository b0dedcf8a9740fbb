import { createReadStream } from 'node:fs';
import { type ConsentFacts, consentFacts, findRefusal } from '../../contacts/consent/may-send.ts';
import type { Purpose } from '../../contacts/consent/schema.ts';
import type { TenantReader } from '../../db/tenant.ts';
import type { FileStore } from '../../files/store.ts';
import { findQuietEnd } from '../../hours/opening.ts';
import type { QuietHours } from '../../hours/schema.ts';
import { isMimeType } from '../../http/schema.ts';
import { PRIVATE_REPLY_MS } from '../../providers/capabilities.ts';
import type { ChannelKind, HandleType } from '../../providers/kinds.ts';
import type { OutgoingMedia, OutgoingMessage } from '../../providers/outgoing-message.ts';
import type { OutgoingTemplate } from '../../providers/vendor-template.ts';
import type { Author } from '../../users/author.ts';
import type { Message } from '../schema.ts';

/** A message that waits to be sent, with everything that it refers to. */
export interface OutgoingRow extends ConsentFacts {
  id: string;
  type: Message['type'];
  text: string | null;
  media: Message['media'];
  content: Record<string, unknown>;
  author: Author['type'];
  purpose: Purpose;
  chat_id: string;
  contact_id: string;
  scheduled_at: Date | null;
  handle_type: HandleType;
  handle_value: string;
  open_until: Date | null;
  template: (OutgoingTemplate & { status: string }) | null;
  reply_to_vendor_id: string | null;
  reply_to_type: Message['type'] | null;
  reply_to_timestamp: Date | null;
  reference_ids: string[];
  thread_subject: string | null;
  thread_reply_to: string | null;
  /** The quiet hours that a marketing message has to respect; null without any. */
  quiet: { hours: QuietHours; contact: string | null; tenant: string } | null;
}

/** Whether a message waits to be sent: the condition of the index over what waits in a chat. */
export const isWaiting = (row: string): string => `coalesce(${row}.due_at, 'infinity') < 'infinity'`;

const MAX_REFERENCES = 20;

/** The mails before the message q in its chat, the latest first. */
const MAILS_BEFORE = `from messages e
     where e.tenant_id = q.tenant_id and e.chat_id = q.chat_id and e.created_at <= q.created_at and e.id <> q.id
       and e.vendor_id is not null
     order by e.created_at desc, e.id desc limit ${MAX_REFERENCES}`;

/** SQL: where the last mail before the message q wants its answer. */
const THREAD_REPLY_TO = `(
    select b.reply_to from (select e.sender, e.content->>'replyTo' as reply_to ${MAILS_BEFORE}) b
     where b.sender = 'inbound' limit 1)`;

/** SQL: the address to which a mail q goes, with the alias `handle` of the handle of its chat. A campaign answers nobody. */
export const MAILED_TO = `coalesce(case when q.author <> 'campaign' then ${THREAD_REPLY_TO} end, handle.value)`;

/** The quiet hours of a marketing message q. One of a person, or one that only tries a campaign out, has none. */
const QUIET = `case when q.purpose = 'marketing' and q.author <> 'user' then (
    select json_build_object('hours', coalesce(channel.quiet_hours, t.quiet_hours), 'contact', p.timezone, 'tenant', t.timezone)
      from tenants t join contacts p on p.id = chat.contact_id and (p.tenant_id = t.id) is true
     where t.id = q.tenant_id and num_nulls(channel.quiet_hours, t.quiet_hours) < 2 and not exists (
       select 1 from campaigns k where k.id = q.campaign_id and k.is_test)) end`;

/**
 * The columns of an `OutgoingRow` that are not in every queue, of a message q with `OUTGOING_JOINS`. The contact is that of the
 * chat: a message may still have to be moved to it by a merge.
 */
export const OUTGOING_COLUMNS = `q.type, q.text, q.media, q.content, q.author, q.purpose, q.scheduled_at, q.chat_id, chat.contact_id,
  handle.type as handle_type, handle.value as handle_value, chat.open_until,
  ${consentFacts('(select fs.subscriptions from contacts fs where fs.id = chat.contact_id)', 'channel.kind', 'handle')},
  replied.vendor_id as reply_to_vendor_id, replied.type as reply_to_type, replied.timestamp as reply_to_timestamp,
  case when template.id is not null then json_build_object('name', template.name, 'language', template.language,
    'status', template.status, 'vendorId', template.vendor_id, 'header', template.header, 'body', template.body,
    'footer', template.footer, 'buttons', template.buttons, 'cards', template.cards, 'offer', template.offer,
    'authentication', template.authentication, 'variables', q.content->'variables') end as template,
  case when channel.kind = 'email' then array(
    select e.vendor_id ${MAILS_BEFORE}) else '{}' end as reference_ids,
  case when channel.kind = 'email' then coalesce(nullif(replied.content->>'subject', ''), (
    select b.subject from (select e.content->>'subject' as subject ${MAILS_BEFORE}) b where b.subject <> '' limit 1))
  end as thread_subject,
  case when channel.kind = 'email' and q.author <> 'campaign' then ${THREAD_REPLY_TO} end as thread_reply_to,
  ${QUIET} as quiet`;

/**
 * Looks up a row by its key, thanks to OFFSET. Without, the planner, which expects a single message, may go through the chats of all
 * handles for each.
 */
const byKey = (table: string, condition: string): string =>
  `lateral (select * from ${table} where ${condition} and tenant_id = q.tenant_id offset 0)`;
export const OUTGOING_JOINS = `cross join ${byKey('chats', 'id = q.chat_id')} chat
  cross join ${byKey('handles', 'id = chat.handle_id')} handle
  cross join ${byKey('channels', 'id = q.channel_id')} channel
  left join ${byKey('messages', 'id = q.reply_to_message_id')} replied on true
  left join ${byKey('message_templates', `q.type = 'template' and id = (q.content->>'templateId')::uuid`)} template on true`;

const UNTYPED = 'application/octet-stream';

/** How vendors get the files of a message: from the disk, or by a URL. */
interface OutgoingFiles {
  store: FileStore;
  fileUrl: TenantReader['fileUrl'];
}

const outgoingMedia = (
  { fileId, url, mimeType, filename, size }: Message['media'][number],
  { store, fileUrl }: OutgoingFiles,
): OutgoingMedia => ({
  url: url ?? (fileId === null ? '' : fileUrl({ id: fileId, filename: filename ?? 'file' })),
  mimeType: mimeType !== null && isMimeType(mimeType) ? mimeType : UNTYPED,
  // It becomes a header of mails.
  filename: (filename ?? 'file').replaceAll(/\p{Cc}/gu, ''),
  size,
  ...(fileId === null ? {} : { read: () => createReadStream(store.pathOf(fileId)) }),
});

/** The message as an adapter sends it. */
export const outgoingMessage = (
  row: OutgoingRow,
  files: OutgoingFiles,
  unsubscribeUrl?: string,
): OutgoingMessage => ({
  id: row.id,
  to: { type: row.handle_type, value: row.handle_value },
  type: row.type,
  text: row.text,
  media: row.media.map((entry) => outgoingMedia(entry, files)),
  content: row.content,
  template: row.template && withoutStatus(row.template),
  replyToVendorId: row.reply_to_vendor_id,
  replyToType: row.reply_to_type,
  references: row.reference_ids.toReversed(),
  threadSubject: row.thread_subject,
  ...(row.thread_reply_to ? { threadReplyTo: row.thread_reply_to } : {}),
  isAutomatic: row.author === 'automation' || row.author === 'campaign',
  ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
});

const withoutStatus = ({
  status: _,
  ...template
}: OutgoingTemplate & { status: string }): OutgoingTemplate => ({
  ...template,
  variables: template.variables ?? {},
});

/** Whether the author of a comment may still be answered in private. */
export const isAnswerable = (commentedAt: Date | null, now: Date): boolean =>
  commentedAt !== null && now.getTime() - commentedAt.getTime() < PRIVATE_REPLY_MS;

const asSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Until when a message has to wait for the end of quiet hours; null if it can be sent now. */
export const quietUntil = ({ quiet }: OutgoingRow, now: Date): Date | null =>
  quiet && findQuietEnd(quiet.hours, quiet, now);

/** Why a message that was allowed when it was written must not be sent now; null if it may be. */
export function checkSendable(
  row: OutgoingRow,
  kind: ChannelKind,
  hasWindow: boolean,
  now: Date,
): Message['error'] {
  const refusal = findRefusal(kind, row.purpose, row);
  if (refusal) return { code: refusal.code, message: asSentence(refusal.message) };
  if (row.type === 'template') {
    if (row.template === null) return { code: 'template_gone', message: 'The template has been deleted.' };
    if (row.template.status !== 'approved')
      return { code: 'template_not_approved', message: `The template is ${row.template.status}.` };
    return null;
  }
  if (row.reply_to_type === 'comment' && isAnswerable(row.reply_to_timestamp, now)) return null;
  if (hasWindow && (row.open_until === null || row.open_until <= now))
    return {
      code: 'window_closed',
      message: 'The reply window is closed: only a template can be sent.',
    };
  return null;
}
