import type { SendChatMessageBody } from '@parley/sdk';

/** Files that take a text below them; others are sent with a message of their own. */
const TAKES_CAPTION = /^(image|video|application)\//;

export interface Written {
  text: string;
  files: readonly File[];
  replyToMessageId?: string | undefined;
  /** When it is to be sent; now if undefined. */
  at?: Date | undefined;
}

type OutgoingBody = [body: SendChatMessageBody, files: readonly File[]];

/** A mail takes everything; elsewhere each file is a message, and the text belongs to the first one if it can. */
function splitWritten(text: string, files: readonly File[], isMail: boolean): OutgoingBody[] {
  const own = text === '' ? {} : { text };
  if (isMail || files.length === 0) return [[own, files]];
  const [first, ...rest] = files as [File, ...File[]];
  const others = rest.map((file): OutgoingBody => [{}, [file]]);
  if (text === '' || TAKES_CAPTION.test(first.type)) return [[own, [first]], ...others];
  return [[own, []], [{}, [first]], ...others];
}

/** The messages that a reply becomes. The first of them answers the message that was chosen. */
export const bodiesOf = ({ text, files, replyToMessageId, at }: Written, isMail: boolean): OutgoingBody[] =>
  splitWritten(text, files, isMail).map(([body, own], index) => [
    {
      ...body,
      ...(index === 0 && replyToMessageId !== undefined ? { replyToMessageId } : {}),
      ...(at === undefined ? {} : { scheduledAt: at.toISOString() }),
    },
    own,
  ]);
