import { request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** An answer over a real connection. */
export interface WireAnswer {
  status: number;
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
  text: string;
}

/** Lets a server listen on a free port and returns the port. */
export async function listen(server: FastifyInstance): Promise<number> {
  const known = server.server.address() as AddressInfo | null;
  if (known) return known.port;
  await server.listen({ host: '127.0.0.1', port: 0 });
  return (server.server.address() as AddressInfo).port;
}

/** Sends a request with its path unchanged: `inject` would resolve `..` before the server sees it. */
export function send(
  port: number,
  method: string,
  path: string,
  options: { headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, method, path, headers: options.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            body: asJson(text),
            text,
          });
        });
      },
    );
    call.on('error', reject);
    call.end(options.body);
  });
}

/** Opens a connection for raw bytes. The answer is everything that arrives until the server closes the connection. */
export function dial(port: number): { socket: Socket; heard: Promise<WireAnswer> } {
  const socket = connect(port, '127.0.0.1');
  const heard = new Promise<WireAnswer>((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    // A server that closes while the client still sends may reset the connection. What has arrived counts.
    socket.on('error', () => {});
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString('utf8'))));
  });
  return { socket, heard };
}

/** Sends all bytes at once and waits until the server closes the connection. */
export function say(port: number, bytes: string | Buffer): Promise<WireAnswer> {
  const { socket, heard } = dial(port);
  socket.write(bytes);
  return heard;
}

function parseAnswer(raw: string): WireAnswer {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const text = rest.join('\r\n\r\n');
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: asJson(text), text };
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
