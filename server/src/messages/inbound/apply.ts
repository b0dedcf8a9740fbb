import { changeHandle } from '../../contacts/handles/change.ts';
import { lockOwners } from '../../contacts/handles/owners.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle, InboundEvent } from '../../providers/adapter.ts';
import { decideTemplate } from '../../templates/decide-template.ts';
import { sortEchoes } from './echoes.ts';
import { receiveMutations } from './edits.ts';
import type { ReceivedMessage } from './media.ts';
import { receiveMessages } from './messages.ts';
import { applyReadReceipts } from './read-receipts.ts';
import { handlesOf, normalizeContact, normalizeHandle } from './resolve-chats.ts';
import { receiveStatuses } from './statuses.ts';
import type { ReceivingChannel } from './store-messages.ts';

/** An event of a vendor, with the bytes of its files stored, and when the request that carried it came. */
export interface Received<E = ReceivedEvent> {
  event: E;
  receivedAt: Date;
}
export type ReceivedEvent = ReceivedMessage | Exclude<InboundEvent, { kind: 'message' | 'echo' }>;

/** A mutation of a message that has not come yet is tried again for this long. */
const MAX_WAIT_MS = 60_000;

/**
 * Applies the events of a vendor about one channel, in one transaction. A handle may change in between, so the events
 * before such a change are applied before it. Otherwise messages come first, then what refers to messages, whatever
 * order they came in. Returns the events that can only be applied later. All of them may be applied again: nothing is
 * done twice.
 */
export async function applyInbound(
  tx: TenantTx,
  channel: ReceivingChannel,
  received: readonly Received[],
  baseUrl: string,
): Promise<Set<ReceivedEvent>> {
  const waiting = new Set<ReceivedEvent>();
  await lockOwners(
    tx,
    received.flatMap(({ event }) => handlesToChange(event)),
  );
  let part: Received[] = [];
  for (const one of received) {
    if (one.event.kind !== 'identity') {
      part.push(one);
      continue;
    }
    await applyPart(tx, channel, part, baseUrl, waiting);
    part = [];
    tx.publish(...(await changeHandle(tx, one.event)));
  }
  await applyPart(tx, channel, part, baseUrl, waiting);
  return waiting;
}

/** The handles of contacts that an event may change. Contacts are locked before the chats of any event. */
function handlesToChange(event: ReceivedEvent): Handle[] {
  if (event.kind === 'identity') return [normalizeHandle(event.from)];
  if (event.kind !== 'message' && event.kind !== 'echo') return [];
  const { contact, subscription } = event;
  if (!subscription && !contact.others?.length) return [];
  return handlesOf(normalizeContact(contact));
}

async function applyPart(
  tx: TenantTx,
  channel: ReceivingChannel,
  received: readonly Received[],
  baseUrl: string,
  waiting: Set<ReceivedEvent>,
): Promise<void> {
  const ofKinds = <K extends ReceivedEvent['kind']>(
    ...kinds: K[]
  ): Received<Extract<ReceivedEvent, { kind: K }>>[] =>
    received.filter(({ event }) => kinds.includes(event.kind as K)) as never;
  const eventsOf = <K extends ReceivedEvent['kind']>(kind: K) => ofKinds(kind).map(({ event }) => event);

  const written = ofKinds('message', 'echo').map(({ event, receivedAt }) => ({ message: event, receivedAt }));
  const echoes = await sortEchoes(
    tx,
    channel.id,
    written.filter(({ message }) => message.kind === 'echo'),
  );
  for (const echo of echoes.waiting) waiting.add(echo);
  const messages = written
    .map(({ message }) => message)
    .filter((message) => message.kind === 'message' || echoes.foreign.has(message));
  await receiveMessages(tx, channel, messages, baseUrl);
  await receiveStatuses(tx, channel.id, [...echoes.adopted, ...eventsOf('status')]);
  await applyReadReceipts(tx, channel.id, eventsOf('read_receipt'));
  const unknown = new Set(await receiveMutations(tx, channel.id, eventsOf('mutation')));
  for (const { event, receivedAt } of ofKinds('mutation'))
    if (unknown.has(event) && tx.now.getTime() - receivedAt.getTime() < MAX_WAIT_MS) waiting.add(event);
  for (const event of eventsOf('template_status')) await decideTemplate(tx, channel.id, event);
}
