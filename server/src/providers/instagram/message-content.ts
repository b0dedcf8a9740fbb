import type { InboundMedia, InboundMessage, MessageType } from '../adapter.ts';
import { idOf, type Part, partOf, partsOf, textOf } from '../meta/payload.ts';

type Content = Pick<InboundMessage, 'type' | 'text' | 'media' | 'content'> &
  Partial<Pick<InboundMessage, 'replyTo'>>;

/** The types of attachments that are files. A shared post may be an image or a video, which only its bytes show. */
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

/** What was shared: a post or a reel, with its title. */
const shareIn = ({ type, payload }: Part): Record<string, unknown> =>
  SHARED.includes(String(type)) ? { share: { type, title: textOf(partOf(payload).title) } } : {};

const storyContent = (story: Part): Record<string, unknown> => ({
  storyId: idOf(story.id) || null,
  url: textOf(story.url),
});

function contentWithoutReply(message: Part): Omit<Content, 'replyTo'> {
  const text = textOf(message.text);
  const attachments = partsOf(message.attachments);
  const [first] = attachments;
  const { payload } = partOf(message.quick_reply);
  const plain = { text, media: [], content: {} };
  const media = attachments.flatMap(mediaIn);
  const story = partOf(partOf(message.reply_to).story);
  if (Object.keys(story).length > 0)
    return { type: 'story_reply', text, media, content: storyContent(story) };
  if (payload !== undefined)
    return { ...plain, type: 'interactive', content: { id: idOf(payload), title: text } };
  if (first?.type === 'story_mention')
    return { ...plain, type: 'story_mention', content: storyContent(partOf(first.payload)) };
  if (first?.type === 'like_heart') return { ...plain, type: 'sticker', text: text ?? '❤️' };
  const type = attachments.map(typeOf).find((known) => known !== undefined);
  if (first && type !== undefined && media.length > 0) return { type, text, media, content: shareIn(first) };
  if (text !== null && message.is_unsupported !== true) return { ...plain, type: 'text' };
  return { ...plain, type: 'unsupported', content: { vendorType: textOf(first?.type) ?? 'unsupported' } };
}

/** The content of a message. An unknown attachment is `unsupported`, not an error. */
export function contentOf(message: Part): Content {
  const quoted = idOf(partOf(message.reply_to).mid);
  return { ...contentWithoutReply(message), ...(quoted === '' ? {} : { replyTo: [quoted] }) };
}
