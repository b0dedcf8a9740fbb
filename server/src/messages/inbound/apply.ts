import { reportHealth } from '../../channels/health.ts';
import { changeHandle } from '../../contacts/handles/change.ts';
import { findSpellings, spellingsOf } from '../../contacts/handles/spellings.ts';
import { lockAndMergeOwners, mergeReplaced, type SamePerson } from '../../contacts/merge/merge-owners.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundEvent } from '../../providers/inbound-event.ts';
import type { Handle } from '../../providers/kinds.ts';
import { decideTemplate, storeTemplateChange } from '../../templates/decide-template.ts';
import type { QueueDeps } from '../outbound/queue.ts';
import { withConsentWord } from './consent-words.ts';
import { receiveConsents } from './consents.ts';
import { importContacts } from './contacts.ts';
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
 * order they came in. Returns the events that can only be applied later, by their index. All of them may be applied again:
 * nothing is done twice. Throws `MergeNeeded` if contacts must be merged and it may not.
 */
export async function applyInbound(
  tx: TenantTx,
  channel: ReceivingChannel,
  given: readonly Received[],
  deps: QueueDeps,
  mayMerge: boolean,
): Promise<Set<number>> {
  const marked = given.map((one) => ({ ...one, event: withWord(one.event, channel) }));
  // First: a deletion of the channel locks it before its chats.
  for (const { event } of marked)
    if (event.kind === 'channel_health') await reportHealth(tx, channel.id, event);
  const handlesToLock = isAppliedInSteps(marked) ? handlesIn : handlesToChange;
  await lockAndMergeOwners(
    tx,
    marked.flatMap(({ event }) => handlesToLock(event).flatMap(spellingsOf)),
    marked.flatMap(({ event }) => samePersonIn(event)),
    mayMerge,
  );
  const spell = await findSpellings(
    tx,
    marked.flatMap(({ event }) => handlesIn(event)),
    channel.id,
  );
  const received = marked.map((one) => ({ ...one, event: withStoredHandles(one.event, spell) }));
  const waiting = new Set<ReceivedEvent>();
  let part: Received[] = [];
  for (const one of received) {
    if (one.event.kind !== 'identity') {
      part.push(one);
      continue;
    }
    await applyPart(tx, channel, part, deps, waiting);
    part = [];
    // The new handle may belong to a contact that was created a moment ago.
    for (const person of samePersonIn(one.event)) await mergeReplaced(tx, person, mayMerge);
    tx.publish(...(await changeHandle(tx, one.event)));
  }
  await applyPart(tx, channel, part, deps, waiting);
  return new Set(received.flatMap(({ event }, index) => (waiting.has(event) ? [index] : [])));
}

/** All handles in an event, as we store them. */
function handlesIn(event: ReceivedEvent): Handle[] {
  if (event.kind === 'identity') return [event.from, event.to].map(normalizeHandle);
  if (event.kind === 'consent') return event.handles.map(normalizeHandle);
  return 'contact' in event ? handlesOf(normalizeContact(event.contact)) : [];
}

/** The handles of contacts that an event may change. Contacts are locked before the chats of any event. */
function handlesToChange(event: ReceivedEvent): Handle[] {
  if (event.kind === 'identity' || event.kind === 'consent' || event.kind === 'contact')
    return handlesIn(event);
  if (event.kind !== 'message' && event.kind !== 'echo') return [];
  const { contact, subscription } = event;
  const [first] = spellingsOf(normalizeHandle(contact)).slice(1);
  return subscription || contact.others?.length || first ? handlesIn(event) : [];
}

/** Whether messages are received more than once: contacts of later senders would be locked after the chats of the first ones. */
function isAppliedInSteps(received: readonly Received[]): boolean {
  const isImported = received.flatMap(({ event }) =>
    event.kind === 'message' || event.kind === 'echo' ? event.imported !== undefined : [],
  );
  return received.some(({ event }) => event.kind === 'identity') || new Set(isImported).size > 1;
}

/** Handles that the vendor says are one person's, however they are written. */
function samePersonIn(event: ReceivedEvent): SamePerson[] {
  // A number may have belonged to somebody else before, an id never has.
  if (event.kind === 'identity' && event.to.type === 'phone_number') return [];
  if (!['identity', 'message', 'echo', 'contact'].includes(event.kind)) return [];
  const handles = handlesIn(event).flatMap(spellingsOf);
  return handles.length > 1 ? [handles] : [];
}

/** An event with the word that it consists of. */
const withWord = (event: ReceivedEvent, channel: ReceivingChannel): ReceivedEvent =>
  event.kind === 'message' && !event.imported ? withConsentWord(event, channel) : event;

/** An event with its handles as they are stored. */
function withStoredHandles(event: ReceivedEvent, spell: <H extends Handle>(handle: H) => H): ReceivedEvent {
  const asStored = <H extends Handle>(handle: H): H => spell(normalizeHandle(handle));
  if (event.kind === 'identity') return { ...event, from: asStored(event.from), to: asStored(event.to) };
  if (event.kind === 'consent') return { ...event, handles: event.handles.map(asStored) };
  if (!('contact' in event)) return event;
  const { others, ...first } = event.contact;
  return { ...event, contact: { ...asStored(first), ...(others ? { others: others.map(asStored) } : {}) } };
}

async function applyPart(
  tx: TenantTx,
  channel: ReceivingChannel,
  received: readonly Received[],
  deps: QueueDeps,
  waiting: Set<ReceivedEvent>,
): Promise<void> {
  const ofKinds = <K extends ReceivedEvent['kind']>(
    ...kinds: K[]
  ): Received<Extract<ReceivedEvent, { kind: K }>>[] =>
    received.filter(({ event }) => kinds.includes(event.kind as K)) as never;
  const eventsOf = <K extends ReceivedEvent['kind']>(kind: K) => ofKinds(kind).map(({ event }) => event);

  const all = ofKinds('message', 'echo').map(({ event, receivedAt }) => ({ message: event, receivedAt }));
  await importContacts(tx, eventsOf('contact'));
  const imported = all.filter(({ message }) => message.imported).map(({ message }) => message);
  await receiveMessages(tx, channel, imported, deps, { isImport: true });
  const written = all.filter(({ message }) => !message.imported);
  const echoes = await sortEchoes(
    tx,
    channel.id,
    written.filter(({ message }) => message.kind === 'echo'),
  );
  for (const echo of echoes.waiting) waiting.add(echo);
  const messages = written
    .map(({ message }) => message)
    .filter((message) => message.kind === 'message' || echoes.foreign.has(message));
  await receiveMessages(tx, channel, messages, deps);
  await receiveConsents(tx, channel.kind, eventsOf('consent'));
  await receiveStatuses(tx, channel, [...echoes.adopted, ...eventsOf('status')], deps.countFailed);
  await applyReadReceipts(tx, channel.id, eventsOf('read_receipt'));
  const unknown = new Set(await receiveMutations(tx, channel.id, eventsOf('mutation')));
  for (const { event, receivedAt } of ofKinds('mutation'))
    if (unknown.has(event) && tx.now.getTime() - receivedAt.getTime() < MAX_WAIT_MS) waiting.add(event);
  for (const event of eventsOf('template_status')) await decideTemplate(tx, channel.id, event);
  for (const event of eventsOf('template_change')) await storeTemplateChange(tx, channel.id, event);
}
