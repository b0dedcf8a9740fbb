import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface SendOptions {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** How long the other side may send nothing. */
  idleTimeoutMs: number;
}

/**
 * One request on a new connection: the program at the other end is restarted often, and a kept connection would break
 * the next request. With Node's own client: loading another one takes longer than everything else that a command does.
 */
export function send(
  url: string,
  { method, headers, body, signal, idleTimeoutMs }: SendOptions,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = {
      method,
      headers: { ...headers, ...length },
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

/** A short reason of an error: the code of the system, else its message. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
