import type { InboundEvent, ProviderRequest, VendorContact } from '../adapter.ts';
import { entriesOf, idOf, momentOf, type Part, partOf, requireId, textOf } from '../meta/payload.ts';
import { contentOf } from './message-content.ts';

/** One element of an entry, and which side of it the business is. */
interface Received {
  told: Part;
  contact: VendorContact;
  kind: 'message' | 'echo';
  occurredAt: Date;
}

const message = (told: Received): InboundEvent[] => {
  const message = partOf(told.told.message);
  const vendorId = requireId(message.mid, 'a message');
  const { kind, contact, occurredAt } = told;
  if (message.is_deleted === true) return [{ kind: 'mutation', vendorId, occurredAt, change: 'delete' }];
  return [{ kind, vendorId, occurredAt, contact, ...contentOf(message) }];
};

const edit = ({ told, occurredAt }: Received): InboundEvent[] => {
  const { mid, text } = partOf(told.message_edit);
  const vendorId = requireId(mid, 'a change of a message');
  return [{ kind: 'mutation', vendorId, occurredAt, change: 'edit', text: textOf(text) }];
};

/** Reactions have no id of their own: they are told apart by whose they are, of what and when. The sandbox gives one. */
const reaction = ({ told, kind, contact, occurredAt }: Received): InboundEvent[] => {
  const { id, mid, action, emoji } = partOf(told.reaction);
  const about = requireId(mid, 'a reaction');
  const by = kind === 'echo' ? 'business' : contact.value;
  return [
    {
      kind,
      vendorId: idOf(id) || `${about}:reaction:${by}:${occurredAt.getTime()}`,
      occurredAt,
      contact,
      type: 'reaction',
      text: null,
      media: [],
      content: { emoji: action === 'unreact' ? null : textOf(emoji) },
      replyTo: [about],
    },
  ];
};

const postback = ({ told, contact, kind, occurredAt }: Received): InboundEvent[] => {
  const { mid, title, payload } = partOf(told.postback);
  return [
    {
      kind,
      vendorId: idOf(mid) || `${contact.value}:postback:${occurredAt.getTime()}`,
      occurredAt,
      contact,
      type: 'interactive',
      text: textOf(title),
      media: [],
      content: { id: idOf(payload), title: textOf(title) },
    },
  ];
};

/** One message, or everything up to a moment. */
const read = ({ told, contact, occurredAt }: Received): InboundEvent[] => {
  const { mid, watermark } = partOf(told.read);
  if (idOf(mid) !== '') return [{ kind: 'status', vendorId: idOf(mid), occurredAt, status: 'read' }];
  return [{ kind: 'read_receipt', contact, occurredAt, until: momentOf(watermark) }];
};

const readers: Record<string, (told: Received) => InboundEvent[]> = {
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
  const contact: VendorContact = { type: 'instagram_id', value, name: textOf(person.name) };
  const kind = isEcho ? 'echo' : 'message';
  return readers[reader]?.({ told, contact, kind, occurredAt: momentOf(told.timestamp) }) ?? [];
}

/** Everything that a request says to one account. Comments and whatever else means nothing to us are left out. */
export const readWebhook = (request: ProviderRequest, accountId: string): InboundEvent[] =>
  entriesOf(request)
    .filter(({ id }) => idOf(id) === accountId)
    .flatMap(({ messaging }) => (Array.isArray(messaging) ? messaging : []))
    .flatMap((told) => readElement(partOf(told), accountId));
