import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { data } from '../../src/http/answer.ts';
import { upload as uploadRoute } from '../../src/http/route.ts';
import { useBareServer } from '../kit/bare-server.ts';
import { collectGarbage } from '../kit/collect-garbage.ts';
import { form, pathOfUrl, storedNames, upload } from '../kit/files.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { dial, listen, send } from '../kit/wire.ts';

const MAX_BYTES = 40 * 1024 * 1024;
const server = await useServer({ maxFileBytes: MAX_BYTES });
const port = await listen(server.system.app.server);

const BODY = form({ content: 'A'.repeat(100_000), filename: 'a.txt' });
const headOf = (token: string, length: number, path = '/v3/files'): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
  `Content-Type: ${BODY.headers['content-type']}\r\nContent-Length: ${length}\r\n\r\n`;

const hangUpOnAnswer = (socket: Socket) => socket.once('data', () => socket.end());

/** An upload that has started and sends no more by itself. */
async function begin(tenant: TestTenant, at: TestServer = server) {
  const before = await storedNames(at);
  const call = dial(await listen(at.system.app.server));
  call.socket.write(headOf(tenant.token, BODY.raw.length));
  call.socket.write(BODY.raw.subarray(0, 50_000));
  const begun = async () => (await storedNames(at)).filter((name) => !before.includes(name));
  await expect.poll(begun).toEqual([expect.stringMatching(/\.part$/)]);
  return call;
}

const leftovers = async (at: TestServer = server) => {
  await at.settle();
  const { rows } = await at.system.db.query('select 1 from file_removals', []);
  return [...(await storedNames(at)).filter((name) => name.endsWith('.part')), ...rows];
};

const CHUNK_BYTES = 64 * 1024;
const LOOK_EVERY_BYTES = 4 * 1024 * 1024;

/** Sends a form with a file of this many bytes over a real connection, as fast as it is read, and returns the answer. */
function pour(token: string, size: number, look?: () => void): Promise<{ status: number; sent: number }> {
  const [head = '', tail = ''] = form({ content: '@@', filename: 'large.bin' }).raw.toString().split('@@');
  const chunk = randomBytes(CHUNK_BYTES);
  return new Promise((resolve, reject) => {
    let sent = 0;
    const headers = { ...BODY.headers, authorization: `Bearer ${token}`, 'transfer-encoding': 'chunked' };
    const call = request({ port, method: 'POST', path: '/v3/files', headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, sent });
        call.destroy();
      });
    });
    call.on('error', reject);
    const more = (): void => {
      while (sent < size && !call.destroyed) {
        sent += CHUNK_BYTES;
        if (sent % LOOK_EVERY_BYTES === 0) look?.();
        if (!call.write(chunk)) {
          call.once('drain', more);
          return;
        }
      }
      call.end(tail);
    };
    call.write(head);
    more();
  });
}

describe('an interrupted upload', () => {
  it('leaves nothing behind and is not an internal error', async () => {
    const tenant = await server.tenant();
    const from = server.logged.length;
    const { socket, heard } = await begin(tenant);
    socket.resetAndDestroy();
    await heard;
    await expect.poll(() => leftovers()).toEqual([]);
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([]);
    expect(server.logged.slice(from).filter((line) => /internal error|"status":5/.test(line))).toEqual([]);
  });

  it('after the death of its process is removed by the next one and cannot be completed', async () => {
    const tenant = await server.tenant();
    const { socket, heard } = await begin(tenant);
    // It is started as the only process, as after a kill: then no other can be receiving an upload.
    const next = await useServer({ databaseUrl: server.databaseUrl });
    expect(await leftovers(next)).toEqual([]);
    await next.stop();
    hangUpOnAnswer(socket);
    socket.write(BODY.raw.subarray(50_000));
    expect((await heard).body.error.message).toContain('send it again');
    expect((await tenant.post('/v3/files/search', {})).body.data).toEqual([]);
  });

  it('after the death of one of several processes is removed when its time is over', async () => {
    const tenant = await server.tenant();
    const { socket, heard } = await begin(tenant);
    await server.settle();
    expect((await storedNames(server)).some((name) => name.endsWith('.part'))).toBe(true);
    server.clock.advance(2 * 3600_000);
    expect(await leftovers()).toEqual([]);
    socket.destroy();
    await heard;
  });
});

describe('a refused upload', () => {
  it('without a valid token is refused before its body is sent', async () => {
    const { socket, heard } = dial(port);
    hangUpOnAnswer(socket);
    socket.write(headOf('wrong', 30_000_000));
    expect((await heard).status).toBe(401);
    expect(await leftovers()).toEqual([]);
  });

  it('D2: over the limit is refused there, and its client gets the answer', async () => {
    const tenant = await server.tenant();
    const { status, sent } = await pour(tenant.token, 50 * MAX_BYTES);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(3 * MAX_BYTES);
    await expect.poll(() => leftovers()).toEqual([]);
  });
});

