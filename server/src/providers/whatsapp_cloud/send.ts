import { collectIssues } from '../../base/issues.ts';
import type {
  AdapterChannel,
  AdapterContext,
  Handle,
  OutgoingMedia,
  OutgoingMessage,
  SendResult,
} from '../adapter.ts';
import { asResult, classifyAnswer, unsendable } from '../meta/classify-error.ts';
import { call, FACEBOOK_GRAPH, filenameIn, type Graph, graphFor } from '../meta/graph.ts';
import { idOf, type Part, partsOf, textOf } from '../meta/payload.ts';
import { idHandle, numberHandle } from './contact.ts';
import { type InteractiveContent, interactivePayload, validateInteractive } from './interactive.ts';
import { type MediaReference, referenceMedia } from './media.ts';
import { findMissingVariable, templatePayload } from './template-components.ts';

type File = MediaReference & { filename?: string };

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];
const CAPTIONED = ['image', 'video', 'document'];

/** The result if the message cannot be sent. */
function checkMessage(message: OutgoingMessage, file: OutgoingMedia | undefined): SendResult | undefined {
  const { type, text, content, template, replyToVendorId } = message;
  if (type === 'template') {
    if (!template) return unsendable('template_missing', 'The template has been deleted.');
    const missing = findMissingVariable(template);
    if (missing !== undefined)
      return unsendable('variable_missing', `The template has no value for {{${missing}}}.`);
    if (template.header && template.header.type !== 'text' && !file)
      return unsendable('media_missing', `The header of the template needs a ${template.header.type}.`);
  }
  if (type === 'interactive') {
    const issues = collectIssues();
    validateInteractive(text, content, issues);
    const [first] = Object.entries(issues.params);
    if (first) return unsendable('interactive_invalid', `${first[0]}: ${first[1].message}.`);
  }
  if (type === 'reaction' && replyToVendorId === null)
    return unsendable('message_unknown', 'WhatsApp does not know the message to react to.');
  if (MEDIA.includes(type) && !file) return unsendable('media_missing', `There is no ${type} to send.`);
  return undefined;
}

/** The file of the message, or else of the template's header. */
function fileOf({ media: [own], template }: OutgoingMessage): OutgoingMedia | undefined {
  const { url = null } = template?.header ?? {};
  if (own || url === null) return own;
  return { url, mimeType: '', filename: filenameIn(url), size: null };
}

const location = ({ latitude, longitude, name, address }: Record<string, unknown>): Part => ({
  latitude,
  longitude,
  ...(name == null ? {} : { name }),
  ...(address == null ? {} : { address }),
});

function payloadOf(message: OutgoingMessage, file: File | undefined): Part {
  const { type, text, content, template, replyToVendorId } = message;
  switch (type) {
    case 'text':
      return { body: text ?? '', preview_url: /https?:\/\//.test(text ?? '') };
    case 'template':
      return template ? templatePayload(template, file) : {};
    case 'interactive':
      return interactivePayload(text ?? '', content as InteractiveContent);
    case 'reaction':
      return { message_id: replyToVendorId, emoji: textOf(content.emoji) ?? '' };
    case 'location':
      return location(content);
    default:
      return { ...file, ...(CAPTIONED.includes(type) && text ? { caption: text } : {}) };
  }
}

/** A contact without a number is addressed by its id, in another field. */
const recipientOf = ({ type, value }: Handle): Part =>
  type === 'whatsapp_id' ? { recipient: value } : { to: value.replace(/^\+/, '') };

function requestOf(message: OutgoingMessage, file: File | undefined): Part {
  const { type, to, replyToVendorId, id } = message;
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    ...recipientOf(to),
    type,
    [type]: payloadOf(message, file),
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
  const mediaType = message.template ? message.template.header?.type : message.type;
  let file: File | undefined;
  if (media && mediaType && MEDIA.includes(mediaType)) {
    const upload = await uploadMedia(media, mediaType, phoneNumberId, graph);
    if (!upload.ok) return upload.result;
    file = upload.file;
  }
  const answer = await call(graph, {
    method: 'POST',
    path: `${phoneNumberId}/messages`,
    json: requestOf(message, file),
  });
  return answer.ok ? resultOf(answer.body) : asResult(answer.error);
}
