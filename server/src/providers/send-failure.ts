import { OutboundError } from '../outbound/outbound-error.ts';
import type { SendResult } from './adapter.ts';

/** What a send came to that got no answer: without a byte sent it certainly had no effect. */
export function failureOf(error: unknown): SendResult & { ok: false } {
  if (!(error instanceof OutboundError)) throw error;
  const { phase, message, bytesSent } = error;
  const retry = phase === 'refused' ? 'never' : bytesSent ? 'unknown' : 'backoff';
  return { ok: false, error: { code: `connection_${phase}`, message }, retry };
}
