import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

interface SendOptions {
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
  /** How long the other side may send nothing. */
  idleTimeoutMs: number;
}

/**
 * One POST on a new connection: the program at the other end is restarted often, and a kept connection would break the
 * next request.
 */
export function send(
  url: string,
  { headers, body, signal, idleTimeoutMs }: SendOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal,
      agent: false,
      timeout: idleTimeoutMs,
    };
    const request = url.startsWith('https:') ? httpsRequest(url, options) : httpRequest(url, options);
    request.on('error', reject);
    request.on('timeout', () => {
      // Not idle if we have not read what has arrived.
      if (!response?.readableLength) request.destroy(new Error(`no answer for ${idleTimeoutMs / 1000} s`));
    });
    request.once('response', (message) => {
      response = message;
      resolve(message);
    });
    request.end(body);
  });
}

/** The text of a response, up to the limit. */
export async function textOf(response: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A short reason of an error: the code of the system, else the message of what caused it. */
export function reasonOf(error: unknown): string {
  const { code, message, cause } = error as { code?: string; message?: string; cause?: unknown };
  return code ?? (cause ? reasonOf(cause) : (message ?? String(error)));
}
