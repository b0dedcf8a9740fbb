import { keyOf } from '../../contacts/handles/add.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { InboundStatus } from '../../providers/adapter.ts';
import type { ReceivedMessage } from './media.ts';
import { findReceivedBefore, normalizeContact } from './resolve-chats.ts';

interface SendUnderWay {
  handle: string;
  id: string;
  type: string;
  text: string | null;
  is_unknown: boolean;
}

const sendsUnderWay = statement<
  [tenantId: string, channelId: string, types: string[], values: string[], now: Date],
  SendUnderWay
>(
  'messages.sends_under_way',
  // What is still being sent is due all the while; what waits for a sign of its fate is due later.
  `select concat_ws(' ', n.type, n.value) as handle, m.id, m.type, m.text, m.due_at > $5 as is_unknown
     from unnest($3::text[], $4::text[]) as n (type, value)
     join handles h on h.tenant_id = $1 and h.type = n.type and h.value = n.value
     join chats c on c.tenant_id = $1 and c.channel_id = $2 and c.handle_id = h.id
     join messages m on m.chat_id = c.id and m.tenant_id = $1 and m.due_at is not null and m.sending_at is not null
    order by m.sending_at, m.id`,
);

/** An echo, and when the request that brought it came. */
export interface ReceivedEcho {
  message: ReceivedMessage;
  receivedAt: Date;
}

export interface SortedEchoes {
  /** Written elsewhere: to be stored. */
  foreign: Set<ReceivedMessage>;
  /** Perhaps ours: nobody knows before the send that is under way is answered. */
  waiting: Set<ReceivedMessage>;
  /** Ours, by all that can be told: what they say about sends whose answer was lost. */
  adopted: InboundStatus[];
}

/** No vendor lets a send go unanswered for longer. */
const LONGEST_WAIT_MS = 60_000;

/** Tells echoes of our own sends from what the business wrote elsewhere. Known ones are in none of the lists. */
export async function sortEchoes(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  echoes: readonly ReceivedEcho[],
  now: Date,
): Promise<SortedEchoes> {
  const sorted: SortedEchoes = { foreign: new Set(), waiting: new Set(), adopted: [] };
  if (echoes.length === 0) return sorted;
  // In this order: a send that is answered between the two is known by then, or its echo is refused when it is stored.
  const handles = new Map(
    echoes.flatMap(({ message }) => handlesOf(message)).map((one) => [keyOf(one), one]),
  );
  const underWay = await tx.all(sendsUnderWay, [
    tenantId,
    channelId,
    [...handles.values()].map(({ type }) => type),
    [...handles.values()].map(({ value }) => value),
    now,
  ]);
  const vendorIds = echoes.map(({ message }) => message.vendorId);
  const known = await findReceivedBefore(tx, channelId, vendorIds);
  const taken = new Set<string>();
  for (const { message, receivedAt } of echoes) {
    const { vendorId, occurredAt } = message;
    if (known.has(vendorId)) continue;
    const keys = new Set(handlesOf(message).map(keyOf));
    const sends = underWay.filter((send) => keys.has(send.handle) && !taken.has(send.id));
    const isOver = now.getTime() - receivedAt.getTime() >= LONGEST_WAIT_MS;
    const same = sends.find((send) => (send.is_unknown || isOver) && saysTheSame(send, message));
    if (same) {
      taken.add(same.id);
      sorted.adopted.push({ kind: 'status', vendorId, messageId: same.id, status: 'sent', occurredAt });
    } else if (!isOver && sends.some((send) => !send.is_unknown)) sorted.waiting.add(message);
    else sorted.foreign.add(message);
  }
  return sorted;
}

const handlesOf = ({ contact }: ReceivedMessage) => {
  const { type, value, others = [] } = normalizeContact(contact);
  return [{ type, value }, ...others];
};

/** What has no text is told apart by its type. */
const saysTheSame = (send: SendUnderWay, { text, type }: ReceivedMessage): boolean =>
  (send.text ?? '') === (text ?? '') && (Boolean(text) || send.type === type);
