import type { InboundMedia, InboundMessage, MessageType } from '../adapter.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';

type Said = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content'> &
  Partial<Pick<InboundMessage, 'replyTo'>>;

/** What is a file. A shared post may be a picture or a film: only its bytes will tell. */
const fileTypes: Record<string, MessageType> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  file: 'document',
  ig_reel: 'video',
  reel: 'video',
  share: 'document',
  ig_post: 'document',
};
const SHARED = ['ig_reel', 'reel', 'share', 'ig_post'];

const typeOf = ({ type }: Part): MessageType | undefined =>
  Object.hasOwn(fileTypes, String(type)) ? fileTypes[String(type)] : undefined;

const mediaIn = (attachment: Part): InboundMedia[] => {
  const url = textOf(partOf(attachment.payload).url);
  if (url === null || typeOf(attachment) === undefined) return [];
  return [{ mimeType: null, filename: null, size: null, ref: { url } }];
};

/** What was shared, where it says so: a post or a reel, with its title. */
const shareIn = ({ type, payload }: Part): Record<string, unknown> =>
  SHARED.includes(String(type)) ? { share: { type, title: textOf(partOf(payload).title) } } : {};

const story = (told: Part): Record<string, unknown> => ({
  storyId: idOf(told.id) || null,
  url: textOf(told.url),
});

function saidBy(message: Part): Omit<Said, 'replyTo'> {
  const text = textOf(message.text);
  const attachments = partsOf(message.attachments);
  const [first] = attachments;
  const { payload } = partOf(message.quick_reply);
  const plain = { text, media: [], content: {} };
  const media = attachments.flatMap(mediaIn);
  const told = partOf(partOf(message.reply_to).story);
  if (Object.keys(told).length > 0) return { type: 'story_reply', text, media, content: story(told) };
  if (payload !== undefined)
    return { ...plain, type: 'interactive', content: { id: idOf(payload), title: text } };
  if (first?.type === 'story_mention')
    return { ...plain, type: 'story_mention', content: story(partOf(first.payload)) };
  if (first?.type === 'like_heart') return { ...plain, type: 'sticker', text: text ?? '❤️' };
  const type = attachments.map(typeOf).find((known) => known !== undefined);
  if (first && type !== undefined && media.length > 0) return { type, text, media, content: shareIn(first) };
  if (text !== null && message.is_unsupported !== true) return { ...plain, type: 'text' };
  return { ...plain, type: 'unsupported', content: { vendorType: textOf(first?.type) ?? 'unsupported' } };
}

/** What a message says. An attachment that is new to us is `unsupported`, never an error. */
export function contentOf(message: Part): Said {
  const quoted = idOf(partOf(message.reply_to).mid);
  return { ...saidBy(message), ...(quoted === '' ? {} : { replyTo: [quoted] }) };
}
