import type { OutboundClient } from '../../outbound/client.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { Answered, OutsideCall } from './interpreter.ts';

const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 256 * 1024;

/** What a body says: JSON where it is some, else its text. */
function bodyOf(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').toWellFormed().replaceAll('\0', '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Makes the call of an `http_request`. Whatever the server answers is an answer; that there is none is a fault. The key
 * is the same when a crash makes the call repeat, so that the other side can tell.
 */
export async function callOutside(
  outbound: OutboundClient,
  { method, url, headers, body }: OutsideCall,
  key: string,
): Promise<Answered> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const own = {
    ...(names.has('idempotency-key') ? {} : { 'idempotency-key': key }),
    ...(body === null || names.has('content-type') ? {} : { 'content-type': 'application/json' }),
  };
  try {
    const response = await outbound.request({
      url,
      method,
      headers: { ...own, ...headers },
      ...(body === null ? {} : { body }),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: RESPONSE_BYTES,
    });
    if (response.truncated)
      return {
        issue: { code: 'answer_too_large', message: `The answer has more than ${RESPONSE_BYTES} bytes` },
      };
    return { saved: { status: response.status, body: bodyOf(response.body) } };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { issue: { code: 'http_failed', message: error.message } };
  }
}
