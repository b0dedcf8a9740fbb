import { createHmac } from 'node:crypto';
import { sameSecret } from '../../base/crypto.ts';
import type { ProviderRequest } from '../adapter.ts';

export const SIGNATURE_HEADER = 'x-parley-signature';

/**
 * What whoever posts a mail signs it with. There is no time in it: the same mail posted twice is one message, so a
 * request that is repeated changes nothing.
 */
export const mailSignature = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export const isSignedMail = (request: ProviderRequest, secret: string | undefined): boolean =>
  secret !== undefined &&
  sameSecret(request.headers[SIGNATURE_HEADER] ?? '', mailSignature(request.body, secret));
