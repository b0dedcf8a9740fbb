import type { InboundMessage } from '../../adapter.ts';
import { type Part, partOf, partsOf } from '../../meta/payload.ts';
import { interactivePayload } from '../../whatsapp_cloud/interactive.ts';

type Written = InboundMessage;

function media({ type, text, media: [file] }: Written): Part {
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

function interactive({ content, text }: Written): Part {
  if (content.buttons !== undefined || content.list !== undefined)
    return { type: 'interactive', interactive: interactivePayload(text ?? '', content) };
  const { id, title, description } = content;
  const isOfList = description !== undefined;
  const reply = { id, title, ...(isOfList ? { description } : {}) };
  const type = isOfList ? 'list_reply' : 'button_reply';
  return { type: 'interactive', interactive: { type, [type]: reply } };
}

const location = ({ content }: Written): Part => ({
  type: 'location',
  location: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== null)),
});

const contacts = ({ content }: Written): Part => ({
  type: 'contacts',
  contacts: partsOf(content.contacts).map(({ name, organization, phoneNumbers, emails }) => ({
    name: { formatted_name: name },
    ...(organization === null ? {} : { org: { company: organization } }),
    phones: (phoneNumbers as string[]).map((phone) => ({ phone })),
    emails: (emails as string[]).map((email) => ({ email })),
  })),
});

const reaction = ({ content, replyTo: [about] = [] }: Written): Part => ({
  type: 'reaction',
  reaction: { message_id: about, ...(content.emoji === null ? {} : { emoji: content.emoji }) },
});

/** What only a business sends, such as a template, comes back by its type alone. */
const unnamed = ({ type }: Written): Part => ({ type });

const writers: Partial<Record<InboundMessage['type'], (message: Written) => Part>> = {
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

function referral({ content }: Written): Part {
  if (content.referral === undefined) return {};
  const { url, id, type, headline, body, clickId } = partOf(content.referral);
  return {
    referral: { source_url: url, source_id: id, source_type: type, headline, body, ctwa_clid: clickId },
  };
}

/** What a message says, as Meta would write it: its type with the part of that name, and what it answers. */
export function messagePayload(message: Written): Part {
  const write = writers[message.type] ?? (message.kind === 'echo' ? unnamed : undefined);
  if (!write) throw new Error(`Nobody writes a message of the type ${message.type} on WhatsApp.`);
  const [quoted] = message.replyTo ?? [];
  const isAnswer = quoted !== undefined && message.type !== 'reaction';
  return { ...write(message), ...referral(message), ...(isAnswer ? { context: { id: quoted } } : {}) };
}
