import type { AdapterChannel, AdapterContext, OutgoingMessage, SendResult } from '../adapter.ts';
import { asResult, classifyAnswer, unsendable } from '../meta/classify-error.ts';
import { call, graphFor, INSTAGRAM_GRAPH } from '../meta/graph.ts';
import { idOf, type Part } from '../meta/payload.ts';
import { templateText } from '../template-text.ts';

const MOST_TEXT_BYTES = 1000;
const MEDIA = ['image', 'video', 'audio'];

/** Instagram has no templates of its own: ours goes out as the text that it makes. */
const textOf = ({ type, text, template }: OutgoingMessage): string =>
  type === 'template' && template ? templateText(template) : (text ?? '');

/** What cannot be sent as it is, if anything. */
function issueOf(message: OutgoingMessage): SendResult | undefined {
  const { type, media, text, template } = message;
  if (MEDIA.includes(type)) {
    if (media.length === 0) return unsendable('media_missing', `There is no ${type} to send.`);
    return text
      ? unsendable('caption_unsupported', `On Instagram a ${type} has no text beside it.`)
      : undefined;
  }
  if (type === 'template' && !template) return unsendable('template_missing', 'The template is gone.');
  if (type !== 'text' && type !== 'template')
    return unsendable('type_unsupported', `Instagram takes no message of the type ${type}.`);
  const bytes = Buffer.byteLength(textOf(message));
  return bytes <= MOST_TEXT_BYTES
    ? undefined
    : unsendable(
        'text_too_long',
        `On Instagram a text has at most ${MOST_TEXT_BYTES} bytes, this has ${bytes}.`,
      );
}

function contentOf(message: OutgoingMessage): Part {
  const { type, media } = message;
  return MEDIA.includes(type)
    ? { attachment: { type, payload: { url: media[0]?.url } } }
    : { text: textOf(message) };
}

/** Sends one message. Files are fetched by Instagram from their public URL. */
export async function send(
  message: OutgoingMessage,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<SendResult> {
  const issue = issueOf(message);
  if (issue) return issue;
  const graph = graphFor(config, INSTAGRAM_GRAPH, context);
  // The tag says that a person answers, so a machine's message must not have it.
  const isPersons = config.humanAgent === true && !message.isAutomatic;
  const answer = await call(graph, {
    method: 'POST',
    path: `${config.accountId}/messages`,
    json: {
      recipient: { id: message.to.value },
      ...(isPersons ? { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' } : {}),
      message: contentOf(message),
    },
  });
  if (!answer.ok) return asResult(answer.issue);
  const vendorId = idOf(answer.body.message_id);
  if (vendorId === '') return asResult(classifyAnswer({ status: 200, headers: {} }, undefined));
  const recipient = idOf(answer.body.recipient_id);
  const contact = recipient === '' ? {} : { contact: [{ type: 'instagram_id' as const, value: recipient }] };
  return { ok: true, vendorId, status: 'sent', ...contact };
}
