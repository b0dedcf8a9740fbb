import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type ClientOptions,
  createClient,
  createContact,
  createTenant,
  deleteLabel,
  getChat,
  getFileContent,
  listTenants,
  logIn,
  ParleyError,
  removeContactLabel,
  searchChats,
  updateContact,
  uploadFile,
} from '@parley/sdk';
import { describe, expect, it } from 'vitest';
import { useHttpServer } from '../../kit/listeners.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
const data = (value: unknown): Answer => answer(200, { success: true, data: value });
const failure = (status: number, messageKey: string, headers?: Record<string, string>): Answer =>
  answer(
    status,
    { success: false, error: { messageKey, message: 'No', requestId: 'r-1' } },
    { 'x-request-id': 'r-1', ...headers },
  );
const breakOff: Answer = (_, request) => void request.socket.destroy();
const at = { path: { contactId: 'c' } };

/** A server that gives these answers, the last one for ever, and a client of it. */
async function serverWith(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const requests: { method: string; url: string; headers: IncomingMessage['headers']; text: string }[] = [];
  const { url } = await useHttpServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, text });
    const next = answers.length > 1 ? answers.shift() : answers[0];
    next?.(response, request);
  });
  return { requests, url, client: createClient({ baseUrl: url, token: 'secret', ...options }) };
}

const errorOf = async (call: Promise<unknown>): Promise<ParleyError> => {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ParleyError);
  return error;
};

describe('a client', () => {
  it('sends the token, its headers and the body, and returns the data', async () => {
    const { client, requests } = await serverWith([data({ id: 'c' })], {
      headers: async () => ({ 'parley-tenant': 't', 'x-none': undefined }),
    });
    expect(await createContact(client, { body: { firstName: 'Ada' } })).toEqual({ id: 'c' });
    const [request] = requests;
    expect([request?.method, request?.url, request?.text]).toEqual([
      'POST',
      '/v3/contacts',
      '{"firstName":"Ada"}',
    ]);
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'parley-tenant': 't',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(request?.headers).not.toHaveProperty('x-none');
  });

  it('sends no authorization without a token, and the cookies of the own origin only', async () => {
    const { client, requests, url } = await serverWith([data({ id: 'c' })]);
    const seen: RequestInit[] = [];
    const fetchSeen: typeof fetch = (input, init) => {
      seen.push(init ?? {});
      return fetch(input, init);
    };
    const options = { path: { chatId: 'c' } };
    await getChat(createClient({ baseUrl: `${url}//`, fetch: fetchSeen }), options);
    await getChat({ ...client, fetch: fetchSeen }, options);
    expect(requests.map(({ url: path, headers }) => [path, headers.authorization])).toEqual([
      ['/v3/chats/c', undefined],
      ['/v3/chats/c', 'Bearer secret'],
    ]);
    expect(seen.map(({ credentials }) => credentials)).toEqual(['same-origin', 'omit']);
  });

  it('lets an id lead to no other operation', async () => {
    const { client, requests } = await serverWith([data({})]);
    await getChat(client, { path: { chatId: 'a/../b?x=1#y z' } });
    expect(requests[0]?.url).toBe('/v3/chats/a%2F..%2Fb%3Fx%3D1%23y%20z');
    for (const labelId of ['', '.', '..'])
      await expect(removeContactLabel(client, { path: { contactId: 'c', labelId } })).rejects.toThrow(
        'path.labelId must be an id',
      );
    expect(requests).toHaveLength(1);
  });

  it('writes queries, leaves out what is undefined, and sends no body where there is none', async () => {
    const { client, requests } = await serverWith([data({})]);
    await deleteLabel(client, { path: { labelId: 'l' }, query: { force: true } });
    await deleteLabel(client, { path: { labelId: 'l' }, query: { force: undefined } });
    expect(requests.map(({ url }) => url)).toEqual(['/v3/labels/l?force=true', '/v3/labels/l']);
    expect(requests[0]?.headers).not.toHaveProperty('content-type');
    expect(requests[0]?.headers).not.toHaveProperty('idempotency-key');
  });
});

