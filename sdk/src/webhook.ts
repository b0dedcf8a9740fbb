import type { Event } from './generated/types.ts';

/** Why a request is not a webhook of Parley, or not one of now. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

interface WebhookRequest {
  /** The body as it arrived: a body that was parsed and written again has other bytes. */
  body: string | Uint8Array | ArrayBuffer;
  /** The headers of the request: `Headers`, or an object as Node has it. */
  headers: Headers | Record<string, string | string[] | undefined>;
  /** The secret of the webhook: `whsec_…`. */
  secret: string;
  /** How old or new the request may be; 300 by default. */
  toleranceSeconds?: number | undefined;
}

const PREFIX = 'whsec_';

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

function keyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const key = secret.startsWith(PREFIX) ? bytesOf(secret.slice(PREFIX.length)) : undefined;
  if (!key?.length) throw new TypeError('secret must be the secret of a webhook: whsec_ and base64');
  return key;
}

function headerOf(headers: WebhookRequest['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`);
  return value;
}

/** Returns the event of a request that Parley has signed; throws a WebhookError for any other, and for one that is too old. */
export async function verifyWebhook({
  body,
  headers,
  secret,
  toleranceSeconds = 300,
}: WebhookRequest): Promise<Event> {
  const raw = keyBytes(secret);
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('The request is too old, or the clocks differ.');
  const start = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = new Uint8Array(start.length + content.length);
  signed.set(start);
  signed.set(content, start.length);
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const entry of signatures.split(' ')) {
    const signature = entry.startsWith('v1,') ? bytesOf(entry.slice('v1,'.length)) : undefined;
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return JSON.parse(new TextDecoder().decode(content)) as Event;
  }
  throw new WebhookError(
    'No signature fits: the request is not from Parley, was changed, or the secret is another one.',
  );
}
