import type { Keys } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import { isDateTime } from '../http/validation.ts';
import type { InboundMedia } from '../providers/inbound-event.ts';
import type { ChannelKind, MessageType } from '../providers/kinds.ts';
import { filenameOfUrl, mediaTypeOf, mimeTypeOfName } from '../providers/media-kind.ts';
import { handleTypeOf, normalizeHandle, validateCustomer } from '../providers/sandbox/customer.ts';
import { completeSandboxFaults, type SandboxFaults } from '../providers/sandbox/faults.ts';
import { refOf } from '../providers/sandbox/media.ts';
import { describeSandbox } from '../providers/sandbox/sandbox.ts';
import { reportsReading } from '../providers/sandbox/statuses.ts';
import type { CustomerMessage } from '../providers/sandbox/write.ts';
import type { ChannelCredentials } from './credentials.ts';
import { decryptConfig, encryptConfig } from './encrypted-config.ts';
import type { SandboxInbound } from './schema.ts';

const PROVIDER = 'sandbox';
/** So many messages are read at once, the newest. */
const MAX_READ = 100;

const lockSandbox = statement<[id: string], { config_encrypted: Buffer }>(
  'sandbox.lock',
  `select config_encrypted from visible_channels
    where id = $1 and tenant_id = $tenant and provider = '${PROVIDER}' for no key update`,
);
const updateConfig = statement<[id: string, config: Buffer]>(
  'sandbox.update_config',
  'update visible_channels set config_encrypted = $2 where id = $1 and tenant_id = $tenant',
);
const configOfSandbox = statement<[id: string], { config_encrypted: Buffer }>(
  'sandbox.config',
  `select config_encrypted from visible_channels
    where id = $1 and tenant_id = $tenant and provider = '${PROVIDER}'`,
);
const isSandbox = statement<[id: string], { id: string }>(
  'sandbox.by_id',
  `select id from visible_channels where id = $1 and tenant_id = $tenant and provider = '${PROVIDER}'`,
);
interface AcceptedRow {
  message_id: string;
  vendor_id: string;
  recipient: string;
  type: MessageType;
  text: string | null;
  content: Record<string, unknown>;
  at: Date;
}
const accepted = statement<
  [id: string, limit: number, recipient: string | null, afterAt: Date | null, afterId: string | null],
  AcceptedRow
>(
  'sandbox.outbox',
  `select message_id, vendor_id, recipient, type, text, content, at from sandbox_outbox
    where channel_id = $1 and tenant_id = $tenant and ($3::text is null or recipient = $3)
      and ($4::timestamptz is null or (at, message_id) > ($4, $5::uuid))
    order by at, message_id limit $2`,
);
const acceptedAt = statement<[channelId: string, messageId: string], { at: Date }>(
  'sandbox.accepted_at',
  'select at from sandbox_outbox where message_id = $2 and channel_id = $1 and tenant_id = $tenant',
);
const unreadByCustomer = statement<
  [channelId: string, recipient: string],
  { message_id: string; vendor_id: string }
>(
  'sandbox.unread_by_customer',
  `select o.message_id, o.vendor_id from sandbox_outbox o
     join visible_messages m on m.id = o.message_id and (m.tenant_id = o.tenant_id) is true
    where o.channel_id = $1 and o.tenant_id = $tenant and o.recipient = $2 and m.status in ('sent', 'delivered')
    order by o.at desc, o.message_id desc limit ${MAX_READ}`,
);
const givenFiles = statement<
  [ids: string[]],
  { id: string; mime_type: string; filename: string; size: number }
>(
  'sandbox.given_files',
  'select id, mime_type, filename, size from visible_files where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const vendorIdOfMessage = statement<[id: string, channelId: string], { vendor_id: string | null }>(
  'sandbox.vendor_id_of_message',
  'select vendor_id from visible_messages where id = $1 and tenant_id = $tenant and channel_id = $2',
);

