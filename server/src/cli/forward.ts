import { version } from '../version.ts';
import { keyOf, signedHeaders } from '../webhooks/payload.ts';
import { reasonOf, send, textOf } from './send.ts';

/** The same as for webhooks. */
const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 64 * 1024;

const reasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'unknown host',
};

/**
 * Sends events to the user's own program, signed like webhooks, and returns the result as a text. Without the guarded
 * client, which blocks URLs of tenants that lead to this machine: this URL is the user's own, and is meant to do so.
 */
export function createForwarder(url: string, secret: string) {
  const key = keyOf(secret);
  return async (eventId: string, body: string, stop: AbortSignal): Promise<string> => {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const response = await send(url, {
        headers: signedHeaders(version, eventId, new Date(), body, [key]),
        body,
        signal: AbortSignal.any([stop, deadline]),
        idleTimeoutMs: DEADLINE_MS,
      });
      await textOf(response, RESPONSE_BYTES);
      return String(response.statusCode);
    } catch (error) {
      if (stop.aborted) throw error;
      const reason = deadline.aborted ? `no answer within ${DEADLINE_MS / 1000} s` : reasonOf(error);
      return `failed: ${reasons[reason] ?? reason}`;
    }
  };
}
