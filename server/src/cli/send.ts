import { request as http, type IncomingMessage } from 'node:http';
import { request as https } from 'node:https';

export interface Sent {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** How long the other side may say nothing. */
  silenceMs: number;
}

/**
 * One request on a connection of its own: whatever is at the other end is restarted all the time, and a connection kept
 * from before would break the next request. By Node's own client, which is there at once: loading another takes longer
 * than everything else that a tool does.
 */
export function send(
  url: string,
  { method, headers, body, signal, silenceMs }: Sent,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | undefined;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { method, headers: { ...headers, ...length }, signal, agent: false, timeout: silenceMs };
    const sent = url.startsWith('https:') ? https(url, options) : http(url, options);
    sent.on('error', reject);
    sent.on('timeout', () => {
      // Silence that we made ourselves, by not reading what has come, is none.
      if (!answer?.readableLength) sent.destroy(new Error(`no word for ${silenceMs / 1000} s`));
    });
    sent.once('response', (message) => {
      answer = message;
      resolve(message);
    });
    sent.end(body);
  });
}

/** An answer's text, as far as the limit. */
export async function textOf(answer: IncomingMessage, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= limit) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Why something did not work, in a word or two: the code of the system, else what was said. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? String(error);
}
