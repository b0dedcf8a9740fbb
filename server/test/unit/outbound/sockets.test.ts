import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { parseAllowList } from '../../../src/outbound/addresses.ts';
import type { OutboundClientOptions } from '../../../src/outbound/client.ts';
import type { Lookup } from '../../../src/outbound/connector.ts';
import { useTcpServer, useTlsServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';
import { hasOpenssl, selfSigned } from '../../kit/self-signed.ts';

// Every answer of a resolver below is a loopback address, so that even a broken guard reaches nothing outside.
const useGreeter = () => useTcpServer((socket) => void socket.write('hello'));

const sockets = (options: Partial<OutboundClientOptions> = {}) =>
  useOutboundClient({ loopback: false, ...options });

const answers = (...list: string[]): Lookup => {
  return async () => list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const firstWord = async (socket: Socket): Promise<string> => {
  for await (const chunk of socket) return String(chunk);
  return '';
};
const to = (host: string, port: number, more = {}) => ({
  host,
  port,
  secure: false,
  deadlineMs: 5_000,
  ...more,
});
const REFUSED = { phase: 'refused', bytesSent: false };

describe('a socket', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '１２７.０.０.１',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    'localhost',
  ])('S1: to %s is refused without a connection, and so are its addresses', async (host) => {
    const seen = await useGreeter();
    const lookup = vi.fn(answers('127.0.0.1'));
    const { connect, resolve } = sockets({ lookup });
    await expect(connect(to(host, seen.port))).rejects.toMatchObject(REFUSED);
    await expect(resolve(host)).rejects.toMatchObject(REFUSED);
    expect(seen.connections()).toBe(0);
    expect(lookup).not.toHaveBeenCalled();
  });

  test.each([
    'a/b',
    'a?b',
    'a#b',
    'user@a',
    'a:25',
    'a b',
    '',
    'a\\b',
    '127.0.0.1..',
  ])('to %j is refused: it is not a host', async (host) => {
    const lookup = vi.fn(answers('127.0.0.1'));
    const { connect } = sockets({ lookup, loopback: true });
    await expect(connect(to(host, 25))).rejects.toMatchObject(REFUSED);
    expect(lookup).not.toHaveBeenCalled();
  });

  test('S2: to a name with one bad address is refused without a connection', async () => {
    const seen = await useGreeter();
    const { connect, resolve } = sockets({
      allow: parseAllowList('127.0.0.2'),
      lookup: answers('127.0.0.2', '127.0.0.1'),
    });
    const refused = { ...REFUSED, phase: 'lookup' };
    await expect(connect(to('mixed.example', seen.port))).rejects.toMatchObject(refused);
    await expect(resolve('mixed.example')).rejects.toMatchObject(refused);
    expect(seen.connections()).toBe(0);
  });

  test('to an allowed host is opened, and its addresses are returned', async () => {
    const seen = await useGreeter();
    const { connect, resolve } = sockets({
      allow: parseAllowList('relay.lan'),
      lookup: answers('127.0.0.1'),
    });
    expect(await firstWord(await connect(to('relay.lan', seen.port)))).toBe('hello');
    expect(await resolve('RELAY.lan')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });

  test('that fails reports its phase', async () => {
    const { connect } = sockets({ loopback: true, lookup: answers() });
    await expect(connect(to('127.0.0.1', 1))).rejects.toMatchObject({ phase: 'connect', bytesSent: false });
    await expect(connect(to('nowhere.example', 25))).rejects.toMatchObject({ phase: 'lookup' });
    const hanging = sockets({ lookup: () => new Promise(() => {}) });
    await expect(hanging.connect(to('slow.example', 25, { deadlineMs: 20 }))).rejects.toMatchObject({
      phase: 'deadline',
      message: expect.stringContaining('resolving the name'),
    });
  });
});

describe.runIf(hasOpenssl)('a socket inside TLS', () => {
  test('offers no HTTP, and fails if the certificate has another name', async () => {
    const tls = selfSigned('relay.example');
    const alpn: (string | false | null)[] = [];
    const seen = await useTlsServer({ ...tls, ALPNProtocols: ['smtp'] }, (socket) => {
      alpn.push(socket.alpnProtocol);
      socket.write('hello');
    });
    const lookup = answers('127.0.0.1');
    const trusting = sockets({ loopback: true, lookup, ca: tls.cert });
    expect(await firstWord(await trusting.connect(to('relay.example', seen.port, { secure: true })))).toBe(
      'hello',
    );
    expect(alpn).toEqual([false]);
    const wrongName = trusting.connect(to('other.example', seen.port, { secure: true }));
    await expect(wrongName).rejects.toMatchObject({ phase: 'tls' });
    const wary = sockets({ loopback: true, lookup });
    await expect(wary.connect(to('relay.example', seen.port, { secure: true }))).rejects.toMatchObject({
      phase: 'tls',
      bytesSent: false,
    });
  });

  test('to a silent server fails at the deadline', async () => {
    const seen = await useGreeter();
    const { connect } = sockets({ loopback: true });
    const silent = connect(to('127.0.0.1', seen.port, { secure: true, deadlineMs: 50 }));
    // The answer is not TLS, or none comes in time: in both cases there is no connection.
    await expect(silent).rejects.toMatchObject({ bytesSent: false });
  });
});