describe('a large file', () => {
  it('D2: is stored without being in memory as a whole', async () => {
    const tenant = await server.tenant();
    await pour(tenant.token, 1024 * 1024);
    const used = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = used();
    const seen: number[] = [];
    const { status } = await pour(tenant.token, 30 * 1024 * 1024, () => seen.push(used()));
    expect(status).toBe(200);
    expect(seen.length).toBeGreaterThan(5);
    expect(Math.max(...seen) - before).toBeLessThan(8_000_000);
  });

  it('is downloaded completely, and an interrupted download leaves no file open', async () => {
    const tenant = await server.tenant();
    const content = randomBytes(8 * 1024 * 1024);
    const { body } = await upload(tenant, content, 'large.bin');
    const { publicUrl } = (await tenant.get(`/v3/files/${body.data.id}/public_url`)).body.data;
    const whole = await fetch(`http://127.0.0.1:${port}${pathOfUrl(publicUrl)}`);
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    if (process.platform !== 'linux') return;
    const open = (): number => readdirSync('/proc/self/fd').length;
    const before = open();
    for (let times = 0; times < 20; times += 1) {
      const { socket } = dial(port);
      socket.write(`GET ${pathOfUrl(publicUrl)} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    }
    await expect.poll(open).toBeLessThan(before + 5);
  });
});

describe('a slow upload', async () => {
  let goOn: Promise<unknown> = Promise.resolve();
  const pace = { bytes: 1_000, everyMs: 800, maxMs: 3_000 };
  const thingRoute = (path: string, maxMs: number) =>
    uploadRoute(
      {
        method: 'POST',
        path,
        operationId: 'uploadThing',
        tag: 'Test',
        summary: 'Upload',
        description: 'Upload.',
        access: 'token',
        upload: {
          maxBytes: MAX_BYTES,
          pace: { ...pace, maxMs },
          async receive(_tenantId, { bytes }) {
            await goOn;
            let size = 0;
            for await (const chunk of bytes) size += chunk.length;
            return { size, hash: Buffer.alloc(0), release: async () => {} };
          },
        },
        answer: data(Type.Object({ size: Type.Integer() })),
        failures: [],
        example: { answer: { size: 0 } },
      },
      async ({ body }) => ({ size: body.size }),
    );
  const slow = await useBareServer(
    server,
    [thingRoute('/v3/things', pace.maxMs), thingRoute('/v3/large_things', 60_000)],
    { timeouts: { headersMs: 250, requestMs: 400, checkMs: 50 } },
  );
  const slowPort = await listen(slow);

  async function drip(chunk: string, pauseMs: number) {
    const tenant = await server.tenant();
    const { socket, heard } = dial(slowPort);
    socket.write(headOf(tenant.token, BODY.raw.length, '/v3/things'));
    const startedAt = performance.now();
    let position = 0;
    const timer = setInterval(() => {
      if (!socket.writable || position >= BODY.raw.length) return clearInterval(timer);
      socket.write(BODY.raw.subarray(position, position + chunk.length));
      position += chunk.length;
    }, pauseMs);
    hangUpOnAnswer(socket);
    const answer = await heard.finally(() => clearInterval(timer));
    return { answer, ms: performance.now() - startedAt };
  }

  it('may take longer than any other request, as long as bytes keep arriving', async () => {
    const { answer, ms } = await drip('x'.repeat(4_000), 40);
    expect([answer.status, answer.body.data]).toEqual([200, { size: 100_000 }]);
    expect(ms).toBeGreaterThan(600);
  });

  it('D4: is ended if it sends one byte at a time', async () => {
    const { answer, ms } = await drip('x', 10);
    expect(answer.status).toBe(408);
    expect(answer.body.error.invalidParams.request.message).toBe('The request took too long to arrive');
    expect(ms).toBeLessThan(pace.maxMs);
  });

  it('D4: is ended if it takes too long in total', async () => {
    const { answer, ms } = await drip('x'.repeat(200), 20);
    expect(answer.status).toBe(408);
    expect(ms).toBeGreaterThan(2_500);
  });

  it('is not read faster than it can be stored', async () => {
    const tenant = await server.tenant();
    const sockets: Socket[] = [];
    slow.server.on('connection', (socket) => sockets.push(socket));
    let open = (): void => {};
    goOn = new Promise<void>((resolve) => {
      open = resolve;
    });
    const large = form({ content: Buffer.alloc(MAX_BYTES - 1_000), filename: 'a.bin' });
    const pending = send(slowPort, 'POST', '/v3/large_things', {
      headers: { ...large.headers, authorization: `Bearer ${tenant.token}` },
      body: large.raw,
    });
    const reads: number[] = [];
    const standsStill = (): boolean => {
      reads.push(sockets[0]?.bytesRead ?? 0);
      const [before = 0, now] = reads.slice(-2);
      return before > 0 && before === now;
    };
    await expect.poll(standsStill).toBe(true);
    expect(reads.at(-1)).toBeLessThan(2_000_000);
    // A client is not ended for bytes that the server does not read.
    const since = performance.now();
    await expect.poll(() => performance.now() - since, { timeout: 30_000 }).toBeGreaterThan(2 * pace.everyMs);
    open();
    expect((await pending).body.data).toEqual({ size: MAX_BYTES - 1_000 });
  });
});
