import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sameSecret } from '../../base/crypto.ts';
import type { ProviderRequest } from '../provider-request.ts';

export const SIGNATURE_HEADER = 'x-parley-signature';

/**
 * The signature of a posted mail. It contains no time: the same mail posted twice is one message, so a repeated request
 * changes nothing.
 */
export const mailSignature = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Anyone can send 40 MiB to verify, which took 62 ms at once. */
const SLICE_BYTES = 4 * 1024 * 1024;

/** Whether a mail is signed with the secret. A large one is read in slices, so that other requests are answered between. */
export function isSignedMail(
  { headers, body }: ProviderRequest,
  secret: string | undefined,
): boolean | Promise<boolean> {
  if (secret === undefined) return false;
  const given = headers[SIGNATURE_HEADER] ?? '';
  if (body.length <= SLICE_BYTES) return sameSecret(given, mailSignature(body, secret));
  return signInSlices(body, secret).then((expected) => sameSecret(given, expected));
}

async function signInSlices(body: Buffer, secret: string): Promise<string> {
  const hmac = createHmac('sha256', secret);
  for (let start = 0; start < body.length; start += SLICE_BYTES) {
    hmac.update(body.subarray(start, start + SLICE_BYTES));
    await nextTurn();
  }
  return `sha256=${hmac.digest('hex')}`;
}
