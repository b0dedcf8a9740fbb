import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { data } from '../../src/http/answer.ts';
import { read, write } from '../../src/http/route.ts';
import { useBareServer } from '../kit/bare-server.ts';
import { useServer } from '../kit/server.ts';
import { dial, listen, say, send } from '../kit/wire.ts';

const server = await useServer();
const port = await listen(server.system.app.server);

/** The wire needs only a route to call and one to send a body to. */
const routes = [
  read(
    {
      method: 'GET',
      path: '/livez',
      operationId: 'getLiveness',
      tag: 'Test',
      summary: 'Alive?',
      description: 'Alive?',
      access: 'public',
      answer: data(Type.Object({})),
      failures: [],
      example: { answer: {} },
    },
    () => ({}),
  ),
  write(
    {
      method: 'POST',
      path: '/v3/things',
      operationId: 'createThing',
      tag: 'Test',
      summary: 'Make a thing',
      description: 'Makes a thing.',
      access: 'token',
      body: Type.Object({ name: Type.Optional(Type.String()) }),
      answer: data(Type.Object({})),
      failures: [],
      example: { body: {}, answer: {} },
    },
    async () => ({}),
  ),
];

describe('a client that is too slow', async () => {
  const slow = await useBareServer(server, routes, {
    timeouts: { headersMs: 250, requestMs: 400, checkMs: 50 },
  });
  const slowPort = await listen(slow);

  async function drip(head: string, bytes: string): Promise<Awaited<ReturnType<typeof dial>['heard']>> {
    const { socket, heard } = dial(slowPort);
    socket.write(head);
    let at = 0;
    const timer = setInterval(
      () => socket.writable && socket.write(bytes[at++ % bytes.length] as string),
      20,
    );
    return heard.finally(() => clearInterval(timer));
  }

  it('D4: is cut off while it sends its headers one byte at a time', async () => {
    const answer = await drip('GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'a');
    expect(answer.status).toBe(408);
    expect(answer.body.error).toMatchObject({
      messageKey: 'invalid_body_params',
      invalidParams: { request: { key: 'custom', message: 'The request took too long to arrive' } },
      requestId: answer.headers['x-request-id'],
    });
  });

  it('D4: is cut off while it sends its body one byte at a time, and the log has no fault of ours', async () => {
    const tenant = await server.tenant();
    const from = server.logged.length;
    const head =
      `POST /v3/things HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n';
    const answer = await drip(head, ' ');
    expect(answer.status).toBe(408);
    // The server is still there for others, and took nothing for a failure of its own.
    expect((await send(slowPort, 'GET', '/livez')).status).toBe(200);
    expect(server.logged.slice(from).filter((line) => line.includes('internal error'))).toEqual([]);
  });

  it('D4: is not kept waiting for by others', async () => {
    const idle = Array.from({ length: 50 }, () => dial(slowPort));
    for (const { socket } of idle) socket.write('GET /livez HTTP/1.1\r\n');
    expect((await send(slowPort, 'GET', '/livez')).status).toBe(200);
    const answers = await Promise.all(idle.map(({ heard }) => heard));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([408]));
  });
});

describe('a client that hangs up in the middle of its body', () => {
  it('is no failure of the server', async () => {
    const tenant = await server.tenant();
    const from = server.logged.length;
    const { socket, heard } = dial(port);
    socket.write(
      `POST /v3/tokens HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"name":',
      () => setTimeout(() => socket.destroy(), 50),
    );
    await heard;
    const open = () =>
      new Promise((resolve) => server.system.app.server.server.getConnections((_, count) => resolve(count)));
    await expect.poll(open, { timeout: 30_000 }).toBe(0);
    expect(server.logged.slice(from).filter((line) => /internal error|"status":5/.test(line))).toEqual([]);
  });
});

