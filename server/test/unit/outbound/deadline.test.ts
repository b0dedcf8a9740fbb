import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { OutboundRequest } from '../../../src/outbound/exchange.ts';
import { useTcpServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';
import { until } from '../../kit/until.ts';

/** A receiver on plain TCP, so that it can misbehave: `onRequest` runs when the first bytes arrive. */
const receiver = (onRequest: (socket: Socket) => void) =>
  useTcpServer((socket) => void socket.once('data', () => onRequest(socket)));

const post = (url: string, deadlineMs = 150): OutboundRequest => ({
  url,
  method: 'POST',
  headers: {},
  body: 'hello',
  deadlineMs,
  maxResponseBytes: 64_000,
});

describe('the deadline', () => {
  test('R7: ends a request to a silent receiver, and its connection', async () => {
    const seen = await receiver(() => {});
    await expect(useOutboundClient().request(post(seen.url))).rejects.toMatchObject({
      phase: 'deadline',
      bytesSent: true,
      message: expect.stringContaining('waiting for the response'),
    });
    await until(() => seen.sockets.size === 0);
  });

  test('R7: ends headers that arrive one byte at a time', async () => {
    const seen = await receiver((socket) => {
      let sent = 0;
      const timer = setInterval(() => socket.write('HTTP/1.1 200 OK\r\nx-slow: yes'[sent++] ?? 'x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(useOutboundClient().request(post(seen.url))).rejects.toMatchObject({
      phase: 'deadline',
      bytesSent: true,
    });
    await until(() => seen.sockets.size === 0);
  });

  test('R7: ends a body that arrives one byte at a time', async () => {
    const seen = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n');
      const timer = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(useOutboundClient().request(post(seen.url))).rejects.toMatchObject({
      phase: 'deadline',
      message: expect.stringContaining('reading the response'),
    });
    await until(() => seen.sockets.size === 0);
  });

  test('R7: an endless body is cut at the limit, and its connection closed', async () => {
    const seen = await receiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write(`2710\r\n${'x'.repeat(10_000)}\r\n`), 1);
      socket.on('close', () => clearInterval(timer));
    });
    const response = await useOutboundClient().request({
      ...post(seen.url, 10_000),
      maxResponseBytes: 25_000,
    });
    expect(response).toMatchObject({ status: 200, truncated: true });
    expect(response.body.length).toBe(25_000);
    await until(() => seen.sockets.size === 0);
  });

  test('R7: a body in chunks of one byte is stored in one buffer up to the limit', async () => {
    const seen = await receiver((socket) => {
      socket.end(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(5_000)}0\r\n\r\n`,
      );
    });
    const response = await useOutboundClient().request({
      ...post(seen.url, 10_000),
      maxResponseBytes: 5_500,
    });
    expect(response.body.toString()).toBe('x'.repeat(5_000));
    expect(response.body.buffer.byteLength).toBeLessThanOrEqual(5_500);
  });

  test('covers a lookup that hangs, and the requests that share it', async () => {
    const seen = await receiver(() => {});
    const hanging = useOutboundClient({ lookup: () => new Promise(() => {}) });
    const url = seen.url.replace('127.0.0.1', 'hanging.example');
    for (const outcome of await Promise.allSettled([1, 2, 3].map(() => hanging.request(post(url))))) {
      expect(outcome).toMatchObject({
        reason: {
          phase: 'deadline',
          bytesSent: false,
          message: expect.stringContaining('resolving the name'),
        },
      });
    }
    expect(seen.connections()).toBe(0);
  });

  test('a lookup that is answered after the deadline opens no connection', async () => {
    const seen = await receiver(() => {});
    const { promise, resolve } = promiseWithResolve<{ address: string; family: number }[]>();
    const late = useOutboundClient({ lookup: () => promise });
    const url = seen.url.replace('127.0.0.1', 'late.example');
    await expect(late.request(post(url, 50))).rejects.toMatchObject({ phase: 'deadline', bytesSent: false });
    resolve([{ address: '127.0.0.1', family: 4 }]);
    await sleep(50);
    expect(seen.connections()).toBe(0);
  });

  test('covers a TLS handshake that hangs', async () => {
    const seen = await receiver(() => {});
    await expect(
      useOutboundClient().request(post(seen.url.replace('http:', 'https:'))),
    ).rejects.toMatchObject({
      phase: 'deadline',
      bytesSent: false,
      message: expect.stringContaining('securing the connection'),
    });
    await until(() => seen.sockets.size === 0);
  });

  test('covers the wait for a free connection, and expired requests delay no others', async () => {
    let hangs = true;
    const seen = await receiver((socket) => {
      if (!hangs) socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    });
    const narrow = useOutboundClient({ perOrigin: 1 });
    const first = narrow.request(post(seen.url, 200));
    const impatient = Array.from({ length: 20 }, () => narrow.request(post(seen.url, 50)));
    const patient = narrow.request(post(seen.url, 10_000));
    for (const outcome of await Promise.allSettled(impatient)) {
      expect(outcome).toMatchObject({
        reason: { phase: 'deadline', bytesSent: false, message: expect.stringContaining('free connection') },
      });
    }
    hangs = false;
    await expect(first).rejects.toMatchObject({ phase: 'deadline', bytesSent: true });
    expect((await patient).status).toBe(204);
    // One for the request that hung, one for the last one: expired requests never had a connection.
    expect(seen.connections()).toBe(2);
  });
});

describe('an aborted request', () => {
  test('ends in any phase and reports whether bytes were sent', async () => {
    const seen = await receiver(() => {});
    const before = useOutboundClient().request({ ...post(seen.url), signal: AbortSignal.abort() });
    await expect(before).rejects.toMatchObject({ phase: 'aborted', bytesSent: false });
    expect(seen.connections()).toBe(0);

    const controller = new AbortController();
    const during = useOutboundClient().request({ ...post(seen.url, 10_000), signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(during).rejects.toMatchObject({ phase: 'aborted', bytesSent: true });
    await until(() => seen.sockets.size === 0);
  });

  test('is not waited for by close, which waits for running requests and accepts no others', async () => {
    const seen = await receiver((socket) => {
      setTimeout(() => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), 50);
    });
    const closing = useOutboundClient();
    const underway = closing.request(post(seen.url, 10_000));
    const closed = closing.close();
    await expect(closing.request(post(seen.url))).rejects.toMatchObject({
      phase: 'aborted',
      bytesSent: false,
    });
    expect((await underway).status).toBe(204);
    await closed;
    await until(() => seen.sockets.size === 0);
  });
});

function promiseWithResolve<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
