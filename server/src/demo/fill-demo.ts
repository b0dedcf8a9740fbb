import { createReadStream } from 'node:fs';
import { createAttribute } from '../attributes/attribute.ts';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { type ChannelCredentials, findAllCredentials } from '../channels/credentials.ts';
import { receiveRequest } from '../channels/receive-request.ts';
import { createContact } from '../contacts/create-contact.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { createFile } from '../files/file.ts';
import { receiveFile } from '../files/receive.ts';
import type { FileStore } from '../files/store.ts';
import { createLabel } from '../labels/label.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import type { InboundMedia } from '../providers/inbound-event.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { refOf } from '../providers/sandbox/media.ts';
import { sandbox } from '../providers/sandbox/sandbox.ts';
import { type CustomerMessage, writeAsCustomer } from '../providers/sandbox/write.ts';
import { createTemplate } from '../templates/change-template.ts';
import { demoAttributes, demoContacts, demoConversations, demoLabels, demoTemplates } from './content.ts';

const lockEmpty = systemStatement<[], { demo_tenant_id: string }>(
  'demo.lock_empty',
  `select demo_tenant_id from installation where demo_tenant_id is not null and demo_filled_at is null for update`,
);
const markFilled = systemStatement<[now: Date]>(
  'demo.mark_filled',
  'update installation set demo_filled_at = $1',
);

export interface DemoDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  adapters: Adapters;
  context: AdapterContext;
  wakeUps: Pick<WakeUps, 'wake'>;
  store: FileStore;
  baseUrl: () => string;
}

/** The path of a picture that a customer sends. */
interface FillDeps extends DemoDeps {
  picture: string;
}

/**
 * Fills the demo tenant with contacts, labels, templates and conversations in one transaction, so that a start that is
 * killed leaves all or nothing. Returns whether there was anything to do.
 */
export async function fillDemo(deps: FillDeps): Promise<boolean> {
  return deps.db.systemTransaction(async (tx) => {
    const row = await tx.find(lockEmpty, []);
    if (!row) return false;
    await fillTenant(tx.forTenant(row.demo_tenant_id), deps);
    await tx.run(markFilled, [deps.clock.real()]);
    return true;
  });
}

/** The first sandbox channel of each kind. */
export async function demoChannelsOf(
  tx: TenantTx,
  keys: Keys,
): Promise<Map<ChannelKind, ChannelCredentials>> {
  const channels = new Map<ChannelKind, ChannelCredentials>();
  for (const channel of await findAllCredentials(tx, keys))
    if (channel.provider === sandbox.provider && !channels.has(channel.kind))
      channels.set(channel.kind, channel);
  return channels;
}

/** A customer writes. */
export async function writeInDemo(
  tx: TenantTx,
  channel: ChannelCredentials,
  message: Pick<CustomerMessage, 'from' | 'name' | 'text' | 'media'>,
  writtenAt: Date,
  deps: Pick<DemoDeps, 'context' | 'clock' | 'keys'>,
): Promise<void> {
  const url = deps.context.callbackUrl(sandbox.provider, channel.id);
  const type = message.media.length > 0 ? 'image' : 'text';
  const { requests } = await writeAsCustomer({ ...message, type, content: {} }, writtenAt, channel, url);
  for (const request of requests) await receiveRequest(tx, channel, sandbox, request, deps);
}

async function fillTenant(tx: TenantTx, deps: FillDeps): Promise<void> {
  const channels = await demoChannelsOf(tx, deps.keys);
  const labelIds = new Map<string, string>();
  for (const label of demoLabels) labelIds.set(label.name, (await createLabel(tx, label)).id);
  for (const attribute of demoAttributes)
    await createAttribute(tx, { ...attribute, isVisibleQuickEdit: true, isVisibleContactsTable: true });
  for (const { labels, ...contact } of demoContacts)
    await createContact(tx, {
      ...contact,
      labels: labels.map((name) => ({ id: labelIds.get(name) as string })),
    });
  for (const { kind, ...template } of demoTemplates) {
    const channel = channels.get(kind);
    if (channel) await createTemplate(tx, { ...template, channelId: channel.id }, deps.adapters);
  }
  const picture = await storePicture(tx, deps);
  const lines = demoConversations.flatMap(({ lines, kind, from, name }) =>
    lines.map((line) => ({ kind, from, name, ...line })),
  );
  for (const line of lines.sort((a, b) => b.minutesAgo - a.minutesAgo)) {
    const channel = channels.get(line.kind);
    if (!channel) continue;
    const { from, name, text, hasPicture } = line;
    const writtenAt = new Date(tx.now.getTime() - line.minutesAgo * 60_000);
    await writeInDemo(tx, channel, { from, name, text, media: hasPicture ? [picture] : [] }, writtenAt, deps);
  }
}

/** The picture as the vendor refers to it. */
async function storePicture(tx: TenantTx, deps: FillDeps): Promise<InboundMedia> {
  const { mimeType, filename, ...file } = await receiveFile(deps, tx.tenantId, {
    filename: 'cargo-bike.png',
    mimeType: 'image/png',
    bytes: createReadStream(deps.picture),
  });
  await createFile(tx, { mimeType, filename, ...file }, { isPrivate: true, uploadedBy: null }, deps.baseUrl);
  return { mimeType, filename, size: file.size, ref: refOf({ fileId: file.id }) };
}
