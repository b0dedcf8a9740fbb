import type { AdapterChannel } from '../../adapter-channel.ts';
import type { InboundMessage, SimulatedEvent } from '../../inbound-event.ts';
import { parseWebhook } from '../../instagram/parse.ts';
import type { Part } from '../../meta/payload.ts';
import { isSigned, signedRequest } from '../../meta/signature.ts';
import type { SandboxShape } from '../shape.ts';

/** A sandbox channel has no id at Meta, so its own id is used. */
const accountIdOf = ({ id }: AdapterChannel): string => id;

const attachmentTypes: Partial<Record<InboundMessage['type'], string>> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  document: 'file',
};

const story = ({ storyId, url }: Record<string, unknown>): Part => ({
  ...(storyId === null ? {} : { id: storyId }),
  ...(url === null ? {} : { url }),
});

function contentOf({ kind, type, text, media, content }: InboundMessage): Part {
  const plain = text === null ? {} : { text };
  switch (type) {
    case 'text':
      return plain;
    case 'interactive':
      return { ...plain, quick_reply: { payload: content.id } };
    case 'story_reply':
      return { ...plain, reply_to: { story: story(content) } };
    case 'story_mention':
      return { ...plain, attachments: [{ type: 'story_mention', payload: story(content) }] };
    case 'sticker':
      return { ...plain, attachments: [{ type: 'like_heart' }] };
    case 'unsupported':
      return { ...plain, is_unsupported: true };
  }
  const attachment = attachmentTypes[type];
  // Types that only a business sends, such as templates, are echoed as text.
  if (attachment === undefined && kind === 'echo') return plain;
  if (attachment === undefined)
    throw new Error(`Customers cannot write a message of the type ${type} on Instagram.`);
  const attachments = media.map(({ ref }) => ({ type: attachment, payload: { url: ref?.url } }));
  return { ...plain, attachments };
}

function messageElement(event: InboundMessage): Part {
  const { type, content, replyTo: [quoted] = [], vendorId, kind } = event;
  if (type === 'reaction')
    return {
      reaction:
        content.emoji === null
          ? { id: vendorId, mid: quoted, action: 'unreact' }
          : { id: vendorId, mid: quoted, action: 'react', emoji: content.emoji },
    };
  return {
    message: {
      mid: vendorId,
      ...contentOf(event),
      ...(quoted === undefined ? {} : { reply_to: { mid: quoted } }),
      ...(kind === 'echo' ? { is_echo: true } : {}),
    },
  };
}

/** The customer of an event. Events about a message id have none, and need none. */
function customerOf(event: SimulatedEvent): Part {
  const { value, name } = 'contact' in event ? event.contact : { value: '0', name: null };
  return { id: value, ...(name === null ? {} : { name }) };
}

function elementOf(event: SimulatedEvent): Part {
  switch (event.kind) {
    case 'message':
    case 'echo':
      return messageElement(event);
    case 'mutation':
      return event.change === 'edit'
        ? { message_edit: { mid: event.vendorId, text: event.text } }
        : { message: { mid: event.vendorId, is_deleted: true } };
    case 'status':
      if (event.status !== 'read') throw new Error('Instagram only reports that a message was read.');
      return { read: { mid: event.vendorId } };
    case 'read_receipt':
      return { read: { watermark: event.until.getTime() } };
    case 'identity':
    case 'consent':
    case 'template_status':
      throw new Error(`Instagram does not report a ${event.kind}.`);
  }
}

const isStandby = (event: SimulatedEvent): boolean =>
  (event.kind === 'message' || event.kind === 'echo') && event.isStandby === true;

/** The name of the author is the one of the account. */
const commentOf = ({ vendorId, contact, text, content }: InboundMessage): Part => ({
  id: vendorId,
  text,
  from: { id: contact.value, ...(contact.name === null ? {} : { username: contact.name }) },
  media: { id: content.mediaId ?? undefined, media_product_type: content.mediaType ?? undefined },
  ...(content.parentId == null ? {} : { parent_id: content.parentId }),
});

function entryOf(event: SimulatedEvent, accountId: string): Part {
  const time = event.occurredAt.getTime();
  if (event.kind === 'message' && event.type === 'comment')
    return { id: accountId, time, changes: [{ field: 'comments', value: commentOf(event) }] };
  const [account, customer] = [{ id: accountId }, customerOf(event)];
  const isEcho = event.kind === 'echo';
  const element = {
    sender: isEcho ? account : customer,
    recipient: isEcho ? customer : account,
    timestamp: time,
    ...elementOf(event),
  };
  return { id: accountId, time, [isStandby(event) ? 'standby' : 'messaging']: [element] };
}

export const instagramShape: SandboxShape = {
  write(event, channel, url, secret) {
    const entry = entryOf(event, accountIdOf(channel));
    return signedRequest({ object: 'instagram', entry: [entry] }, url, secret);
  },
  verifySignature: (request, _channel, secret) => isSigned(request, secret),
  parse: (request, channel) => parseWebhook(request, accountIdOf(channel)),
};
