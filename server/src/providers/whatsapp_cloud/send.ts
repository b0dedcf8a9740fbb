import { collectIssues } from '../../base/issues.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { type InteractiveContent, validateInteractive } from '../interactive.ts';
import type { Handle } from '../kinds.ts';
import { mediaTypeOf } from '../media-kind.ts';
import { asResult, classifyAnswer, unsendable } from '../meta/classify-error.ts';
import { call, FACEBOOK_GRAPH, filenameIn, type Graph, graphFor } from '../meta/graph.ts';
import { idOf, type Part, partsOf, textOf } from '../meta/payload.ts';
import type { OutgoingMedia, OutgoingMessage, SendResult } from '../outgoing-message.ts';
import type { OutgoingTemplate } from '../vendor-template.ts';
import { idHandle, numberHandle } from './contact.ts';
import { contactsPayload } from './contacts.ts';
import { interactivePayload } from './interactive.ts';
import { type MediaReference, referenceMedia } from './media.ts';
import {
  findMissingVariable,
  type TemplateFiles,
  type TemplateValues,
  templatePayload,
} from './template-components.ts';

type File = MediaReference & { filename?: string };

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];
const CAPTIONED = ['image', 'video', 'document'];

/** The result if the template cannot be sent with these values: it may have changed since the message was written. */
function checkTemplate(
  template: OutgoingTemplate,
  values: TemplateValues,
  file: OutgoingMedia | undefined,
): SendResult | undefined {
  const { header, buttons, offer, cards } = template;
  const missing = findMissingVariable(template, values);
  if (missing !== undefined)
    return unsendable('variable_missing', `The template has no value for {{${missing}}}.`);
  const hasHeader = header?.type === 'location' ? values.location !== undefined : file !== undefined;
  if (header && header.type !== 'text' && !hasHeader)
    return unsendable('media_missing', `The header of the template needs a ${header.type}.`);
  if (buttons.some(({ type }) => type === 'copy_code') && values.couponCode === undefined)
    return unsendable('coupon_code_missing', 'The template needs a couponCode.');
  if (offer?.hasExpiration && values.offerExpiresAt === undefined)
    return unsendable('offer_expiration_missing', 'The template needs offerExpiresAt.');
  const isWithoutFile = cards?.some(
    (card, index) => card.header.url === null && values.cards?.[index]?.media == null,
  );
  return isWithoutFile ? unsendable('media_missing', 'A card of the template has no file.') : undefined;
}

/** The result if the message cannot be sent. */
function checkMessage(message: OutgoingMessage, file: OutgoingMedia | undefined): SendResult | undefined {
  const { type, text, content, template, replyToVendorId } = message;
  if (type === 'template') {
    if (!template) return unsendable('template_missing', 'The template has been deleted.');
    return checkTemplate(template, content, file);
  }
  if (type === 'interactive') {
    const issues = collectIssues();
    validateInteractive('whatsapp', { text, content, hasFile: file !== undefined }, issues, 'content');
    const [first] = Object.entries(issues.params);
    if (first) return unsendable('interactive_invalid', `${first[0]}: ${first[1].message}.`);
  }
  if (type === 'reaction' && replyToVendorId === null)
    return unsendable('message_unknown', 'WhatsApp does not know the message to react to.');
  if (MEDIA.includes(type) && !file) return unsendable('media_missing', `There is no ${type} to send.`);
  return undefined;
}

const fileAt = (url: string): OutgoingMedia => ({ url, mimeType: '', filename: filenameIn(url), size: null });

/** The file of the message, or else of the template's header. Files of a carousel belong to its cards. */
function fileOf({ media: [own], template }: OutgoingMessage): OutgoingMedia | undefined {
  if (template?.cards) return undefined;
  const { url = null } = template?.header ?? {};
  return own || url === null ? own : fileAt(url);
}

/** The file of each card: of the message, or else of the template. */
function cardFiles({ template, media, content }: OutgoingMessage): (OutgoingMedia | undefined)[] {
  const { cards: values } = content as TemplateValues;
  return (template?.cards ?? []).map(({ header }, index) => {
    const own = media[values?.[index]?.media ?? -1];
    return own ?? (header.url === null ? undefined : fileAt(header.url));
  });
}

