import type { InboundEvent, ProviderRequest, VendorContact } from '../adapter.ts';
import { entriesOf, idOf, type Part, partOf, requireId, textOf, timeOf } from '../meta/payload.ts';
import { contentOf } from './message-content.ts';

/** One element of an entry, with the contact on the other side. */
interface Received {
  element: Part;
  contact: VendorContact;
  kind: 'message' | 'echo';
  occurredAt: Date;
}

const parseMessage = ({ element, kind, contact, occurredAt }: Received): InboundEvent[] => {
  const message = partOf(element.message);
  const vendorId = requireId(message.mid, 'a message');
  if (message.is_deleted === true) return [{ kind: 'mutation', vendorId, occurredAt, change: 'delete' }];
  return [{ kind, vendorId, occurredAt, contact, ...contentOf(message) }];
};

const parseEdit = ({ element, occurredAt }: Received): InboundEvent[] => {
  const { mid, text } = partOf(element.message_edit);
  const vendorId = requireId(mid, 'an edit of a message');
  return [{ kind: 'mutation', vendorId, occurredAt, change: 'edit', text: textOf(text) }];
};

/** Reactions have no id, so theirs is made of message, author and time. Those of the sandbox have one. */
const parseReaction = ({ element, kind, contact, occurredAt }: Received): InboundEvent[] => {
  const { id, mid, action, emoji } = partOf(element.reaction);
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

const parsePostback = ({ element, contact, kind, occurredAt }: Received): InboundEvent[] => {
  const { mid, title, payload } = partOf(element.postback);
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

/** One message was read, or everything up to a moment. */
const parseRead = ({ element, contact, occurredAt }: Received): InboundEvent[] => {
  const { mid, watermark } = partOf(element.read);
  if (idOf(mid) !== '') return [{ kind: 'status', vendorId: idOf(mid), occurredAt, status: 'read' }];
  return [{ kind: 'read_receipt', contact, occurredAt, until: timeOf(watermark) }];
};

const parsers: Record<string, (received: Received) => InboundEvent[]> = {
  message: parseMessage,
  message_edit: parseEdit,
  reaction: parseReaction,
  postback: parsePostback,
  read: parseRead,
};

function parseElement(element: Part, accountId: string): InboundEvent[] {
  const parser = Object.keys(parsers).find((name) => element[name] !== undefined);
  if (parser === undefined) return [];
  const [sender, recipient] = [partOf(element.sender), partOf(element.recipient)];
  const isEcho = idOf(sender.id) === accountId || partOf(element.message).is_echo === true;
  const customer = isEcho ? recipient : sender;
  const value = requireId(customer.id, 'a message of a sender');
  // A message from the account to itself belongs to no chat.
  if (value === accountId) return [];
  // Meta sends no name with a message; the sandbox does.
  const contact: VendorContact = { type: 'instagram_id', value, name: textOf(customer.name) };
  const kind = isEcho ? 'echo' : 'message';
  return parsers[parser]?.({ element, contact, kind, occurredAt: timeOf(element.timestamp) }) ?? [];
}

/** The events of a request for one account. Comments and other fields are ignored. */
export const parseWebhook = (request: ProviderRequest, accountId: string): InboundEvent[] =>
  entriesOf(request)
    .filter(({ id }) => idOf(id) === accountId)
    .flatMap(({ messaging }) => (Array.isArray(messaging) ? messaging : []))
    .flatMap((element) => parseElement(partOf(element), accountId));
