import { sendOptimistically } from './outgoing.ts';

/** Files that take a text below them; others are sent with a message of their own. */
const TAKES_CAPTION = /^(image|video|application)\//;

type OutgoingBody = [body: { text?: string }, files: readonly File[]];

/** A mail takes everything; elsewhere each file is a message, and the text belongs to the first one if it can. */
function bodiesOf(text: string, files: readonly File[], isMail: boolean): OutgoingBody[] {
  const own = text === '' ? {} : { text };
  if (isMail || files.length === 0) return [[own, files]];
  const [first, ...rest] = files as [File, ...File[]];
  const others = rest.map((file): OutgoingBody => [{}, [file]]);
  if (text === '' || TAKES_CAPTION.test(first.type)) return [[own, [first]], ...others];
  return [[own, []], [{}, [first]], ...others];
}

/** Sends what was written, as one message or several. Resolves to whether all were taken. */
export async function sendDraft(
  chatId: string,
  text: string,
  files: readonly File[],
  isMail: boolean,
): Promise<boolean> {
  const bodies = bodiesOf(text, files, isMail);
  const sent = await Promise.all(bodies.map(([body, own]) => sendOptimistically(chatId, body, own)));
  return sent.every((message) => message !== undefined);
}