describe('what is not HTTP', () => {
  it.each([
    ['noise', 'hello\r\n\r\n'],
    ['an unknown method', 'FOO /livez HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a name', 'GET /livez HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n'],
    [
      'two lengths',
      'POST /v3/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    ],
    [
      'a length and chunks',
      'POST /v3/tokens HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a path with a NUL', 'GET /v3/\0 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('gets the envelope all the same: %s', async (_, bytes) => {
    const answer = await say(port, bytes);
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    expect(answer.body).toEqual({
      success: false,
      error: {
        messageKey: 'invalid_body_params',
        message: 'Invalid body params',
        invalidParams: { request: { key: 'custom', message: 'The request is not well-formed HTTP' } },
        requestId: answer.headers['x-request-id'],
      },
    });
  });

  it('a request without Host gets the envelope, too, unless it is HTTP/1.0', async () => {
    const answer = await say(port, 'GET /livez HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect([answer.status, answer.body.error.invalidParams]).toEqual([
      400,
      { Host: { key: 'custom', message: 'HTTP/1.1 needs the header Host' } },
    ]);
    expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
    expect((await say(port, 'GET /livez HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('an unknown expectation is ignored', async () => {
    const head = 'HTTP/1.1\r\nHost: x\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n';
    expect((await say(port, `GET /livez ${head}`)).status).toBe(200);
    expect((await say(port, `GET /v3/me ${head}`)).body.error.messageKey).toBe('unauthorized');
  });

  it('headers that are too large are 431', async () => {
    for (const head of [
      `/livez HTTP/1.1\r\nX-Large: ${'a'.repeat(20_000)}`,
      `/${'a'.repeat(20_000)} HTTP/1.1`,
    ]) {
      const answer = await say(port, `GET ${head}\r\nHost: x\r\n\r\n`);
      expect(answer.status).toBe(431);
      expect(answer.body.error.requestId).toBe(answer.headers['x-request-id']);
    }
  });
});

describe('a path over the wire', () => {
  it.each([
    '%zz',
    '%',
    '%ff',
    '%c0%af',
    '%00',
    '..',
    '%2e%2e',
    '.',
    '%2F',
    'a'.repeat(5000),
    '%F0%9F%98%80',
    ';',
    '*',
  ])('names an identifier that is simply not found: %s', async (id) => {
    const tenant = await server.tenant();
    const headers = { authorization: `Bearer ${tenant.token}` };
    const answer = await send(port, 'GET', `/v3/chats/${id}`, { headers });
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'chat_not_found']);
    expect((await send(port, 'GET', `/v3/chats/${id}`)).status).toBe(401);
  });

  it('may be a whole URL, and is guarded like any other', async () => {
    const tenant = await server.tenant();
    const headers = { authorization: `Bearer ${tenant.token}` };
    expect((await send(port, 'GET', 'http://example.com/v3/me', { headers })).status).toBe(200);
    expect((await send(port, 'GET', 'http://example.com/v3/nothing')).status).toBe(401);
    expect((await send(port, 'GET', 'http://example.com')).status).toBe(404);
    expect((await send(port, 'OPTIONS', '*')).body.error.messageKey).toBe('route_not_found');
  });
});

describe('a server that is shutting down', async () => {
  let draining = false;
  const stopping = await useBareServer(server, routes, { isDraining: () => draining });

  it('refuses new requests, says when to come back, and is still alive', async () => {
    const tenant = await server.tenant();
    const headers = { authorization: `Bearer ${tenant.token}` };
    const post = () => stopping.inject({ method: 'POST', url: '/v3/things', headers });
    expect((await post()).statusCode).toBe(200);
    draining = true;
    for (const answer of [await post(), await stopping.inject({ url: '/v3/nothing' })]) {
      expect(answer.statusCode).toBe(503);
      expect(answer.json().error.messageKey).toBe('service_unavailable');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.headers.connection).toBe('close');
      expect(answer.headers['x-request-id']).toBe(answer.json().error.requestId);
    }
    expect((await stopping.inject({ url: '/livez' })).statusCode).toBe(200);
  });
});
