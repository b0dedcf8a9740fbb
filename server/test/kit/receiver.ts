import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into payloads of every shape
  body: any;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** How many connections were ever made. */
  connections(): number;
  /** What the next requests are answered with; 200 when nothing was said. */
  answerWith(
    ...statuses: (number | { status: number; headers?: Record<string, string>; body?: string })[]
  ): void;
  close(): Promise<void>;
}

/** A real HTTP server that takes webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: { status: number; headers?: Record<string, string>; body?: string }[] = [];
  let connections = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      received.push({ headers: request.headers, text, body: JSON.parse(text) });
      const { status, headers, body } = answers.shift() ?? { status: 200 };
      response.writeHead(status, headers).end(body);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    answerWith: (...given) =>
      answers.push(...given.map((one) => (typeof one === 'number' ? { status: one } : one))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Lets an independent implementation of Standard Webhooks judge a delivery. Its clock is the delivery's own. */
export function verifySignature(secret: string, { headers, text }: Received): unknown {
  const at = Number(headers['webhook-timestamp']) * 1000;
  const realNow = Date.now;
  Date.now = () => at;
  try {
    return new Webhook(secret).verify(text, headers as Record<string, string>);
  } finally {
    Date.now = realNow;
  }
}
