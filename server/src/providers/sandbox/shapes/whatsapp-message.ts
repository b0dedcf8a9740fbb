import type { InboundMessage } from '../../inbound-event.ts';
import { kindOfInteractive } from '../../interactive.ts';
import { type Part, partOf, partsOf } from '../../meta/payload.ts';
import { interactivePayload } from '../../whatsapp_cloud/interactive.ts';

function media({ type, text, media: [file] }: InboundMessage): Part {
  const { id, url } = file?.ref ?? {};
  return {
    type,
    [type]: {
      ...(file
        ? {
            id,
            ...(url === undefined ? {} : { url }),
            ...(file.mimeType === null ? {} : { mime_type: file.mimeType }),
            ...(file.filename === null ? {} : { filename: file.filename }),
          }
        : {}),
      ...(text === null ? {} : { caption: text }),
    },
  };
}

function interactive({ content, text, vendorId }: InboundMessage): Part {
  if (kindOfInteractive(content) !== undefined)
    return { type: 'interactive', interactive: interactivePayload(text, content, vendorId) };
  const { id, title, description } = content;
  const isOfList = description !== undefined;
  const reply = { id, title, ...(isOfList ? { description } : {}) };
  const type = isOfList ? 'list_reply' : 'button_reply';
  return { type: 'interactive', interactive: { type, [type]: reply } };
}

const location = ({ content }: InboundMessage): Part => ({
  type: 'location',
  location: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null)),
});

const contacts = ({ content }: InboundMessage): Part => ({
  type: 'contacts',
  contacts: partsOf(content.contacts).map(({ name, organization, phoneNumbers, emails }) => ({
    name: { formatted_name: name },
    ...(organization === null ? {} : { org: { company: organization } }),
    phones: (phoneNumbers as string[]).map((phone) => ({ phone })),
    emails: (emails as string[]).map((email) => ({ email })),
  })),
});

const reaction = ({ content, replyTo: [about] = [] }: InboundMessage): Part => ({
  type: 'reaction',
  reaction: { message_id: about, ...(content.emoji === null ? {} : { emoji: content.emoji }) },
});

/** Types that only a business sends, such as templates, are echoed without content. */
const typeOnly = ({ type }: InboundMessage): Part => ({ type });

const writers: Partial<Record<InboundMessage['type'], (message: InboundMessage) => Part>> = {
  text: ({ text }) => ({ type: 'text', text: { body: text } }),
  image: media,
  video: media,
  audio: media,
  document: media,
  sticker: media,
  interactive,
  location,
  contacts,
  reaction,
  unsupported: ({ content }) => ({ type: 'unsupported', unsupported: { type: content.vendorType } }),
};

function referral({ content }: InboundMessage): Part {
  if (content.referral === undefined) return {};
  const { url, id, type, headline, body, clickId } = partOf(content.referral);
  return {
    referral: { source_url: url, source_id: id, source_type: type, headline, body, ctwa_clid: clickId },
  };
}

/** The content of a message as Meta writes it: the type, the part of that name, and the message it replies to. */
export function messagePayload(message: InboundMessage): Part {
  const write = writers[message.type] ?? (message.kind === 'echo' ? typeOnly : undefined);
  if (!write) throw new Error(`Customers cannot write a message of the type ${message.type} on WhatsApp.`);
  const [quoted] = message.replyTo ?? [];
  const isReply = quoted !== undefined && message.type !== 'reaction';
  return { ...write(message), ...referral(message), ...(isReply ? { context: { id: quoted } } : {}) };
}
