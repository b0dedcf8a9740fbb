import { changeHandle } from '../../contacts/handles/change.ts';
import type { Tx } from '../../db/database.ts';
import type { Publisher } from '../../engine/outbox.ts';
import type { InboundEvent, InboundIdentity } from '../../providers/adapter.ts';
import { decideTemplate } from '../../templates/decide-template.ts';
import { type SortedEchoes, sortEchoes } from './echoes.ts';
import { receiveMutations } from './edits.ts';
import type { ReceivedMessage } from './media.ts';
import { receiveMessages } from './messages.ts';
import { applyReadReceipts } from './read-receipts.ts';
import { receiveStatuses } from './statuses.ts';
import type { ReceivingChannel } from './store-messages.ts';

/** Something a vendor told, with the bytes of its files stored, and when the request that told it came. */
export interface Received<E = ReceivedEvent> {
  event: E;
  receivedAt: Date;
}
export type ReceivedEvent = ReceivedMessage | Exclude<InboundEvent, { kind: 'message' | 'echo' }>;

export interface ApplyDeps {
  publisher: Publisher;
  baseUrl: () => string;
}

/** A mutation of a message that has not come yet is looked at again for this long. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Does what a vendor told about one channel, in one transaction. People change their handles in between, so what was
 * told before that is done before it. Otherwise messages come first, then what is about messages, in whatever order it
 * was told. Gives what can only be done later: it may all be applied again, as nothing is done twice.
 */
export async function applyInbound(
  tx: Tx,
  channel: ReceivingChannel,
  told: readonly Received[],
  now: Date,
  deps: ApplyDeps,
): Promise<Set<ReceivedEvent>> {
  const waiting = new Set<ReceivedEvent>();
  let part: Received[] = [];
  for (const one of told) {
    if (one.event.kind !== 'identity') {
      part.push(one);
      continue;
    }
    await applyPart(tx, channel, part, now, deps, waiting);
    part = [];
    await applyIdentity(tx, channel, one.event, now, deps);
  }
  await applyPart(tx, channel, part, now, deps, waiting);
  return waiting;
}

async function applyPart(
  tx: Tx,
  channel: ReceivingChannel,
  told: readonly Received[],
  now: Date,
  { publisher, baseUrl }: ApplyDeps,
  waiting: Set<ReceivedEvent>,
): Promise<void> {
  const of = <K extends ReceivedEvent['kind']>(
    ...kinds: K[]
  ): Received<Extract<ReceivedEvent, { kind: K }>>[] =>
    told.filter(({ event }) => kinds.includes(event.kind as K)) as never;
  const eventsOf = <K extends ReceivedEvent['kind']>(kind: K) => of(kind).map(({ event }) => event);

  const written = of('message', 'echo').map(({ event, receivedAt }) => ({ message: event, receivedAt }));
  const echoes: SortedEchoes = await sortEchoes(
    tx,
    channel,
    written.filter(({ message }) => message.kind === 'echo'),
    now,
  );
  for (const echo of echoes.waiting) waiting.add(echo);
  const messages = written
    .map(({ message }) => message)
    .filter((message) => message.kind === 'message' || echoes.foreign.has(message));
  await receiveMessages(tx, channel, messages, now, publisher, baseUrl());
  await receiveStatuses(tx, channel, [...echoes.adopted, ...eventsOf('status')], now, publisher);
  await applyReadReceipts(tx, channel, eventsOf('read_receipt'), now, publisher);
  const unknown = new Set(await receiveMutations(tx, channel, eventsOf('mutation'), now, publisher));
  for (const { event, receivedAt } of of('mutation'))
    if (unknown.has(event) && now.getTime() - receivedAt.getTime() < LONGEST_WAIT_MS) waiting.add(event);
  for (const event of eventsOf('template_status'))
    await decideTemplate(tx, channel.tenantId, channel.id, event, now, publisher);
}

async function applyIdentity(
  tx: Tx,
  { tenantId }: ReceivingChannel,
  identity: InboundIdentity,
  now: Date,
  { publisher }: ApplyDeps,
): Promise<void> {
  await publisher.publish(tx, tenantId, await changeHandle(tx, tenantId, identity, now));
}
