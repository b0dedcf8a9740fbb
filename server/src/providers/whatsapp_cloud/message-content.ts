import { isNestedTooDeeply } from '../../base/json-depth.ts';
import type { InboundMedia, InboundMessage } from '../adapter.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';

/** The content of a message, without its sender and time. */
export type MessageContent = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content'> &
  Partial<Pick<InboundMessage, 'replyTo'>>;

const empty = { text: null, media: [], content: {} };

/** A type of message that we do not support: only its type is shown. */
const unsupported = (vendorType: string, content: Record<string, unknown> = {}): MessageContent => ({
  ...empty,
  type: 'unsupported',
  content: { vendorType, ...content },
});

function mediaIn(media: Part): InboundMedia[] {
  const id = idOf(media.id);
  if (id === '') return [];
  const url = textOf(media.url);
  return [
    {
      mimeType: textOf(media.mime_type),
      filename: textOf(media.filename),
      size: null,
      ref: { id, ...(url === null ? {} : { url }) },
    },
  ];
}

const mediaMessage = (
  type: 'image' | 'video' | 'audio' | 'document' | 'sticker',
  message: Part,
): MessageContent => {
  const media = partOf(message[type]);
  return { type, text: textOf(media.caption), media: mediaIn(media), content: {} };
};

const choice = (id: unknown, title: unknown, more: Record<string, unknown> = {}): MessageContent => ({
  type: 'interactive',
  text: textOf(title),
  media: [],
  content: { id: idOf(id), title: textOf(title), ...more },
});

/** What a text says in JSON; the text itself where it is none, or nested too deeply to be stored. */
function jsonIn(text: unknown): unknown {
  if (isNestedTooDeeply(Buffer.from(String(text)))) return text;
  try {
    return JSON.parse(String(text));
  } catch {
    return text ?? null;
  }
}

/** The choices of a message of the business, in an echo. */
function choicesOf({ type, body, action }: Part): MessageContent | undefined {
  const { buttons, button, sections } = partOf(action);
  const content =
    type === 'button'
      ? { buttons: partsOf(buttons).map(({ reply }) => reply) }
      : type === 'list'
        ? { list: { button, sections } }
        : undefined;
  return content && { type: 'interactive', text: textOf(partOf(body).text), media: [], content };
}

function interactive({ interactive }: Part): MessageContent {
  const { type, button_reply, list_reply, nfm_reply } = partOf(interactive);
  if (type === 'button_reply') return choice(partOf(button_reply).id, partOf(button_reply).title);
  if (type === 'list_reply') {
    const { id, title, description } = partOf(list_reply);
    return choice(id, title, textOf(description) === null ? {} : { description });
  }
  if (type === 'nfm_reply') {
    const { name, body, response_json } = partOf(nfm_reply);
    return choice(name, body, { response: jsonIn(response_json) });
  }
  return choicesOf(partOf(interactive)) ?? unsupported(textOf(type) ?? 'interactive');
}

function location({ location }: Part): MessageContent {
  const { latitude, longitude, name, address } = partOf(location);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return unsupported('location');
  const content = { latitude, longitude, name: textOf(name), address: textOf(address) };
  return { ...empty, type: 'location', content };
}

function contacts({ contacts }: Part): MessageContent {
  const shared = partsOf(contacts).map(({ name, org, phones, emails }) => ({
    name: textOf(partOf(name).formatted_name),
    organization: textOf(partOf(org).company),
    phoneNumbers: partsOf(phones).flatMap(({ phone }) => textOf(phone) ?? []),
    emails: partsOf(emails).flatMap(({ email }) => textOf(email) ?? []),
  }));
  return { ...empty, type: 'contacts', content: { contacts: shared } };
}

function order({ order }: Part): MessageContent {
  const { text, catalog_id, product_items } = partOf(order);
  const items = partsOf(product_items).map((item) => ({
    productId: idOf(item.product_retailer_id),
    quantity: item.quantity ?? null,
    price: item.item_price ?? null,
    currency: textOf(item.currency),
  }));
  return { ...unsupported('order', { catalogId: idOf(catalog_id), items }), text: textOf(text) };
}

/** The emoji of a removed reaction is empty or missing. */
function reaction({ reaction }: Part): MessageContent {
  const { message_id, emoji } = partOf(reaction);
  const replyTo = idOf(message_id) === '' ? {} : { replyTo: [idOf(message_id)] };
  return { ...empty, type: 'reaction', content: { emoji: textOf(emoji) }, ...replyTo };
}

const parsers: Record<string, (message: Part) => MessageContent> = {
  text: ({ text }) => ({ ...empty, type: 'text', text: String(partOf(text).body ?? '') }),
  image: (message) => mediaMessage('image', message),
  video: (message) => mediaMessage('video', message),
  audio: (message) => mediaMessage('audio', message),
  document: (message) => mediaMessage('document', message),
  sticker: (message) => mediaMessage('sticker', message),
  button: ({ button }) => choice(partOf(button).payload, partOf(button).text),
  unsupported: (message) => unsupported(textOf(partOf(message.unsupported).type) ?? 'unsupported'),
  interactive,
  location,
  contacts,
  order,
  reaction,
};

/** The advertisement or post from which the customer wrote. */
function referralIn({ referral }: Part): Record<string, unknown> {
  const { source_url, source_id, source_type, headline, body, ctwa_clid } = partOf(referral);
  if (referral === undefined) return {};
  return {
    referral: {
      url: textOf(source_url),
      id: textOf(source_id),
      type: textOf(source_type),
      headline: textOf(headline),
      body: textOf(body),
      clickId: textOf(ctwa_clid),
    },
  };
}

/** The content of a message. An unknown type is `unsupported`, not an error. */
export function contentOf(message: Part): MessageContent {
  const type = textOf(message.type) ?? 'unknown';
  const parsed = Object.hasOwn(parsers, type) ? parsers[type]?.(message) : undefined;
  const { replyTo, ...rest } = parsed ?? unsupported(type);
  const quoted = idOf(partOf(message.context).id);
  const repliesTo = replyTo ?? (quoted === '' ? undefined : [quoted]);
  return {
    ...rest,
    content: { ...rest.content, ...referralIn(message) },
    ...(repliesTo === undefined ? {} : { replyTo: repliesTo }),
  };
}
