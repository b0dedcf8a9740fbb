import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ProviderRequest } from '../provider-request.ts';

export const SIGNATURE_HEADER = 'x-twilio-signature';
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** Twilio sends about 30 parameters, and three more for each of up to ten files. */
const MAX_PARAMETERS = 500;
const AMPERSAND = 0x26;

/** Twilio's signature: over the URL and the sorted form parameters, without repeated values of a name. */
export function twilioSignature(url: string, form: URLSearchParams, authToken: string): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of form) values.set(name, (values.get(name) ?? new Set()).add(value));
  const signed = [...values.keys()]
    .sort()
    .flatMap((name) => [...(values.get(name) as Set<string>)].sort().map((value) => name + value));
  return createHmac('sha1', authToken)
    .update(url + signed.join(''))
    .digest('base64');
}

/**
 * Whether Twilio signed the request. It signs the URL as it was configured, which may contain the default port of its
 * scheme when ours does not, or the other way round. Characters such as ' in the query may be escaped.
 */
export function isSignedByTwilio(request: ProviderRequest, authToken: string): boolean {
  const given = Buffer.from(request.headers[SIGNATURE_HEADER] ?? '');
  // The form must be split to verify it, so what Twilio never sends is refused before.
  if (given.length === 0 || hasTooManyParameters(request.body)) return false;
  const form = new URLSearchParams(request.body.toString('utf8'));
  const normalized = URL.canParse(request.url) ? new URL(request.url).href : request.url;
  const urls = new Set([request.url, normalized].flatMap(urlVariants));
  return [...urls].some((url) => {
    const expected = Buffer.from(twilioSignature(url, form, authToken));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function hasTooManyParameters(body: Buffer): boolean {
  let count = 1;
  for (let index = body.indexOf(AMPERSAND); index >= 0; index = body.indexOf(AMPERSAND, index + 1))
    if (++count > MAX_PARAMETERS) return true;
  return false;
}

function urlVariants(url: string): string[] {
  const [, scheme, host, rest] = /^(https?):\/\/([^/?#:]+)(?::\d+)?([/?#].*)?$/.exec(url) ?? [];
  if (scheme === undefined) return [url];
  const bare = `${scheme}://${host}`;
  const port = scheme === 'https' ? 443 : 80;
  return [...new Set([url, `${bare}${rest ?? ''}`, `${bare}:${port}${rest ?? ''}`])];
}
