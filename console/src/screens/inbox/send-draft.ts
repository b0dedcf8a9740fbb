import { bodiesOf, type Written } from './message-bodies.ts';
import { sendOptimistically } from './outgoing.ts';

/** Sends what was written, as one message or several. Resolves to whether all were taken. */
export async function sendDraft(
  chatId: string,
  written: Written,
  kind: string | undefined,
): Promise<boolean> {
  const bodies = bodiesOf(written, kind);
  const sent = await Promise.all(bodies.map(([body, own]) => sendOptimistically(chatId, body, own)));
  return sent.every((message) => message !== undefined);
}
