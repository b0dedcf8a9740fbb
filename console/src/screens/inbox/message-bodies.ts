import type { SendChatMessageBody } from '@parley/sdk';
import type { Attachment } from './attachment.ts';

export interface Written {
  text: string;
  files: readonly Attachment[];
  /** The titles of buttons below the text. */
  buttons?: readonly string[];
  replyToMessageId?: string | undefined;
  /** When it is to be sent; now if undefined. */
  at?: Date | undefined;
}

type OutgoingBody = [body: SendChatMessageBody, files: readonly Attachment[]];

interface ButtonLimits {
  max: number;
  /** Of the text above them, as the vendor counts it. */
  maxText: number;
  lengthOf(text: string): number;
}

/** What a message with buttons can have; the channels of other kinds have no buttons. */
const BUTTON_LIMITS: Readonly<Record<string, ButtonLimits>> = {
  whatsapp: { max: 3, maxText: 1024, lengthOf: (text) => [...text].length },
  instagram: { max: 13, maxText: 1000, lengthOf: (text) => new TextEncoder().encode(text).length },
};
export const maxButtonsOn = (kind: string | undefined): number => BUTTON_LIMITS[kind ?? '']?.max ?? 0;
export const MAX_BUTTON_TITLE = 20;

/** By how many characters a text with these buttons must be shortened. One character has at least one byte. */
export function excessWithButtons(
  { text, buttons }: { text: string; buttons: readonly string[] },
  kind: string | undefined,
): number {
  const limits = BUTTON_LIMITS[kind ?? ''];
  if (!limits || titlesOf(buttons).length === 0) return 0;
  return Math.max(0, limits.lengthOf(text.trim()) - limits.maxText);
}

/** What is sent of the buttons that somebody has begun: each title once. */
export const titlesOf = (buttons: readonly string[]): string[] => [
  ...new Set(buttons.map((title) => title.trim()).filter((title) => title !== '')),
];

const MAX_CAPTION: Readonly<Record<string, number>> = { whatsapp: 1024, sms: 1600 };

/** Whether a file can have this text below it. What WhatsApp plays has none, and on Instagram nothing has. */
const takesCaption = ({ type }: Attachment, text: string, kind: string | undefined): boolean =>
  [...text].length <= (MAX_CAPTION[kind ?? ''] ?? 0) && !(kind === 'whatsapp' && type.startsWith('audio/'));

/** A mail takes everything; elsewhere each file is a message, and the text belongs to the first one if it can. */
function splitWritten({ text, files, buttons = [] }: Written, kind: string | undefined): OutgoingBody[] {
  const own = text === '' ? {} : { text };
  const titles = titlesOf(buttons);
  // What can be tapped comes last.
  if (titles.length > 0) {
    const choices = titles.map((title, index) => ({ id: `button_${index + 1}`, title }));
    return [
      ...files.map((file): OutgoingBody => [{}, [file]]),
      [{ ...own, interactive: { buttons: choices } }, []],
    ];
  }
  if (kind === 'email' || files.length === 0) return [[own, files]];
  const [first, ...rest] = files as [Attachment, ...Attachment[]];
  const others = rest.map((file): OutgoingBody => [{}, [file]]);
  if (text === '' || takesCaption(first, text, kind)) return [[own, [first]], ...others];
  return [[own, []], [{}, [first]], ...others];
}

/** The messages that a reply becomes on a kind of channel. The first of them answers the message that was chosen. */
export const bodiesOf = (written: Written, kind: string | undefined): OutgoingBody[] => {
  const { replyToMessageId, at } = written;
  return splitWritten(written, kind).map(([body, own], index) => [
    {
      ...body,
      ...(index === 0 && replyToMessageId !== undefined ? { replyToMessageId } : {}),
      ...(at === undefined ? {} : { scheduledAt: at.toISOString() }),
    },
    own,
  ]);
};
