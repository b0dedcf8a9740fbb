import { createHmac } from 'node:crypto';
import { sameSecret } from '../../base/crypto.ts';
import type { ProviderRequest } from '../provider-request.ts';

export const SIGNATURE_HEADER = 'x-hub-signature-256';
/** Meta sends at most 1,000 changes in one request, and announces bodies of up to 3 MB. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

const signatureOf = (body: Buffer, appSecret: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;

/**
 * Whether Meta signed exactly these bytes. Meta escapes non-ASCII characters before it signs, so a body that was parsed
 * and serialized again would not match. A channel without a secret accepts nothing: everybody has the empty key.
 */
export function isSigned({ headers, body }: ProviderRequest, appSecret: unknown): boolean {
  if (typeof appSecret !== 'string' || appSecret === '') return false;
  return sameSecret(headers[SIGNATURE_HEADER] ?? '', signatureOf(body, appSecret));
}

/** A request as Meta would send it. */
export function signedRequest(payload: unknown, url: string, appSecret: string): ProviderRequest {
  const body = Buffer.from(escapeNonAscii(JSON.stringify(payload)));
  const headers = { 'content-type': 'application/json', [SIGNATURE_HEADER]: signatureOf(body, appSecret) };
  return { url, headers, body };
}

const escapeNonAscii = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
