import { collectIssues } from '../../base/issues.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { validateInteractive } from '../interactive.ts';
import { asResult, classifyAnswer, unsendable } from '../meta/classify-error.ts';
import { call, graphFor, INSTAGRAM_GRAPH } from '../meta/graph.ts';
import { idOf, type Part } from '../meta/payload.ts';
import type { OutgoingMessage, SendResult } from '../outgoing-message.ts';
import { templateText } from '../template-text.ts';
import { interactiveMessage } from './interactive.ts';

const MAX_TEXT_BYTES = 1000;
const MEDIA = ['image', 'video', 'audio'];

/** Instagram has no templates: ours are sent as text. */
const textOf = ({ type, text, template }: OutgoingMessage): string =>
  type === 'template' && template ? templateText(template) : (text ?? '');

/** The result if the message cannot be sent. */
function checkMessage(message: OutgoingMessage): SendResult | undefined {
  const { type, media, text, content, template } = message;
  if (MEDIA.includes(type)) {
    if (media.length === 0) return unsendable('media_missing', `There is no ${type} to send.`);
    return text ? unsendable('caption_unsupported', `On Instagram a ${type} cannot have a text.`) : undefined;
  }
  if (type === 'interactive') {
    const issues = collectIssues();
    validateInteractive('instagram', { text, content, hasFile: media.length > 0 }, issues, 'content');
    const [first] = Object.entries(issues.params);
    if (first) return unsendable('interactive_invalid', `${first[0]}: ${first[1].message}.`);
  }
  if (type === 'template' && !template)
    return unsendable('template_missing', 'The template has been deleted.');
  if (type !== 'text' && type !== 'template' && type !== 'interactive')
    return unsendable('type_unsupported', `Instagram does not support messages of the type ${type}.`);
  const bytes = Buffer.byteLength(textOf(message));
  return bytes <= MAX_TEXT_BYTES
    ? undefined
    : unsendable(
        'text_too_long',
        `On Instagram a text has at most ${MAX_TEXT_BYTES} bytes, this has ${bytes}.`,
      );
}

function contentOf(message: OutgoingMessage): Part {
  const { type, media, text, content } = message;
  if (type === 'interactive') return interactiveMessage(text, content);
  return MEDIA.includes(type)
    ? { attachment: { type, payload: { url: media[0]?.url } } }
    : { text: textOf(message) };
}

/** The answer to a comment is private and goes to its author, who may never have written before. */
const recipientOf = ({ to, replyToVendorId, replyToType }: OutgoingMessage): Part =>
  replyToType === 'comment' ? { comment_id: replyToVendorId } : { id: to.value };

/** Sends one message. Instagram fetches files from their public URL. */
export async function send(
  message: OutgoingMessage,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  const refusal = checkMessage(message);
  if (refusal) return refusal;
  const graph = graphFor(config, INSTAGRAM_GRAPH, context);
  // The tag states that a human agent replies, so automatic messages must not have it.
  const isFromHuman = config.humanAgent === true && !message.isAutomatic;
  const answer = await call(graph, {
    method: 'POST',
    path: `${config.accountId}/messages`,
    json: {
      recipient: recipientOf(message),
      ...(isFromHuman ? { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' } : {}),
      message: contentOf(message),
    },
  });
  if (!answer.ok) return asResult(answer.error);
  const vendorId = idOf(answer.body.message_id);
  if (vendorId === '') return asResult(classifyAnswer({ status: 200, headers: {} }, undefined));
  const recipient = idOf(answer.body.recipient_id);
  const contact = recipient === '' ? {} : { contact: [{ type: 'instagram_id' as const, value: recipient }] };
  return { ok: true, vendorId, status: 'sent', ...contact };
}
