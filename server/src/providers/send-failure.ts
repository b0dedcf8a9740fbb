import { OutboundError } from '../outbound/outbound-error.ts';
import type { SendResult } from './outgoing-message.ts';

/** The result of a send without an answer: if no byte was sent, it had no effect. */
export function failureOf(error: unknown): SendResult & { ok: false } {
  if (!(error instanceof OutboundError)) throw error;
  const { phase, message, bytesSent } = error;
  const retry = phase === 'refused' ? 'never' : bytesSent ? 'unknown' : 'backoff';
  return { ok: false, error: { code: `connection_${phase}`, message }, retry };
}
