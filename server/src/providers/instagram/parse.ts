import type { InboundEvent, Peer, ProviderRequest } from '../adapter.ts';
import { entriesOf, idOf, momentOf, type Part, partOf, requireId, textOf } from '../meta/payload.ts';
import { contentOf } from './message-content.ts';

/** One element of an entry, and which side of it the business is. */
interface Told {
  told: Part;
  peer: Peer;
  kind: 'message' | 'echo';
  occurredAt: Date;
}

const message = (told: Told): InboundEvent[] => {
  const message = partOf(told.told.message);
  const vendorId = requireId(message.mid, 'a message');
  const { kind, peer, occurredAt } = told;
  if (message.is_deleted === true) return [{ kind: 'mutation', vendorId, occurredAt, change: 'delete' }];
  return [{ kind, vendorId, occurredAt, peer, ...contentOf(message) }];
};

const edit = ({ told, occurredAt }: Told): InboundEvent[] => {
  const { mid, text } = partOf(told.message_edit);
  const vendorId = requireId(mid, 'a change of a message');
  return [{ kind: 'mutation', vendorId, occurredAt, change: 'edit', text: textOf(text) }];
};

/** Reactions have no id of their own: they are told apart by whose they are, of what and when. The sandbox gives one. */
const reaction = ({ told, kind, peer, occurredAt }: Told): InboundEvent[] => {
  const { id, mid, action, emoji } = partOf(told.reaction);
  const about = requireId(mid, 'a reaction');
  const by = kind === 'echo' ? 'business' : peer.value;
  return [
    {
      kind,
      vendorId: idOf(id) || `${about}:reaction:${by}:${occurredAt.getTime()}`,
      occurredAt,
      peer,
      type: 'reaction',
      text: null,
      media: [],
      content: { emoji: action === 'unreact' ? null : textOf(emoji) },
      replyTo: [about],
    },
  ];
};

const postback = ({ told, peer, kind, occurredAt }: Told): InboundEvent[] => {
  const { mid, title, payload } = partOf(told.postback);
  return [
    {
      kind,
      vendorId: idOf(mid) || `${peer.value}:postback:${occurredAt.getTime()}`,
      occurredAt,
      peer,
      type: 'interactive',
      text: textOf(title),
      media: [],
      content: { id: idOf(payload), title: textOf(title) },
    },
  ];
};

/** One message, or everything up to a moment. */
const read = ({ told, peer, occurredAt }: Told): InboundEvent[] => {
  const { mid, watermark } = partOf(told.read);
  if (idOf(mid) !== '') return [{ kind: 'status', vendorId: idOf(mid), occurredAt, status: 'read' }];
  return [{ kind: 'read_mark', peer, occurredAt, until: momentOf(watermark) }];
};

const readers: Record<string, (told: Told) => InboundEvent[]> = {
  message,
  message_edit: edit,
  reaction,
  postback,
  read,
};

function readElement(told: Part, accountId: string): InboundEvent[] {
  const reader = Object.keys(readers).find((name) => told[name] !== undefined);
  if (reader === undefined) return [];
  const [sender, recipient] = [partOf(told.sender), partOf(told.recipient)];
  const isEcho = idOf(sender.id) === accountId || partOf(told.message).is_echo === true;
  const person = isEcho ? recipient : sender;
  const value = requireId(person.id, 'a message of nobody');
  // Somebody who writes to themselves has no conversation with anybody.
  if (value === accountId) return [];
  // Meta gives no name with a message; the sandbox does.
  const peer: Peer = { type: 'instagram_id', value, name: textOf(person.name) };
  const kind = isEcho ? 'echo' : 'message';
  return readers[reader]?.({ told, peer, kind, occurredAt: momentOf(told.timestamp) }) ?? [];
}

/** Everything that a request says to one account. Comments and whatever else means nothing to us are left out. */
export const readWebhook = (request: ProviderRequest, accountId: string): InboundEvent[] =>
  entriesOf(request)
    .filter(({ id }) => idOf(id) === accountId)
    .flatMap(({ messaging }) => (Array.isArray(messaging) ? messaging : []))
    .flatMap((told) => readElement(partOf(told), accountId));
