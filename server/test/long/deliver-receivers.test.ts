import type { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useHttpsServer, useTcpServer } from '../kit/listeners.ts';
import { useReceiver, verifySignature } from '../kit/receiver.ts';
import { hasOpenssl, selfSigned } from '../kit/self-signed.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { deliveriesOf, subscribe, write } from '../kit/webhooks.ts';

const DEADLINE_MS = 2_000;
const server = await useServer({ deliveryDeadlineMs: DEADLINE_MS });

/** A receiver on plain TCP, so that it can misbehave after the request. */
const bare = (onRequest: (socket: Socket) => void) =>
  useTcpServer((socket) => void socket.once('data', () => onRequest(socket)));
/** Sends a text repeatedly until the connection is closed. */
const forEver = (socket: Socket, what: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => socket.write(what), everyMs);
  socket.on('close', () => clearInterval(timer));
};

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});
async function deliverTo(url: string, at: TestServer = server, from: TestTenant = tenant) {
  const hook = await subscribe(from, url);
  await write(from, from === tenant ? channel : await from.channel(), 'hello');
  await at.settle();
  const [delivery] = await deliveriesOf(from, hook);
  return { hook, delivery, attempt: delivery.attempts[0] };
}

describe('a receiver that does not end its answer', () => {
  it.each<[string, RegExp, (socket: Socket) => void]>([
    ['never answers', /while waiting for the response/, () => {}],
    [
      'sends its headers one byte at a time',
      /while waiting for the response/,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
        forEver(socket, 'x', 20);
      },
    ],
    [
      'sends its body one byte at a time',
      /while reading the response/,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n');
        forEver(socket, 'x', 20);
      },
    ],
  ])('R7: that %s is ended at the deadline, and delays no other', async (_name, message, behave) => {
    const slow = await bare(behave);
    const quick = await useReceiver();
    await subscribe(tenant, quick.url);
    const { delivery, attempt } = await deliverTo(slow.url);
    expect(delivery).toMatchObject({ status: 'pending', attemptCount: 1 });
    expect(attempt.error).toMatch(message);
    expect(attempt.error).toContain(`${DEADLINE_MS} ms`);
    expect(attempt.response).toBeNull();
    expect(attempt.timings.totalMs).toBeGreaterThanOrEqual(DEADLINE_MS - 5);
    expect(attempt.timings.connectMs).not.toBeNull();
    expect(quick.received).toHaveLength(1);
    await expect.poll(() => slow.sockets.size).toBe(0);
  });

  it('R7: with an endless body is read up to 64 kB, and its status counts', async () => {
    let written = 0;
    const huge = await bare((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = Buffer.from(`4000\r\n${'y'.repeat(0x4000)}\r\n`);
      const push = (): void => {
        if (socket.destroyed) return;
        written += chunk.length;
        if (socket.write(chunk)) setImmediate(push);
        else socket.once('drain', push);
      };
      push();
    });
    const { delivery, attempt } = await deliverTo(huge.url);
    expect(delivery.status).toBe('delivered');
    expect(attempt.response.body).toBe('y'.repeat(1024));
    await expect.poll(() => huge.sockets.size).toBe(0);
    // No more than the buffers of two sockets hold.
    expect(written).toBeLessThan(20_000_000);
  });
});

describe('a broken receiver', () => {
  it.each<[string, RegExp, (socket: Socket) => void]>([
    ['resets the connection', /broke before any response/, (socket) => socket.resetAndDestroy()],
    ['hangs up', /broke before any response/, (socket) => socket.end()],
    [
      'breaks off its answer',
      /broken/,
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nha'),
    ],
    ['speaks no HTTP', /broken/, (socket) => socket.end('220 mail.example ESMTP\r\n')],
    [
      'has headers without end',
      /broken/,
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
    ],
  ])('that %s has failed with a clear message', async (_name, message, behave) => {
    const broken = await bare(behave);
    const { delivery, attempt } = await deliverTo(broken.url);
    expect(delivery).toMatchObject({ status: 'pending', attemptCount: 1 });
    expect(attempt.error).toMatch(message);
    expect(attempt.response).toBeNull();
  });

  it('on a closed port has failed with a clear message', async () => {
    const gone = await useReceiver();
    await gone.close();
    const { attempt } = await deliverTo(gone.url);
    expect(attempt).toMatchObject({ response: null, error: expect.stringContaining('ECONNREFUSED') });
  });

  it('without TLS is sent nothing', async () => {
    const plain = await useReceiver();
    const { attempt } = await deliverTo(plain.url.replace('http:', 'https:'));
    expect(attempt.error).toMatch(/^The TLS handshake with 127.0.0.1 failed/);
    expect(attempt.timings).toMatchObject({ connectMs: expect.any(Number), tlsMs: null, waitMs: null });
    expect(plain.received).toEqual([]);
  });

  it.skipIf(!hasOpenssl)(
    'because nobody trusts its certificate was sent nothing, until it is trusted',
    async () => {
      const { key, cert } = selfSigned('receiver.example');
      let requests = 0;
      const secure = await useHttpsServer({ key, cert }, (request, response) => {
        requests += 1;
        request.resume().on('end', () => response.end());
      });
      const url = `https://receiver.example:${secure.port}/`;
      const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
      const policy = { allow: parseAllowList(''), loopback: true };
      for (const ca of [undefined, cert]) {
        const other = await useServer({
          policy,
          outbound: { lookup, ...(ca === undefined ? {} : { ca }) },
        });
        const { delivery, attempt } = await deliverTo(url, other, await other.tenant());
        if (ca === undefined) {
          expect(attempt.error).toMatch(/^The TLS handshake with receiver.example failed/);
          expect(requests).toBe(0);
        } else {
          expect(delivery.status).toBe('delivered');
          expect(attempt.timings.tlsMs).toBeGreaterThan(0);
        }
      }
      expect(requests).toBe(1);
    },
  );
});

describe('a payload', () => {
  it('of almost a megabyte arrives complete and signed, and again on a retry', async () => {
    const target = await useReceiver();
    target.answerWith(500);
    const hook = await subscribe(tenant, target.url);
    const text = '"\\ä𝄞\u2028'.repeat(80_000);
    await storeInbound(server.system.db.forTenant(tenant.id), channel.id, [
      await sandboxBody(channel, { id: 'big', from: '+15550001111', at: server.clock.now(), text }),
    ]);
    await server.settle();
    server.clock.advance(10_000);
    await server.settle();
    expect(target.received).toHaveLength(2);
    for (const delivery of target.received) {
      expect(Buffer.byteLength(delivery.text)).toBeGreaterThan(950_000);
      expect(delivery.body.data.text).toBe(text);
      verifySignature(hook.secret, delivery);
    }
    const [delivery] = await deliveriesOf(tenant, hook);
    expect(delivery.requestBody).toBe(target.received[0]?.text);
  });
});
