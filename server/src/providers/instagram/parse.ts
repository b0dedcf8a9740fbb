import type { InboundEvent, VendorContact } from '../inbound-event.ts';
import { parseEach } from '../meta/parse-each.ts';
import { entriesOf, idOf, type Part, partOf, requireId, textOf, timeOf } from '../meta/payload.ts';
import type { ProviderRequest } from '../provider-request.ts';
import { contentOf, referralIn } from './message-content.ts';

/** One element of an entry, with the contact on the other side. */
interface Received {
  element: Part;
  contact: VendorContact;
  kind: 'message' | 'echo';
  occurredAt: Date;
  isStandby: boolean;
}

/** Marks what came while another app answers the customer. */
const standbyIn = ({ isStandby }: Received): { isStandby?: true } => (isStandby ? { isStandby: true } : {});

const parseMessage = (received: Received): InboundEvent[] => {
  const { element, kind, contact, occurredAt } = received;
  const message = partOf(element.message);
  const vendorId = requireId(message.mid, 'a message');
  if (message.is_deleted === true) return [{ kind: 'mutation', vendorId, occurredAt, change: 'delete' }];
  return [{ kind, vendorId, occurredAt, contact, ...contentOf(message), ...standbyIn(received) }];
};

const parseEdit = ({ element, occurredAt }: Received): InboundEvent[] => {
  const { mid, text } = partOf(element.message_edit);
  const vendorId = requireId(mid, 'an edit of a message');
  return [{ kind: 'mutation', vendorId, occurredAt, change: 'edit', text: textOf(text) }];
};

/** By the names that Instagram gives the usual ones. */
const EMOJI: ReadonlyMap<unknown, string> = new Map([
  ['love', '❤️'],
  ['smile', '😆'],
  ['wow', '😮'],
  ['sad', '😢'],
  ['angry', '😠'],
  ['like', '👍'],
  ['dislike', '👎'],
]);

/** Null: the reaction was removed. One without an emoji is the heart of a double tap, or has a name. */
const emojiOf = ({ action, emoji, reaction }: Part): string | null =>
  action === 'unreact' ? null : (textOf(emoji) ?? EMOJI.get(reaction) ?? '❤️');

/** Reactions have no id, so theirs is made of message, author and time. Those of the sandbox have one. */
const parseReaction = (received: Received): InboundEvent[] => {
  const { element, kind, contact, occurredAt } = received;
  const reaction = partOf(element.reaction);
  const { id, mid } = reaction;
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
      content: { emoji: emojiOf(reaction) },
      replyTo: [about],
      ...standbyIn(received),
    },
  ];
};

const parsePostback = (received: Received): InboundEvent[] => {
  const { element, contact, kind, occurredAt } = received;
  const postback = partOf(element.postback);
  const { mid, title, payload } = postback;
  return [
    {
      kind,
      vendorId: idOf(mid) || `${contact.value}:postback:${occurredAt.getTime()}`,
      occurredAt,
      contact,
      type: 'interactive',
      text: textOf(title),
      media: [],
      content: { id: idOf(payload), title: textOf(title), ...referralIn(postback) },
      ...standbyIn(received),
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

function parseElement(element: Part, accountId: string, isStandby: boolean): InboundEvent[] {
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
  const occurredAt = timeOf(element.timestamp);
  return parsers[parser]?.({ element, contact, kind, occurredAt, isStandby }) ?? [];
}

/** A public comment under a post of the business. Its own comments belong to no chat. */
function parseComment(value: Part, time: unknown, accountId: string): InboundEvent[] {
  const { id, text, parent_id, created_time } = value;
  const [from, media] = [partOf(value.from), partOf(value.media)];
  const author = requireId(from.id, 'a comment of a person');
  if (author === accountId) return [];
  return [
    {
      kind: 'message',
      vendorId: requireId(id, 'a comment'),
      occurredAt: timeOf(created_time ?? time),
      contact: { type: 'instagram_id', value: author, name: textOf(from.username) },
      type: 'comment',
      text: textOf(text),
      media: [],
      content: {
        mediaId: idOf(media.id) || null,
        mediaType: textOf(media.media_product_type),
        parentId: idOf(parent_id) || null,
        username: textOf(from.username),
      },
    },
  ];
}

function parseEntry({ messaging, standby, changes, time }: Part, accountId: string): InboundEvent[] {
  return [
    ...parseEach(messaging, (element) => parseElement(element, accountId, false)),
    ...parseEach(standby, (element) => parseElement(element, accountId, true)),
    ...parseEach(changes, ({ field, value }) =>
      field === 'comments' ? parseComment(partOf(value), time, accountId) : [],
    ),
  ];
}

/** The events of a request for one account. Other fields than messages and comments are ignored. */
export const parseWebhook = (request: ProviderRequest, accountId: string): InboundEvent[] =>
  entriesOf(request)
    .filter(({ id }) => idOf(id) === accountId)
    .flatMap((entry) => parseEntry(entry, accountId));
