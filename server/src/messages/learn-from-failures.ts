import { type ConsentChange, recordConsents } from '../contacts/consent/consents.ts';
import { markUndeliverable } from '../contacts/handles/undeliverable.ts';
import { currentContactId } from '../contacts/merge/find-merged.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { recipientErrors } from '../providers/capabilities.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import type { VendorError } from '../providers/vendor-failure.ts';
import { MAILED_TO } from './outbound/outgoing.ts';

const mailedElsewhere = statement<[ids: string[]], { id: string }>(
  'messages.mailed_elsewhere',
  `select q.id from visible_messages q
     join chats c on c.id = q.chat_id and c.tenant_id = q.tenant_id
     join handles handle on handle.id = c.handle_id and handle.tenant_id = c.tenant_id
    where q.id = any ($1::uuid[]) and q.tenant_id = $tenant and lower(${MAILED_TO}) <> lower(handle.value)`,
);

/** A message that the vendor refused for good. */
export interface FailedMessage {
  id: string;
  chat_id: string;
  contact_id: string;
  error: VendorError | null;
}

/** Whether a failure says something about the recipient. */
export const isAboutRecipient = (kind: ChannelKind, { code }: VendorError): boolean =>
  Object.values(recipientErrors[kind]).some((codes) => codes.includes(code));

/** Remembers what vendors said about recipients: who has opted out at the vendor, and which handles do not exist. */
export async function learnFromFailures(
  tx: TenantTx,
  kind: ChannelKind,
  messages: readonly FailedMessage[],
): Promise<void> {
  const { optedOut, invalid } = recipientErrors[kind];
  const failedWith = (codes: readonly string[]): FailedMessage[] =>
    messages.filter(({ error }) => error !== null && codes.includes(error.code));
  const changes: ConsentChange[] = [];
  for (const { id, contact_id, error } of failedWith(optedOut))
    changes.push({
      // A merge moves messages after their chats.
      contactId: await currentContactId(tx, contact_id),
      channelKinds: [kind],
      status: 'unsubscribed',
      source: 'vendor',
      at: 'now',
      proof: { messageId: id, code: error?.code },
    });
  tx.publish(...(await recordConsents(tx, changes)));
  const unreached = failedWith(invalid);
  if (unreached.length === 0) return;
  // A mail that its sender wanted to be answered at another address says nothing about the address in the chat.
  const elsewhere = kind === 'email' ? await tx.all(mailedElsewhere, [unreached.map(({ id }) => id)]) : [];
  const reasons = unreached
    .filter(({ id }) => !elsewhere.some((one) => one.id === id))
    .map(({ chat_id, error }) => [chat_id, `${error?.code}: ${error?.message}`.slice(0, 500)] as const);
  await markUndeliverable(tx, kind, new Map(reasons));
}
