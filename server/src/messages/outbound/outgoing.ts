import { createReadStream } from 'node:fs';
import type { FileStore } from '../../files/store.ts';
import { isMimeType } from '../../http/schema.ts';
import type {
  ChannelKind,
  HandleType,
  OutgoingMedia,
  OutgoingMessage,
  OutgoingTemplate,
} from '../../providers/adapter.ts';
import type { Message } from '../schema.ts';

/** A message that waits to be sent, with everything that it refers to. */
export interface OutgoingRow {
  id: string;
  type: Message['type'];
  text: string | null;
  media: Message['media'];
  content: Record<string, unknown>;
  author: Message['author'];
  scheduled_at: Date | null;
  handle_type: HandleType;
  handle_value: string;
  opted_out_at: Date | null;
  open_until: Date | null;
  template: (OutgoingTemplate & { status: string }) | null;
  reply_to_vendor_id: string | null;
  reference_ids: string[];
  thread_subject: string | null;
}

/** Whether a message waits to be sent: the condition of the index over what waits in a chat. */
export const isWaiting = (row: string): string => `coalesce(${row}.due_at, 'infinity') < 'infinity'`;

const MAX_REFERENCES = 20;

/** The mails before the message q in its chat, the latest first. */
const MAILS_BEFORE = `from messages e
     where e.tenant_id = q.tenant_id and e.chat_id = q.chat_id and e.created_at <= q.created_at and e.id <> q.id
       and e.vendor_id is not null
     order by e.created_at desc, e.id desc limit ${MAX_REFERENCES}`;

/** The columns of an `OutgoingRow` that are not in every queue, of a message q with `OUTGOING_JOINS`. */
export const OUTGOING_COLUMNS = `q.type, q.text, q.media, q.content, q.author, q.scheduled_at,
  handle.type as handle_type, handle.value as handle_value, handle.opted_out_at, chat.open_until,
  replied.vendor_id as reply_to_vendor_id,
  case when template.id is not null then json_build_object('name', template.name, 'language', template.language,
    'status', template.status, 'vendorId', template.vendor_id, 'header', template.header, 'body', template.body,
    'footer', template.footer, 'buttons', template.buttons, 'variables', q.content->'variables') end as template,
  case when channel.kind = 'email' then array(
    select e.vendor_id ${MAILS_BEFORE}) else '{}' end as reference_ids,
  case when channel.kind = 'email' then coalesce(nullif(replied.content->>'subject', ''), (
    select b.subject from (select e.content->>'subject' as subject ${MAILS_BEFORE}) b where b.subject <> '' limit 1))
  end as thread_subject`;
export const OUTGOING_JOINS = `join chats chat on chat.id = q.chat_id and chat.tenant_id = q.tenant_id
  join handles handle on handle.id = chat.handle_id and handle.tenant_id = chat.tenant_id
  join channels channel on channel.id = q.channel_id and channel.tenant_id = q.tenant_id
  left join messages replied on replied.id = q.reply_to_message_id and replied.tenant_id = q.tenant_id
  left join message_templates template on q.type = 'template' and template.id = (q.content->>'templateId')::uuid
    and template.tenant_id = q.tenant_id`;

const UNTYPED = 'application/octet-stream';

const outgoingMedia = (
  { fileId, url, mimeType, filename, size }: Message['media'][number],
  store: FileStore,
): OutgoingMedia => ({
  url: url ?? '',
  mimeType: mimeType !== null && isMimeType(mimeType) ? mimeType : UNTYPED,
  // It becomes a header of mails.
  filename: (filename ?? 'file').replaceAll(/\p{Cc}/gu, ''),
  size,
  ...(fileId === null ? {} : { read: () => createReadStream(store.pathOf(fileId)) }),
});

/** The message as an adapter sends it. */
export const outgoingMessage = (row: OutgoingRow, store: FileStore): OutgoingMessage => ({
  id: row.id,
  to: { type: row.handle_type, value: row.handle_value },
  type: row.type,
  text: row.text,
  media: row.media.map((entry) => outgoingMedia(entry, store)),
  content: row.content,
  template: row.template && withoutStatus(row.template),
  replyToVendorId: row.reply_to_vendor_id,
  references: row.reference_ids.toReversed(),
  threadSubject: row.thread_subject,
  isAutomatic: row.author === 'automation' || row.author === 'campaign',
});

const withoutStatus = ({
  status: _,
  ...template
}: OutgoingTemplate & { status: string }): OutgoingTemplate => ({
  ...template,
  variables: template.variables ?? {},
});

/** Why a message that was allowed when it was written must not be sent now; null if it may be. */
export function checkSendable(
  row: OutgoingRow,
  kind: ChannelKind,
  hasWindow: boolean,
  now: Date,
): Message['error'] {
  if (kind === 'sms' && row.opted_out_at !== null)
    return { code: 'opted_out', message: 'The contact has opted out of messages to this number.' };
  if (row.type === 'template') {
    if (row.template === null) return { code: 'template_gone', message: 'The template has been deleted.' };
    if (row.template.status !== 'approved')
      return { code: 'template_not_approved', message: `The template is ${row.template.status}.` };
    return null;
  }
  if (hasWindow && (row.open_until === null || row.open_until <= now))
    return {
      code: 'window_closed',
      message: 'The reply window is closed: only a template can be sent.',
    };
  return null;
}
