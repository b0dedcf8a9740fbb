import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { OutboundClientOptions } from '../../../src/outbound/client.ts';
import type { OutboundRequest } from '../../../src/outbound/exchange.ts';
import { useHttpsServer, useTcpServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';
import { hasOpenssl, selfSigned } from '../../kit/self-signed.ts';
import { until } from '../../kit/until.ts';

const tcpReceiver = (onData: (socket: Socket) => void) =>
  useTcpServer((socket) => void socket.once('data', () => onData(socket)));

const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'POST',
  headers: {},
  body: 'hello',
  deadlineMs: 5_000,
  maxResponseBytes: 64_000,
  ...more,
});

describe('a failure', () => {
  const failure = (url: string, options: Partial<OutboundClientOptions> = {}) =>
    useOutboundClient(options)
      .request(post(url))
      .then(
        () => 'no failure',
        (error: unknown) => error,
      );

  test('to connect means that nothing was sent, with one address or several', async () => {
    const seen = await tcpReceiver(() => {});
    await seen.close();
    expect(await failure(seen.url)).toMatchObject({
      phase: 'connect',
      bytesSent: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    const lookup = async () => ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    const named = await failure(seen.url.replace('127.0.0.1', 'two.example'), { lookup });
    expect(named).toMatchObject({
      phase: 'connect',
      bytesSent: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ['a reset before the response', 'send', (socket) => socket.resetAndDestroy()],
    ['a close before the response', 'send', (socket) => socket.end()],
    [
      'a reset within the headers',
      'response',
      (socket) => socket.write('HTTP/1.1 200 OK\r\nx-a', () => socket.resetAndDestroy()),
    ],
    [
      'a close within the body',
      'response',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'),
    ],
    [
      'a close within a chunk',
      'response',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc'),
    ],
    ['an answer that is not HTTP', 'response', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    [
      'headers without end',
      'response',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(100_000)}`),
    ],
    [
      'an upgrade that nobody asked for',
      'response',
      (socket) => socket.end('HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
  ])('by %s has the phase %s, and bytes were sent', async (_name, phase, onData) => {
    const seen = await tcpReceiver(onData);
    expect(await failure(seen.url)).toMatchObject({ name: 'OutboundError', phase, bytesSent: true });
    expect(seen.connections()).toBe(1);
    await until(() => seen.sockets.size === 0);
  });

  test('of TLS means that nothing was sent: an answer that is not TLS', async () => {
    const seen = await tcpReceiver((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await failure(seen.url.replace('http:', 'https:'))).toMatchObject({
      phase: 'tls',
      bytesSent: false,
    });
  });

  test.skipIf(!hasOpenssl)('of TLS: a certificate that is unknown or has another name', async () => {
    const { key, cert } = selfSigned('receiver.example');
    const seen = await useHttpsServer({ key, cert }, (_request, response) => void response.end('ok'));
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const named = seen.url.replace('127.0.0.1', 'receiver.example');
    const some = expect.any(Number);
    expect(await failure(named, { lookup })).toMatchObject({
      phase: 'tls',
      bytesSent: false,
      timings: { lookupMs: some, connectMs: some, tlsMs: null, waitMs: null, readMs: null, totalMs: some },
    });
    for (const wrong of [seen.url, seen.url.replace('127.0.0.1', 'other.example')]) {
      expect(await failure(wrong, { lookup, ca: cert })).toMatchObject({ phase: 'tls', bytesSent: false });
    }
    const trusting = useOutboundClient({ lookup, ca: cert });
    expect((await trusting.request(post(named))).timings.tlsMs).toBeGreaterThan(0);
    for (const url of [named, named, named.replace('receiver.example', 'receiver.example.')]) {
      expect((await trusting.request(post(url))).body.toString()).toBe('ok');
    }
  });
});
