import { createReadStream } from 'node:fs';
import type { FileStore } from '../../files/store.ts';
import type {
  AdapterChannel,
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

const REFERENCES = 20;

/** The mails before m in its chat, the latest first. */
const MAILS_BEFORE = `from messages e
     where e.tenant_id = m.tenant_id and e.chat_id = m.chat_id and e.created_at <= m.created_at and e.id <> m.id
       and e.vendor_id is not null
     order by e.created_at desc, e.id desc limit ${REFERENCES}`;

/** Columns of an `OutgoingRow`, of a message m in a chat k with a handle h over a channel c. */
export const OUTGOING_COLUMNS = `m.id, m.type, m.text, m.media, m.content, m.author, m.scheduled_at,
  h.type as handle_type, h.value as handle_value, h.opted_out_at, k.open_until, r.vendor_id as reply_to_vendor_id,
  case when t.id is not null then json_build_object('name', t.name, 'language', t.language, 'status', t.status,
    'vendorId', t.vendor_id, 'header', t.header, 'body', t.body, 'footer', t.footer, 'buttons', t.buttons,
    'variables', m.content->'variables') end as template,
  case when c.kind = 'email' then array(
    select e.vendor_id ${MAILS_BEFORE}) else '{}' end as reference_ids,
  case when c.kind = 'email' then coalesce(nullif(r.content->>'subject', ''), (
    select b.subject from (select e.content->>'subject' as subject ${MAILS_BEFORE}) b where b.subject <> '' limit 1))
  end as thread_subject`;
export const OUTGOING_JOINS = `join chats k on k.id = m.chat_id and k.tenant_id = m.tenant_id
  join handles h on h.id = k.handle_id and h.tenant_id = k.tenant_id
  join channels c on c.id = m.channel_id and c.tenant_id = m.tenant_id
  left join messages r on r.id = m.reply_to_message_id and r.tenant_id = m.tenant_id
  left join message_templates t on m.type = 'template' and t.id = (m.content->>'templateId')::uuid
    and t.tenant_id = m.tenant_id`;

const UNTYPED = 'application/octet-stream';

const outgoingMedia = (
  { fileId, url, mimeType, filename, size }: Message['media'][number],
  store: FileStore,
): OutgoingMedia => ({
  url: url ?? '',
  mimeType: mimeType ?? UNTYPED,
  filename: filename ?? 'file',
  size,
  ...(fileId === null ? {} : { read: () => createReadStream(store.pathOf(fileId)) }),
});

/** The message as an adapter sends it. */
export const outgoingMessage = (row: OutgoingRow, store: FileStore): OutgoingMessage => ({
  id: row.id,
  to: { type: row.handle_type, value: row.handle_value },
  type: row.type,
  text: row.text,
  media: row.media.map((one) => outgoingMedia(one, store)),
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

/** Why a message that was allowed when it was written may not go out now, if so. */
export function refusalOf(
  row: OutgoingRow,
  { kind }: Pick<AdapterChannel, 'kind'>,
  hasWindow: boolean,
  now: Date,
): Message['error'] {
  if (kind === 'sms' && row.opted_out_at !== null)
    return { code: 'opted_out', message: 'The person has asked not to be written to on this number.' };
  if (row.type === 'template') {
    if (row.template === null) return { code: 'template_gone', message: 'The template has been deleted.' };
    if (row.template.status !== 'approved')
      return { code: 'template_not_approved', message: `The template is ${row.template.status}.` };
    return null;
  }
  if (hasWindow && (row.open_until === null || row.open_until <= now))
    return {
      code: 'window_closed',
      message: 'The time in which a free-form message is allowed is over: only a template goes out.',
    };
  return null;
}

/** What the list must say of the channel that a message goes out over. */
export interface ChannelColumns {
  channel_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  health: string;
  config_encrypted: Buffer;
}
