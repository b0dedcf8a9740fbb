import { createServer, Socket } from 'node:net';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import type { Lookup } from '../../src/outbound/connector.ts';
import { cleanUp } from './clean-up.ts';
import { type Listener, useListener } from './listeners.ts';

/** The only address that may be called: it represents the internet. */
export const OUTSIDE = '127.0.0.2';

export interface Internet {
  port: number;
  /** What the guarded client gets: only the internet may be called, and names are what a test says. */
  policy: { allow: ReturnType<typeof parseAllowList>; loopback: false };
  lookup: Lookup;
  /** The addresses of a name, one list for each time that it is asked for; the last one stays. */
  resolveTo(name: string, ...answers: string[][]): void;
  /** What the server outside answers to HTTP, whatever it is asked. */
  answerWith(status: number, headers: Record<string, string>, body: string): void;
  /** Every address to which a connection to the port was tried since the last call. */
  takeAttempts(): string[];
}

const HTTP = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/;
/** Servers of mail speak first. */
const GREETING_MS = 50;

/** Servers on the same port of several addresses. A port that is free on one of them may be taken on another. */
export async function useSamePort<T extends { port: number; close(): Promise<void> }>(
  ...starters: readonly ((port: number) => Promise<T>)[]
): Promise<T[]> {
  for (;;) {
    const started: T[] = [];
    try {
      for (const start of starters) started.push(await start(started[0]?.port ?? 0));
      return started;
    } catch (error) {
      for (const one of started) await one.close();
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/**
 * A server on an address that may be called, and one that counts as internal, both on the same port. Every attempt of this process
 * to connect to that port is noted, also to addresses where nothing listens.
 */
export async function useInternet(): Promise<Internet> {
  let answer = '';
  const speak = (socket: Socket): void => {
    socket.on('error', () => {});
    const greeting = setTimeout(() => socket.end('554 no service\r\n'), GREETING_MS);
    socket.on('data', (chunk) => {
      if (!HTTP.test(chunk.toString('latin1'))) return;
      clearTimeout(greeting);
      socket.end(answer);
    });
  };
  const inside = () =>
    createServer((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret'));
  const [outside] = (await useSamePort(
    (port) => useListener(createServer(speak), { host: OUTSIDE, port }),
    (port) => useListener(inside(), { host: '127.0.0.1', port }),
    (port) => useListener(inside(), { host: '::1', port }),
  )) as [Listener, Listener, Listener];
  const names = new Map<string, string[][]>();
  const attempts: string[] = [];
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function noted(this: Socket, ...args: unknown[]) {
    const [options] = [args[0]].flat() as [{ host?: string; port?: number | string }];
    if (typeof options === 'object' && Number(options?.port) === outside.port)
      this.once('connectionAttempt', (ip: string) => void attempts.push(ip));
    return (connect as (...given: unknown[]) => Socket).apply(this, args);
  } as typeof connect;
  cleanUp(() => {
    Socket.prototype.connect = connect;
  });
  return {
    port: outside.port,
    policy: { allow: parseAllowList(OUTSIDE), loopback: false },
    async lookup(name) {
      const known = names.get(name) ?? [];
      const addresses = known.length > 1 ? known.shift() : known[0];
      if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
    resolveTo: (name, ...lists) => void names.set(name, lists),
    answerWith(status, headers, body) {
      const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
      answer = `HTTP/1.1 ${status} So\r\nconnection: close\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
    },
    takeAttempts: () => attempts.splice(0),
  };
}