/** What a file of the message is: of the header of a template, above buttons, or the message itself. */
function fileTypeOf({ type, template, media: [own] }: OutgoingMessage): string | undefined {
  if (template) return template.header?.type;
  return type === 'interactive' && own ? mediaTypeOf(own.mimeType) : type;
}

const location = ({ latitude, longitude, name, address }: Record<string, unknown>): Part => ({
  latitude,
  longitude,
  ...(name == null ? {} : { name }),
  ...(address == null ? {} : { address }),
});

function payloadOf(message: OutgoingMessage, { header: file, cards }: TemplateFiles): Part | Part[] {
  const { id, type, text, content, template, replyToVendorId } = message;
  switch (type) {
    case 'text':
      return { body: text ?? '', preview_url: /https?:\/\//.test(text ?? '') };
    case 'template':
      return template ? templatePayload(template, content, { header: file, cards }, id) : {};
    case 'interactive':
      return interactivePayload(
        text,
        content as InteractiveContent,
        id,
        file && { type: fileTypeOf(message) as string, reference: file },
      );
    case 'reaction':
      return { message_id: replyToVendorId, emoji: textOf(content.emoji) ?? '' };
    case 'location':
      return location(content);
    case 'contacts':
      return contactsPayload(content.contacts);
    default:
      return { ...file, ...(CAPTIONED.includes(type) && text ? { caption: text } : {}) };
  }
}

/** A contact without a number is addressed by its id, in another field. */
const recipientOf = ({ type, value }: Handle): Part =>
  type === 'whatsapp_id' ? { recipient: value } : { to: value.replace(/^\+/, '') };

function requestOf(message: OutgoingMessage, files: TemplateFiles): Part {
  const { type, to, replyToVendorId, id } = message;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipientOf(to),
    type,
    [type]: payloadOf(message, files),
    ...(replyToVendorId === null || type === 'reaction' ? {} : { context: { message_id: replyToVendorId } }),
    // Meta returns it with every status, also if the answer to this request was lost.
    biz_opaque_callback_data: id,
  };
}

function resultOf(answer: Part): SendResult {
  const [message = {}] = partsOf(answer.messages);
  const vendorId = idOf(message.id);
  if (vendorId === '') return asResult(classifyAnswer({ status: 200, headers: {} }, undefined));
  const [recipient = {}] = partsOf(answer.contacts);
  const contact = [numberHandle(recipient.wa_id), idHandle(recipient.user_id)].filter(
    (handle) => handle !== undefined,
  );
  // Held for Meta's quality assessment, or paused with its campaign: it may still be sent.
  const isHeld = ['held_for_quality_assessment', 'paused'].includes(String(message.message_status));
  return {
    ok: true,
    vendorId,
    status: isHeld ? 'queued' : 'sent',
    ...(contact.length > 0 ? { contact } : {}),
  };
}

async function uploadMedia(
  media: OutgoingMedia,
  type: string,
  phoneNumberId: string,
  graph: Graph,
): Promise<{ ok: true; file: File } | { ok: false; result: SendResult }> {
  const reference = await referenceMedia(media, phoneNumberId, graph);
  if (!reference.ok) return { ok: false, result: asResult(reference.error) };
  return {
    ok: true,
    file: { ...reference.media, ...(type === 'document' ? { filename: media.filename } : {}) },
  };
}

/** Sends one message. An error before its own request means that it was not sent. */
export async function send(
  message: OutgoingMessage,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  const media = fileOf(message);
  const refusal = checkMessage(message, media);
  if (refusal) return refusal;
  const graph = graphFor(config, FACEBOOK_GRAPH, context);
  const phoneNumberId = String(config.phoneNumberId);
  const mediaType = fileTypeOf(message);
  const files: TemplateFiles = { cards: [] };
  if (media && mediaType && MEDIA.includes(mediaType)) {
    const upload = await uploadMedia(media, mediaType, phoneNumberId, graph);
    if (!upload.ok) return upload.result;
    files.header = upload.file;
  }
  for (const cardMedia of cardFiles(message)) {
    const upload = cardMedia && (await uploadMedia(cardMedia, 'image', phoneNumberId, graph));
    if (upload && !upload.ok) return upload.result;
    files.cards.push(upload?.file);
  }
  const answer = await call(graph, {
    method: 'POST',
    path: `${phoneNumberId}/messages`,
    json: requestOf(message, files),
  });
  return answer.ok ? resultOf(answer.body) : asResult(answer.error);
}