describe('retries', () => {
  const again = { 'retry-after': '0' };

  it('repeat 429 and 503 with the same Idempotency-Key', async () => {
    const { client, requests } = await serverWith([
      failure(429, 'too_many_requests', again),
      failure(503, 'service_unavailable', again),
      data({ id: 'c' }),
    ]);
    expect(await createContact(client, { body: {} })).toEqual({ id: 'c' });
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    await createContact(client, { body: {} });
    await createContact(client, { body: {}, idempotencyKey: 'mine' });
    expect(requests[3]?.headers['idempotency-key']).not.toBe(keys[0]);
    expect(requests[4]?.headers['idempotency-key']).toBe('mine');
  });

  it('end with the error of the last attempt', async () => {
    const { client, requests } = await serverWith([failure(503, 'service_unavailable', again)]);
    expect(await errorOf(getChat(client, { path: { chatId: 'c' } }))).toMatchObject({
      name: 'ParleyError',
      status: 503,
      messageKey: 'service_unavailable',
      message: 'No',
      requestId: 'r-1',
      retryAfter: 0,
      issues: [],
      parameter: undefined,
    });
    expect(requests).toHaveLength(3);
    await errorOf(getChat({ ...client, retries: 0 }, { path: { chatId: 'c' } }));
    expect(requests).toHaveLength(4);
  });

  it('do not wait for an hour, nor repeat passwords', async () => {
    const later = await serverWith([failure(429, 'too_many_requests', { 'retry-after': '3600' })]);
    expect(await errorOf(getChat(later.client, { path: { chatId: 'c' } }))).toMatchObject({
      retryAfter: 3600,
    });
    expect(later.requests).toHaveLength(1);
    const guess = await serverWith([failure(429, 'too_many_attempts', again)]);
    await errorOf(logIn(guess.client, { body: { email: 'a@example.com', password: 'x' } }));
    expect(guess.requests).toHaveLength(1);
    const date = await serverWith([
      failure(429, 'too_many_requests', { 'retry-after': 'Sun, 06 Nov 1994 08:49:37 GMT' }),
      data({}),
    ]);
    await getChat(date.client, { path: { chatId: 'c' } });
    expect(date.requests).toHaveLength(2);
  });

  it('repeat after a broken connection only what has its effect once', async () => {
    const safe = await serverWith([breakOff, data({ id: 'c' })]);
    for (const call of [
      () => getChat(safe.client, { path: { chatId: 'c' } }),
      () => createContact(safe.client, { body: {} }),
      () => searchChats(safe.client),
      () => uploadFile(safe.client, { body: { file: new File(['hello'], 'hello.txt') } }),
    ])
      await call();
    expect(safe.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST', 'POST']);
    const unsafe = await serverWith([breakOff]);
    for (const call of [
      () => updateContact(unsafe.client, { ...at, body: {} }),
      () => removeContactLabel(unsafe.client, { path: { contactId: 'c', labelId: 'l' } }),
      () => createTenant(unsafe.client, { body: { name: 'x' } }),
    ]) {
      const error = await errorOf(call());
      expect(error).toMatchObject({ status: 0, messageKey: 'connection_failed' });
      expect(error.cause).toBeInstanceOf(TypeError);
    }
    expect(unsafe.requests).toHaveLength(3);
  });

  it('leave an unclear 503 of a POST without a key alone, and repeat it for a PUT', async () => {
    const { client, requests } = await serverWith([failure(503, 'service_unavailable', again)]);
    await errorOf(createTenant(client, { body: { name: 'x' } }));
    expect(requests).toHaveLength(1);
    await errorOf(updateContact(client, { ...at, body: {} }));
    expect(requests).toHaveLength(4);
  });

  it('end at once when the caller aborts', async () => {
    const { client } = await serverWith([failure(429, 'too_many_requests', { 'retry-after': '50' })]);
    const stop = new AbortController();
    const calling = getChat(client, { path: { chatId: 'c' }, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(calling).rejects.toThrow('enough');
    await expect(getChat(client, { path: { chatId: 'c' }, signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('an answer of something else', () => {
  const html: Answer = (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');

  it('is an error, whatever its status', async () => {
    const { client } = await serverWith([html]);
    for (const call of [() => listTenants(client), () => searchChats(client)])
      expect(await errorOf(call())).toMatchObject({ status: 200, messageKey: 'unexpected_answer' });
    for (const body of [
      null,
      [],
      'text',
      1,
      { success: 'true', data: 1 },
      { error: 'x' },
      { error: { messageKey: 1 } },
    ])
      for (const status of [200, 404]) {
        const other = await serverWith([answer(status, body)]);
        expect(await errorOf(listTenants(other.client))).toMatchObject({
          status,
          messageKey: 'unexpected_answer',
        });
      }
  });

  it('is not followed elsewhere', async () => {
    const target = await serverWith([data({})]);
    const { client } = await serverWith([
      (response) => void response.writeHead(302, { location: `${target.url}/v3/chats/c` }).end(),
    ]);
    expect(await errorOf(getFileContent({ ...client, retries: 0 }, { path: { fileId: 'f' } }))).toMatchObject(
      {
        messageKey: 'connection_failed',
      },
    );
    expect(target.requests).toHaveLength(0);
  });
});
