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
import { type MediaReference, referTo } from './media.ts';
import { findMissingVariable, templatePayload } from './template-components.ts';

type File = MediaReference & { filename?: string };

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'];
const CAPTIONED = ['image', 'video', 'document'];

/** What cannot be sent as it is, if anything. */
function issueOf(message: OutgoingMessage, file: OutgoingMedia | undefined): SendResult | undefined {
  const { type, text, content, template, replyToVendorId } = message;
  if (type === 'template') {
    if (!template) return unsendable('template_missing', 'The template is gone.');
    const missing = findMissingVariable(template);
    if (missing !== undefined)
      return unsendable('variable_missing', `The template has no value for {{${missing}}}.`);
    if (template.header && template.header.type !== 'text' && !file)
      return unsendable(
        'media_missing',
        `The template begins with a ${template.header.type}, and none was given.`,
      );
  }
  if (type === 'interactive') {
    const [issue] = validateInteractive(text, content);
    if (issue) return unsendable('interactive_invalid', `${issue.path}: ${issue.message}.`);
  }
  if (type === 'reaction' && replyToVendorId === null)
    return unsendable('message_unknown', 'The message to react to is not known to WhatsApp.');
  if (MEDIA.includes(type) && !file) return unsendable('media_missing', `There is no ${type} to send.`);
  return undefined;
}

/** A template shows the file that the message brings, or else its own. */
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

/** A person without a number is written to by their id, which has a field of its own. */
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
    // Meta gives it back with every status, also with that of a message whose answer we never saw.
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
  // Held back until Meta has looked at its quality, or paused with its campaign: it may still go out.
  const isHeld = ['held_for_quality_assessment', 'paused'].includes(String(message.message_status));
  return {
    ok: true,
    vendorId,
    status: isHeld ? 'queued' : 'sent',
    ...(contact.length > 0 ? { contact } : {}),
  };
}

async function uploaded(
  media: OutgoingMedia,
  type: string,
  phoneNumberId: string,
  graph: Graph,
): Promise<{ ok: true; file: File } | { ok: false; result: SendResult }> {
  const referred = await referTo(media, phoneNumberId, graph);
  if (!referred.ok) return { ok: false, result: asResult(referred.issue) };
  return {
    ok: true,
    file: { ...referred.media, ...(type === 'document' ? { filename: media.filename } : {}) },
  };
}

/** Sends one message. What went wrong before its own request was written has certainly not sent it. */
export async function send(
  message: OutgoingMessage,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  const media = fileOf(message);
  const issue = issueOf(message, media);
  if (issue) return issue;
  const graph = graphFor(config, FACEBOOK_GRAPH, context);
  const phoneNumberId = String(config.phoneNumberId);
  const shownAs = message.template ? message.template.header?.type : message.type;
  let file: File | undefined;
  if (media && shownAs && MEDIA.includes(shownAs)) {
    const upload = await uploaded(media, shownAs, phoneNumberId, graph);
    if (!upload.ok) return upload.result;
    file = upload.file;
  }
  const answer = await call(graph, {
    method: 'POST',
    path: `${phoneNumberId}/messages`,
    json: requestOf(message, file),
  });
  return answer.ok ? resultOf(answer.body) : asResult(answer.issue);
}
