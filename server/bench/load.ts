import { connect } from 'node:net';

export interface Load {
  port: number;
  connections: number;
  /** The bytes of the next request; undefined when there is none any more. */
  next: () => Buffer | undefined;
}

export interface LoadResult {
  operations: number;
  seconds: number;
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** The bytes of one request on a connection that is kept. */
export function requestBytes(
  method: string,
  path: string,
  options: { token?: string; body?: object | Buffer; headers?: Record<string, string> } = {},
): Buffer {
  const { token, body: given, headers: more = {} } = options;
  const body = Buffer.isBuffer(given) ? given : Buffer.from(given === undefined ? '' : JSON.stringify(given));
  const headers = [
    `${method} ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body.length === 0 ? [] : ['content-type: application/json', `content-length: ${body.length}`]),
    ...Object.entries(more).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), body]);
}

/**
 * Keeps one request in flight on each connection until there are no more, and counts the answers. Sockets and ready-made
 * bytes, because a generator shares the machine with what it measures: autocannon's parser would be the bottleneck of a
 * bare Fastify route, and so flatter whoever is compared with it. Any answer but a 200 with a length ends the run.
 */
export async function runLoad({ port, connections, next }: Load): Promise<LoadResult> {
  let operations = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, () => oneConnection(port, next, () => (operations += 1))),
  );
  return { operations, seconds: (performance.now() - begun) / 1000 };
}

function oneConnection(port: number, next: () => Buffer | undefined, answered: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let pending: Buffer | undefined;
    const send = (): void => {
      const bytes = next();
      if (bytes) socket.write(bytes);
      else socket.destroy();
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
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
          answered();
          send();
          return;
        }
      }
      pending = answer;
    });
  });
}

/** Hands out requests in turn for so many seconds. */
export function forSeconds(seconds: number, requests: readonly Buffer[]): () => Buffer | undefined {
  const end = performance.now() + seconds * 1000;
  let at = 0;
  return () => (performance.now() < end ? requests[at++ % requests.length] : undefined);
}

/** Hands out so many requests, in turn or as they are made. */
export function times(count: number, requests: readonly Buffer[] | (() => Buffer)): () => Buffer | undefined {
  let at = 0;
  return () => {
    if (at >= count) return undefined;
    at += 1;
    return typeof requests === 'function' ? requests() : requests[(at - 1) % requests.length];
  };
}
