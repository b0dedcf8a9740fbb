import { createHmac } from 'node:crypto';
import { sameSecret } from '../../base/crypto.ts';
import type { ProviderRequest } from '../adapter.ts';

export const SIGNATURE_HEADER = 'x-parley-signature';

/**
 * The signature of a posted mail. It contains no time: the same mail posted twice is one message, so a repeated request
 * changes nothing.
 */
export const mailSignature = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const isSignedMail = (request: ProviderRequest, secret: string | undefined): boolean =>
  secret !== undefined &&
  sameSecret(request.headers[SIGNATURE_HEADER] ?? '', mailSignature(request.body, secret));
