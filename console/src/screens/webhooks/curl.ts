import type { WebhookDeliveryWithAttempts } from '@parley/sdk';

type Request = WebhookDeliveryWithAttempts['attempts'][number]['request'];

/** A text that a shell takes as it is. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that repeats a request. The server does not tell the signature, so receivers that check it refuse it. */
export function curlOf({ url, headers }: Request, body: string | null): string {
  const given = Object.entries(headers).filter(([name]) => !/^(content-length|host|connection)$/i.test(name));
  return [
    `curl -X POST ${quote(url ?? '')}`,
    ...given.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quote(body)}`]),
  ].join(' \\\n  ');
}
