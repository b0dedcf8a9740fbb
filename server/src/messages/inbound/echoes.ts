import { keyOf } from '../../contacts/handles/owners.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundStatus } from '../../providers/inbound-event.ts';
import type { ReceivedMessage } from './media.ts';
import { findReceivedBefore, normalizeContact } from './resolve-chats.ts';

interface PendingSend {
  handle: string;
  id: string;
  type: string;
  text: string | null;
  is_unknown: boolean;
}

const pendingSends = statement<
  [channelId: string, types: string[], values: string[], now: Date],
  PendingSend
>(
  'messages.pending_sends',
  // A message that is being sent stays due; one whose outcome is unknown is due later.
  `select concat_ws(' ', n.type, n.value) as handle, m.id, m.type, m.text, m.due_at > $4 as is_unknown
     from unnest($2::text[], $3::text[]) as n (type, value)
     join handles h on h.tenant_id = $tenant and h.type = n.type and h.value = n.value
     join visible_chats c on c.handle_id = h.id and (c.tenant_id = $tenant and c.channel_id = $1) is true
     join messages m on m.chat_id = c.id and m.tenant_id = $tenant and m.due_at is not null and m.sending_at is not null
    order by m.sending_at, m.id`,
);

/** An echo, and when the request that carried it came. */
export interface ReceivedEcho {
  message: ReceivedMessage;
  receivedAt: Date;
}

export interface SortedEchoes {
  /** Written elsewhere: to be stored. */
  foreign: Set<ReceivedMessage>;
  /** Perhaps ours: known once the pending send is answered. */
  waiting: Set<ReceivedMessage>;
  /** Most likely ours: as statuses of sends whose answer was lost. */
  adopted: InboundStatus[];
}

/** No vendor leaves a send unanswered for longer. */
const MAX_WAIT_MS = 60_000;

/** Separates echoes of our own sends from messages that the business wrote elsewhere. Known echoes are in no list. */
export async function sortEchoes(
  tx: TenantTx,
  channelId: string,
  echoes: readonly ReceivedEcho[],
): Promise<SortedEchoes> {
  const sorted: SortedEchoes = { foreign: new Set(), waiting: new Set(), adopted: [] };
  if (echoes.length === 0) return sorted;
  // In this order: a send that is answered between the two statements is known to the second one, or its echo is a
  // duplicate when it is stored.
  const handles = new Map(
    echoes.flatMap(({ message }) => handlesOf(message)).map((one) => [keyOf(one), one]),
  );
  const pending = await tx.all(pendingSends, [
    channelId,
    [...handles.values()].map(({ type }) => type),
    [...handles.values()].map(({ value }) => value),
    tx.now,
  ]);
  const vendorIds = echoes.map(({ message }) => message.vendorId);
  const known = await findReceivedBefore(tx, channelId, vendorIds);
  const taken = new Set<string>();
  for (const { message, receivedAt } of echoes) {
    const { vendorId, occurredAt } = message;
    if (known.has(vendorId)) continue;
    const keys = new Set(handlesOf(message).map(keyOf));
    const sends = pending.filter((send) => keys.has(send.handle) && !taken.has(send.id));
    const isOverdue = tx.now.getTime() - receivedAt.getTime() >= MAX_WAIT_MS;
    const same = sends.find((send) => (send.is_unknown || isOverdue) && hasSameContent(send, message));
    if (same) {
      taken.add(same.id);
      sorted.adopted.push({ kind: 'status', vendorId, messageId: same.id, status: 'sent', occurredAt });
    } else if (!isOverdue && sends.some((send) => !send.is_unknown)) sorted.waiting.add(message);
    else sorted.foreign.add(message);
  }
  return sorted;
}

const handlesOf = ({ contact }: ReceivedMessage) => {
  const { type, value, others = [] } = normalizeContact(contact);
  return [{ type, value }, ...others];
};

/** Messages without a text are compared by their type. */
const hasSameContent = (send: PendingSend, { text, type }: ReceivedMessage): boolean =>
  (send.text ?? '') === (text ?? '') && (Boolean(text) || send.type === type);
