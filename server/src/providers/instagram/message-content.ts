import type { InboundMedia, InboundMessage } from '../inbound-event.ts';
import type { MessageType } from '../kinds.ts';
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

/** What was shared: a post or a reel, with its title. A post comes as a `share` and again with its details. */
function shareIn(attachments: Part[]): Record<string, unknown> {
  const shared = attachments.filter(({ type }) => SHARED.includes(String(type)));
  const best = shared.find(({ type }) => type !== 'share') ?? shared[0];
  return best ? { share: { type: best.type, title: textOf(partOf(best.payload).title) } } : {};
}

const urlOf = ({ ref }: InboundMedia): unknown => ref?.url;

/** The files of a message. What was shared comes twice, with the same URL. */
function mediaOf(attachments: Part[]): InboundMedia[] {
  const shared = new Set<unknown>();
  return attachments.flatMap((attachment) => {
    const media = mediaIn(attachment);
    if (!SHARED.includes(String(attachment.type))) return media;
    return media.filter((file) => !shared.has(urlOf(file)) && shared.add(urlOf(file)));
  });
}

/** The advertisement or link by which the customer came. */
export function referralIn({ referral }: Part): Record<string, unknown> {
  if (referral === undefined) return {};
  const { ad_id, ref, source, type, ads_context_data } = partOf(referral);
  const { ad_title, photo_url, video_url, post_id, product_id } = partOf(ads_context_data);
  return {
    referral: {
      id: idOf(ad_id) || null,
      type: textOf(source) ?? textOf(type),
      ref: textOf(ref),
      headline: textOf(ad_title),
      url: textOf(photo_url) ?? textOf(video_url),
      postId: idOf(post_id) || null,
      productId: idOf(product_id) || null,
    },
  };
}

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
  const media = mediaOf(attachments);
  const story = partOf(partOf(message.reply_to).story);
  if (Object.keys(story).length > 0)
    return { type: 'story_reply', text, media, content: storyContent(story) };
  if (payload !== undefined)
    return { ...plain, type: 'interactive', content: { id: idOf(payload), title: text } };
  if (first?.type === 'story_mention')
    return { ...plain, type: 'story_mention', content: storyContent(partOf(first.payload)) };
  if (first?.type === 'like_heart') return { ...plain, type: 'sticker', text: text ?? '❤️' };
  const type = attachments.map(typeOf).find((known) => known !== undefined);
  if (first && type !== undefined && media.length > 0)
    return { type, text, media, content: shareIn(attachments) };
  if (text !== null && message.is_unsupported !== true) return { ...plain, type: 'text' };
  return { ...plain, type: 'unsupported', content: { vendorType: textOf(first?.type) ?? 'unsupported' } };
}

/** The content of a message. An unknown attachment is `unsupported`, not an error. */
export function contentOf(message: Part): Content {
  const quoted = idOf(partOf(message.reply_to).mid);
  const { content, ...rest } = contentWithoutReply(message);
  return {
    ...rest,
    content: { ...content, ...referralIn(message) },
    ...(quoted === '' ? {} : { replyTo: [quoted] }),
  };
}
