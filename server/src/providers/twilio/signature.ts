import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderRequest } from '../adapter.ts';

export const SIGNATURE_HEADER = 'x-twilio-signature';

/** Twilio's signature: over the URL and the sorted form parameters, without repeated values of a name. */
export function twilioSignature(url: string, form: URLSearchParams, authToken: string): string {
  const names = [...new Set(form.keys())].sort();
  const signed = names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value));
  return createHmac('sha1', authToken)
    .update(url + signed.join(''))
    .digest('base64');
}

/**
 * Whether Twilio signed the request. It signs the URL as it was configured, which may contain the default port of its
 * scheme when ours does not, or the other way round.
 */
export function isSignedByTwilio(request: ProviderRequest, authToken: string): boolean {
  const given = Buffer.from(request.headers[SIGNATURE_HEADER] ?? '');
  const form = new URLSearchParams(request.body.toString('utf8'));
  return urlVariants(request.url).some((url) => {
    const expected = Buffer.from(twilioSignature(url, form, authToken));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function urlVariants(url: string): string[] {
  const [, scheme, host, rest] = /^(https?):\/\/([^/?#:]+)(?::\d+)?([/?#].*)?$/.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const bare = `${scheme}://${host}`;
  const port = scheme === 'https' ? 443 : 80;
  return [...new Set([url, `${bare}${rest ?? ''}`, `${bare}:${port}${rest ?? ''}`])];
}
