import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { OutboundRequest } from '../../../src/outbound/exchange.ts';
import { type Listener, useHttpServer, useTcpServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';
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

describe('a response', () => {
  test('has status, headers, body and timings', async () => {
    const seen = await useHttpServer(async (request, response) => {
      const chunks = await request.toArray();
      const { method, url, headers } = request;
      response
        .writeHead(418)
        .end(JSON.stringify([method, url, headers['x-a'], Buffer.concat(chunks).toString()]));
    });
    for (const body of ['grüße', Buffer.from('grüße')]) {
      const response = await useOutboundClient().request(
        post(`${seen.url}/a%20b?c=d#e`, { headers: { 'X-A': 'b' }, body }),
      );
      expect(response).toMatchObject({ status: 418, truncated: false });
      expect(JSON.parse(response.body.toString())).toEqual(['POST', '/a%20b?c=d', 'b', 'grüße']);
      const { lookupMs, connectMs, tlsMs, waitMs, readMs, totalMs } = response.timings;
      expect([lookupMs, tlsMs]).toEqual([null, null]);
      for (const part of [connectMs, waitMs]) expect(part).toBeGreaterThan(0);
      expect(readMs).toBeGreaterThanOrEqual(0);
      expect(totalMs).toBeGreaterThanOrEqual((connectMs ?? 0) + (waitMs ?? 0) + (readMs ?? 0));
    }
  });

  test('without a body has an empty one: 204, 304 and the answer to HEAD', async () => {
    const seen = await useHttpServer((request, response) => {
      response
        .writeHead(Number(request.url?.slice(1)), { 'content-length': request.method === 'HEAD' ? 9 : 0 })
        .end();
    });
    for (const [method, status] of [
      ['POST', 204],
      ['GET', 304],
      ['HEAD', 200],
    ] as const) {
      const response = await useOutboundClient().request(post(`${seen.url}/${status}`, { method, body: '' }));
      expect(response).toMatchObject({ status, truncated: false });
      expect(response.body.length).toBe(0);
    }
  });

  test('joins repeated headers, and accepts header names such as __proto__', async () => {
    const seen = await tcpReceiver((socket) => {
      const twice = [
        'X-Twice: a',
        'x-twice: b',
        'Set-Cookie: c=1',
        'Set-Cookie: d=2',
        '__proto__: e',
        '__proto__: f',
      ];
      socket.write(`HTTP/1.1 200 OK\r\n${twice.join('\r\n')}\r\nconstructor: g\r\ncontent-length: 0\r\n\r\n`);
    });
    const { headers } = await useOutboundClient().request(post(seen.url));
    expect(headers).toMatchObject({ 'x-twice': 'a, b', 'set-cookie': 'c=1, d=2', constructor: 'g' });
    expect(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value).toBe('e, f');
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
  });

  test('is not decoded, and 1xx statuses before it are ignored', async () => {
    const zipped = gzipSync('hello');
    const seen = await tcpReceiver((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${zipped.length}\r\n\r\n`);
      socket.write(zipped);
    });
    const response = await useOutboundClient().request(post(seen.url));
    expect(response.status).toBe(200);
    expect(response.headers).not.toHaveProperty('link');
    expect(response.body.equals(zipped)).toBe(true);
  });

  test.each([
    'keep-alive',
    'close',
  ])('with "connection: %s" is cut only if it is longer than the limit', async (connection) => {
    const seen = await useHttpServer((_request, response) => {
      response.writeHead(200, { connection, 'content-length': 1_000 }).end('x'.repeat(1_000));
    });
    for (const [maxResponseBytes, truncated] of [
      [0, true],
      [1, true],
      [999, true],
      [1_000, false],
      [1_001, false],
    ] as const) {
      const response = await useOutboundClient().request(post(seen.url, { maxResponseBytes }));
      expect(response.truncated, `cap ${maxResponseBytes}`).toBe(truncated);
      expect(response.body.length).toBe(Math.min(maxResponseBytes, 1_000));
    }
  });
});

describe('connections', () => {
  test('are limited per origin, and all requests are answered', async () => {
    let most = 0;
    let now = 0;
    const seen = await useHttpServer(async (_request, response) => {
      most = Math.max(most, ++now);
      await sleep(2);
      now -= 1;
      response.end('ok');
    });
    const shared = useOutboundClient({ perOrigin: 4 });
    const responses = await Promise.all(Array.from({ length: 40 }, () => shared.request(post(seen.url))));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBe(4);
    expect(seen.connections()).toBe(4);
  });

  test('are replaced after failures: waiting requests are served', async () => {
    let count = 0;
    const seen = await useHttpServer((request, response) => {
      if (++count % 2 === 0) request.socket.resetAndDestroy();
      else response.end('ok');
    });
    const shared = useOutboundClient({ perOrigin: 2 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => shared.request(post(seen.url))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(count).toBe(20);
  });

  test('that are idle are limited over all origins, the one that is idle for longest is closed', async () => {
    const all: Listener[] = [];
    for (let index = 0; index < 4; index += 1)
      all.push(await useHttpServer((_request, response) => void response.end()));
    const few = useOutboundClient({ maxIdle: 2 });
    for (const seen of all) await few.request(post(seen.url));
    await until(() => all[0]?.sockets.size === 0 && all[1]?.sockets.size === 0);
    expect(all.map(({ sockets }) => sockets.size)).toEqual([0, 0, 1, 1]);
    for (const seen of [...all].reverse()) await few.request(post(seen.url));
    expect(all.map(({ connections }) => connections())).toEqual([2, 2, 1, 1]);
  });

  test('are closed with the client', async () => {
    const seen = await useHttpServer((_request, response) => void response.end());
    const closing = useOutboundClient();
    await closing.request(post(seen.url));
    expect(seen.sockets.size).toBe(1);
    await Promise.all([closing.close(), closing.close()]);
    await until(() => seen.sockets.size === 0);
  });
});
