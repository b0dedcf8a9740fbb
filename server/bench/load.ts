import { connect } from 'node:net';

export interface LoadResult {
  operations: number;
  seconds: number;
}

/** How many requests are in flight at once, one on each connection. */
const CONNECTIONS = 64;
const HEAD_END = Buffer.from('\r\n\r\n');

/** The bytes of one request on a connection that is kept open. */
export function requestBytes(
  method: string,
  path: string,
  options: { token?: string; body?: object | Buffer; headers?: Record<string, string> } = {},
): Buffer {
  const { token, body: content, headers: others = {} } = options;
  const body = Buffer.isBuffer(content)
    ? content
    : Buffer.from(content === undefined ? '' : JSON.stringify(content));
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body.length === 0 ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
    ...Object.entries(others).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), body]);
}

/**
 * Sends so many requests, one after another of a list or as they are made, and resolves when all are answered. It writes
 * ready-made bytes to sockets, because it shares the machine with what it measures: the parser of autocannon would be
 * the bottleneck of a bare Fastify route and would flatter what that is compared with. Any answer but a 200 with a length
 * ends the run.
 */
export async function sendRequests(
  port: number,
  count: number,
  requests: readonly Buffer[] | (() => Buffer),
  connections = CONNECTIONS,
): Promise<LoadResult> {
  let sent = 0;
  const next = (): Buffer | undefined => {
    if (sent >= count) return undefined;
    sent += 1;
    return typeof requests === 'function' ? requests() : requests[(sent - 1) % requests.length];
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, () => useConnection(port, next)));
  return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
}

/** Keeps one request in flight on a connection until there are no more. */
function useConnection(port: number, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let pending: Buffer | undefined;
    const send = (): void => {
      const bytes = next();
      if (bytes) socket.write(bytes);
      else {
        resolve();
        socket.destroy();
      }
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The connection was closed before the answer.')));
    socket.on('data', (chunk) => {
      const answer = pending ? Buffer.concat([pending, chunk]) : chunk;
      const headEnd = answer.indexOf(HEAD_END);
      if (headEnd >= 0) {
        const head = answer.toString('latin1', 0, headEnd);
        const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
        if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
          reject(new Error(`An unexpected answer: ${answer.toString('utf8', 0, 600)}`));
          socket.destroy();
          return;
        }
        if (answer.length >= headEnd + HEAD_END.length + Number(length)) {
          pending = undefined;
          send();
          return;
        }
      }
      pending = answer;
    });
  });
}
