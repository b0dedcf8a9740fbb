import { version } from '../version.ts';
import { keyOf, signedHeaders } from '../webhooks/payload.ts';
import { reasonOf, send, textOf } from './send.ts';

/** As long as a webhook has. */
const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 64 * 1024;

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such machine',
};

/**
 * Sends events to a program of the user's own, signed as webhooks are, and says what became of it. Not through the
 * guarded client, which keeps other people's URLs away from this machine: this URL is the user's own, and this machine
 * is what is meant.
 */
export function forwarder(url: string, secret: string) {
  const key = keyOf(secret);
  return async (eventId: string, body: string, stop: AbortSignal): Promise<string> => {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const answer = await send(url, {
        method: 'POST',
        headers: signedHeaders(version, eventId, new Date(), body, [key]),
        body,
        signal: AbortSignal.any([stop, deadline]),
        silenceMs: DEADLINE_MS,
      });
      await textOf(answer, RESPONSE_BYTES);
      return String(answer.statusCode);
    } catch (error) {
      if (stop.aborted) throw error;
      const reason = deadline.aborted ? `no answer within ${DEADLINE_MS / 1000} s` : reasonOf(error);
      return `failed: ${reasons[reason] ?? reason}`;
    }
  };
}