/** What a sandbox channel simulates now. */
export async function readSandbox(db: TenantReader, channelId: string, keys: Keys) {
  const row = isUuid(channelId) ? await db.find(configOfSandbox, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  return describeSandbox(decryptConfig(row.config_encrypted, keys));
}

/** Turns on the given faults of a sandbox channel, and turns off the others. */
export async function setFaults(
  tx: TenantTx,
  channelId: string,
  given: Partial<SandboxFaults>,
  keys: Keys,
): Promise<SandboxFaults> {
  const row = isUuid(channelId) ? await tx.find(lockSandbox, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  const { duplicate, reorder, failEvery, delayMs, echoBeforeResponse } = completeSandboxFaults(given);
  const faults = { duplicate, reorder, failEvery, delayMs, echoBeforeResponse };
  const config = { ...decryptConfig(row.config_encrypted, keys), faults };
  await tx.run(updateConfig, [channelId, encryptConfig(config, keys)]);
  return faults;
}

/** The handle of a customer from a query, in which a plus sign is a space unless it was encoded. */
const recipientOf = (to: string): string => to.replace(/^ /, '+');

/** After all messages of the same time. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Where in the outbox a message is, or a time. */
async function findPosition(
  db: TenantReader,
  channelId: string,
  after: string,
): Promise<{ at: Date; id: string }> {
  if (isDateTime(after)) return { at: new Date(after), id: LAST_ID };
  const found = isUuid(after) ? await db.find(acceptedAt, [channelId, after]) : undefined;
  if (!found) throw invalidParam('after', 'custom', `There is no accepted message ${after} on this channel`);
  return { at: found.at, id: after };
}

/** The messages that a sandbox channel has accepted, the oldest first. */
export async function readOutbox(
  db: TenantReader,
  channelId: string,
  { limit, to, after }: { limit: number; to?: string | undefined; after?: string | undefined },
) {
  if (!isUuid(channelId) || !(await db.find(isSandbox, [channelId]))) throw new ApiError('channel_not_found');
  const last = after === undefined ? undefined : await findPosition(db, channelId, after);
  const rows = await db.all(accepted, [
    channelId,
    limit,
    to === undefined ? null : recipientOf(to),
    last?.at ?? null,
    last?.id ?? null,
  ]);
  return rows.map((row) => ({
    messageId: row.message_id,
    vendorId: row.vendor_id,
    to: row.recipient,
    type: row.type,
    text: row.text,
    content: row.content,
    at: timestamp(row.at),
  }));
}

/** What a customer has got and not read yet, the oldest first. None where vendors do not report that. */
export async function unreadMessages(
  db: TenantReader,
  { id, kind }: ChannelCredentials,
  from: string,
): Promise<{ messageId: string; vendorId: string }[]> {
  const issue = validateCustomer(from, kind);
  if (issue) throw invalidParam('from', 'invalid_string', issue);
  if (!reportsReading(kind)) return [];
  const rows = await db.all(unreadByCustomer, [id, normalizeHandle(handleTypeOf(kind), from)]);
  return rows.map(({ message_id, vendor_id }) => ({ messageId: message_id, vendorId: vendor_id })).reverse();
}

const files: MessageType[] = ['image', 'video', 'audio', 'document'];
/** The types of messages that customers can write on each kind of channel. */
const writable: Record<ChannelKind, readonly MessageType[]> = {
  whatsapp: [...files, 'text', 'sticker', 'location', 'contacts', 'interactive', 'reaction', 'unsupported'],
  instagram: [
    ...files.slice(0, 3),
    'text',
    'interactive',
    'reaction',
    'story_reply',
    'story_mention',
    'comment',
    'unsupported',
  ],
  sms: [...files, 'text', 'location', 'interactive'],
  email: ['email'],
};

type Given = Exclude<NonNullable<SandboxInbound['media']>, unknown[]>;

/** The media as the vendor references them. A mail contains the bytes themselves. */
async function mediaOf(
  db: TenantReader,
  channel: ChannelCredentials,
  input: Given | Given[],
  readBytes: (fileId: string) => Promise<Buffer | undefined>,
): Promise<InboundMedia[]> {
  const given = [input].flat();
  const ids = given.flatMap(({ fileId }) => fileId?.toLowerCase() ?? []);
  const rows = ids.length === 0 ? [] : await db.all(givenFiles, [ids]);
  const known = new Map(rows.map((row) => [row.id, row]));
  return Promise.all(
    given.map(async ({ fileId, url, mimeType, filename }, index): Promise<InboundMedia> => {
      const path = Array.isArray(input) ? `media.${index}` : 'media';
      if ((fileId === undefined) === (url === undefined))
        throw invalidParam(path, 'custom', 'Either `fileId` or `url` is required');
      if (fileId !== undefined) {
        const file = known.get(fileId.toLowerCase());
        if (!file) throw invalidParam(`${path}.fileId`, 'custom', `There is no file ${fileId}`);
        const facts = { mimeType: file.mime_type, filename: filename ?? file.filename, size: file.size };
        const bytes = channel.kind === 'email' ? await readBytes(file.id) : undefined;
        return bytes ? { ...facts, bytes } : { ...facts, ref: refOf({ fileId: file.id }) };
      }
      if (!URL.canParse(url as string) || !/^https?:/.test(url as string))
        throw invalidParam(`${path}.url`, 'invalid_string', 'Must be an http or https URL');
      if (channel.kind === 'email')
        throw invalidParam(`${path}.url`, 'custom', 'A mail contains its files: use `fileId`');
      const name = filename ?? filenameOfUrl(url as string) ?? null;
      const type = mimeType ?? (name === null ? undefined : mimeTypeOfName(name)) ?? null;
      return { mimeType: type, filename: name, size: null, ref: refOf({ url: url as string }) };
    }),
  );
}

function typeOf(body: SandboxInbound, kind: ChannelKind, media: InboundMedia[]): MessageType {
  if (body.type !== undefined) return body.type;
  if (kind === 'email') return 'email';
  const [first] = media;
  return first ? mediaTypeOf(first.mimeType ?? '') : 'text';
}

/** The message of a customer from the body of a request to the API. */
export async function customerMessage(
  db: TenantReader,
  channel: ChannelCredentials,
  body: SandboxInbound,
  readBytes: (fileId: string) => Promise<Buffer | undefined>,
): Promise<CustomerMessage> {
  const { from, text = null, content = {}, replyToMessageId, name = null } = body;
  const issue = validateCustomer(from, channel.kind);
  if (issue) throw invalidParam('from', 'invalid_string', issue);
  const media = await mediaOf(db, channel, body.media ?? [], readBytes);
  const type = typeOf(body, channel.kind, media);
  if (!writable[channel.kind].includes(type))
    throw invalidParam('type', 'custom', `Customers cannot write "${type}" on ${channel.kind}`);
  if (type === 'text' && text === null) throw invalidParam('text', 'invalid_type', 'Required');
  const replied =
    replyToMessageId === undefined
      ? undefined
      : await db.find(vendorIdOfMessage, [replyToMessageId, channel.id]);
  if (replyToMessageId !== undefined && !replied?.vendor_id)
    throw invalidParam(
      'replyToMessageId',
      'custom',
      `There is no message ${replyToMessageId} on this channel`,
    );
  return {
    from,
    name,
    type,
    text,
    media,
    content,
    ...(replied?.vendor_id ? { replyTo: [replied.vendor_id] } : {}),
  };
}
