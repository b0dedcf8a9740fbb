import { isNestedTooDeeply, MAX_JSON_DEPTH } from '../../base/json-depth.ts';
import { storableJson } from '../../base/storable.ts';
import type { OutboundClient } from '../../outbound/client.ts';
import { OutboundError } from '../../outbound/outbound-error.ts';
import { keyOf, signatureHeaders } from '../../webhooks/payload.ts';
import type { OutsideAnswer, OutsideCall } from './state.ts';

const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 256 * 1024;

/** Parses a body as JSON, or returns its text. */
function parseBody(bytes: Buffer): unknown {
  const text = bytes.toString('utf8').toWellFormed().replaceAll('\0', '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Makes the call of an `http_request` step. An answer with an error status is still an answer; only a missing answer is a
 * failure. A call that is repeated after a crash has the same idempotency key.
 */
export async function callOutside(
  outbound: OutboundClient,
  { method, url, headers, body, signingKey }: OutsideCall,
  key: string,
  now: Date,
): Promise<OutsideAnswer> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const defaults = {
    ...(names.has('idempotency-key') ? {} : { 'idempotency-key': key }),
    ...(body === null || names.has('content-type') ? {} : { 'content-type': 'application/json' }),
    ...(signingKey === undefined ? {} : signatureHeaders(key, now, body ?? '', [keyOf(signingKey)])),
  };
  try {
    const response = await outbound.request({
      url,
      method,
      headers: { ...defaults, ...headers },
      ...(body === null ? {} : { body }),
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: RESPONSE_BYTES,
    });
    if (response.truncated)
      return {
        failure: { code: 'answer_too_large', message: `The answer has more than ${RESPONSE_BYTES} bytes` },
      };
    const saved = parseBody(response.body);
    if (typeof saved === 'object' && isNestedTooDeeply(response.body))
      return {
        failure: {
          code: 'answer_too_large',
          message: `The answer is nested deeper than ${MAX_JSON_DEPTH} levels`,
        },
      };
    return { saved: { status: response.status, body: storableJson(saved) } };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { failure: { code: 'http_failed', message: error.message } };
  }
}
