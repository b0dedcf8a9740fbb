import type { InboundMedia, InboundMessage } from '../adapter.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';

/** What a message says, without who wrote it and when. */
export type Said = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content'> &
  Partial<Pick<InboundMessage, 'replyTo'>>;

const nothing = { text: null, media: [], content: {} };

/** What we have no words for: it is seen that something came, and of what kind. */
const unsupported = (vendorType: string, content: Record<string, unknown> = {}): Said => ({
  ...nothing,
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

const mediaMessage = (type: 'image' | 'video' | 'audio' | 'document' | 'sticker', message: Part): Said => {
  const media = partOf(message[type]);
  return { type, text: textOf(media.caption), media: mediaIn(media), content: {} };
};

const choice = (id: unknown, title: unknown, more: Record<string, unknown> = {}): Said => ({
  type: 'interactive',
  text: textOf(title),
  media: [],
  content: { id: idOf(id), title: textOf(title), ...more },
});

function jsonIn(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text ?? null;
  }
}

/** What the business offered to choose from, where it comes back as an echo. */
function offer({ type, body, action }: Part): Said | undefined {
  const { buttons, button, sections } = partOf(action);
  const content =
    type === 'button'
      ? { buttons: partsOf(buttons).map(({ reply }) => reply) }
      : type === 'list'
        ? { list: { button, sections } }
        : undefined;
  return content && { type: 'interactive', text: textOf(partOf(body).text), media: [], content };
}

function interactive({ interactive }: Part): Said {
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
  return offer(partOf(interactive)) ?? unsupported(textOf(type) ?? 'interactive');
}

function location({ location }: Part): Said {
  const { latitude, longitude, name, address } = partOf(location);
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return unsupported('location');
  const content = { latitude, longitude, name: textOf(name), address: textOf(address) };
  return { ...nothing, type: 'location', content };
}

function contacts({ contacts }: Part): Said {
  const people = partsOf(contacts).map(({ name, org, phones, emails }) => ({
    name: textOf(partOf(name).formatted_name),
    organization: textOf(partOf(org).company),
    phoneNumbers: partsOf(phones).flatMap(({ phone }) => textOf(phone) ?? []),
    emails: partsOf(emails).flatMap(({ email }) => textOf(email) ?? []),
  }));
  return { ...nothing, type: 'contacts', content: { contacts: people } };
}

function order({ order }: Part): Said {
  const { text, catalog_id, product_items } = partOf(order);
  const items = partsOf(product_items).map((item) => ({
    productId: idOf(item.product_retailer_id),
    quantity: item.quantity ?? null,
    price: item.item_price ?? null,
    currency: textOf(item.currency),
  }));
  return { ...unsupported('order', { catalogId: idOf(catalog_id), items }), text: textOf(text) };
}

/** An emoji that was taken back comes empty or not at all. */
function reaction({ reaction }: Part): Said {
  const { message_id, emoji } = partOf(reaction);
  const replyTo = idOf(message_id) === '' ? {} : { replyTo: [idOf(message_id)] };
  return { ...nothing, type: 'reaction', content: { emoji: textOf(emoji) }, ...replyTo };
}

const readers: Record<string, (message: Part) => Said> = {
  text: ({ text }) => ({ ...nothing, type: 'text', text: String(partOf(text).body ?? '') }),
  image: (message) => mediaMessage('image', message),
  video: (message) => mediaMessage('video', message),
  audio: (message) => mediaMessage('audio', message),
  document: (message) => mediaMessage('document', message),
  sticker: (message) => mediaMessage('sticker', message),
  button: ({ button }) => choice(partOf(button).payload, partOf(button).text),
  unsupported: ({ unsupported: told }) => unsupported(textOf(partOf(told).type) ?? 'unsupported'),
  interactive,
  location,
  contacts,
  order,
  reaction,
};

/** The advertisement or post that somebody wrote from. */
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

/** What a message says. A type that is new to us is `unsupported`, never an error. */
export function contentOf(message: Part): Said {
  const type = textOf(message.type) ?? 'unknown';
  const said = Object.hasOwn(readers, type) ? readers[type]?.(message) : undefined;
  const { replyTo, ...rest } = said ?? unsupported(type);
  const quoted = idOf(partOf(message.context).id);
  const answers = replyTo ?? (quoted === '' ? undefined : [quoted]);
  return {
    ...rest,
    content: { ...rest.content, ...referralIn(message) },
    ...(answers === undefined ? {} : { replyTo: answers }),
  };
}
