import type { SendChatMessageBody } from '@parley/sdk';

export interface Written {
  text: string;
  files: readonly File[];
  replyToMessageId?: string | undefined;
  /** When it is to be sent; now if undefined. */
  at?: Date | undefined;
}

type OutgoingBody = [body: SendChatMessageBody, files: readonly File[]];

const MAX_CAPTION: Readonly<Record<string, number>> = { whatsapp: 1024, sms: 1600 };

/** Whether a file can have this text below it. What WhatsApp plays has none, and on Instagram nothing has. */
const takesCaption = ({ type }: File, text: string, kind: string | undefined): boolean =>
  [...text].length <= (MAX_CAPTION[kind ?? ''] ?? 0) && !(kind === 'whatsapp' && type.startsWith('audio/'));

/** A mail takes everything; elsewhere each file is a message, and the text belongs to the first one if it can. */
function splitWritten(text: string, files: readonly File[], kind: string | undefined): OutgoingBody[] {
  const own = text === '' ? {} : { text };
  if (kind === 'email' || files.length === 0) return [[own, files]];
  const [first, ...rest] = files as [File, ...File[]];
  const others = rest.map((file): OutgoingBody => [{}, [file]]);
  if (text === '' || takesCaption(first, text, kind)) return [[own, [first]], ...others];
  return [[own, []], [{}, [first]], ...others];
}

/** The messages that a reply becomes on a kind of channel. The first of them answers the message that was chosen. */
export const bodiesOf = (
  { text, files, replyToMessageId, at }: Written,
  kind: string | undefined,
): OutgoingBody[] =>
  splitWritten(text, files, kind).map(([body, own], index) => [
    {
      ...body,
      ...(index === 0 && replyToMessageId !== undefined ? { replyToMessageId } : {}),
      ...(at === undefined ? {} : { scheduledAt: at.toISOString() }),
    },
    own,
  ]);
