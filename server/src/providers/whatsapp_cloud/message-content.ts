import { isNestedTooDeeply } from '../../base/json-depth.ts';
import { storableJson } from '../../base/storable.ts';
import type { InboundMedia, InboundMessage } from '../inbound-event.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';
import { numberHandle } from './contact.ts';

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
  const content = media.voice === true ? { isVoice: true } : {};
  return { type, text: textOf(media.caption), media: mediaIn(media), content };
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
    return storableJson(JSON.parse(String(text)));
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

/** Without what the customer did not fill in. */
const known = (parts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== null));

const listOf = (list: unknown, read: (part: Part) => unknown): unknown[] | null =>
  partsOf(list).length === 0 ? null : partsOf(list).map(read);

function contacts({ contacts }: Part): MessageContent {
  const shared = partsOf(contacts).map(({ name, org, phones, emails, addresses, urls, birthday }) => ({
    name: textOf(partOf(name).formatted_name),
    organization: textOf(partOf(org).company),
    phoneNumbers: partsOf(phones).flatMap(({ phone }) => textOf(phone) ?? []),
    emails: partsOf(emails).flatMap(({ email }) => textOf(email) ?? []),
    ...known({
      firstName: textOf(partOf(name).first_name),
      middleName: textOf(partOf(name).middle_name),
      lastName: textOf(partOf(name).last_name),
      prefix: textOf(partOf(name).prefix),
      suffix: textOf(partOf(name).suffix),
      birthday: textOf(birthday),
      department: textOf(partOf(org).department),
      jobTitle: textOf(partOf(org).title),
      // The numbers alone are above.
      phones: partsOf(phones).every(({ type, wa_id }) => type === undefined && wa_id === undefined)
        ? null
        : listOf(phones, ({ phone, type, wa_id }) =>
            known({
              value: textOf(phone),
              type: textOf(type),
              whatsappNumber: numberHandle(wa_id)?.value ?? null,
            }),
          ),
      addresses: listOf(addresses, ({ street, city, state, zip, country, country_code, type }) =>
        known({
          street: textOf(street),
          city: textOf(city),
          state: textOf(state),
          zip: textOf(zip),
          country: textOf(country),
          countryCode: textOf(country_code),
          type: textOf(type),
        }),
      ),
      urls: listOf(urls, ({ url, type }) => known({ value: textOf(url), type: textOf(type) })),
    }),
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
  const { source_url, source_id, source_type, headline, body, ctwa_clid, media_type, ...media } =
    partOf(referral);
  if (referral === undefined) return {};
  return {
    referral: {
      url: textOf(source_url),
      id: textOf(source_id),
      type: textOf(source_type),
      headline: textOf(headline),
      body: textOf(body),
      clickId: textOf(ctwa_clid),
      ...known({
        mediaType: textOf(media_type),
        imageUrl: textOf(media.image_url),
        videoUrl: textOf(media.video_url),
        thumbnailUrl: textOf(media.thumbnail_url),
      }),
    },
  };
}

/** Where a message came from: forwarded, or written about a product of the catalogue. */
function contextIn({ context }: Part): Record<string, unknown> {
  const { forwarded, frequently_forwarded, referred_product } = partOf(context);
  const { catalog_id, product_retailer_id } = partOf(referred_product);
  const isFrequentlyForwarded = frequently_forwarded === true;
  return {
    ...(forwarded === true || isFrequentlyForwarded ? { isForwarded: true } : {}),
    ...(isFrequentlyForwarded ? { isFrequentlyForwarded } : {}),
    ...(referred_product === undefined
      ? {}
      : { referredProduct: { catalogId: idOf(catalog_id), productId: idOf(product_retailer_id) } }),
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
    content: { ...rest.content, ...contextIn(message), ...referralIn(message) },
    ...(repliesTo === undefined ? {} : { replyTo: repliesTo }),
  };
}
