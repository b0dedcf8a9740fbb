import type { RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parseAllowList } from '../../../src/outbound/addresses.ts';
import type { OutboundClientOptions } from '../../../src/outbound/client.ts';
import { guardedConnector, type Lookup } from '../../../src/outbound/connector.ts';
import type { OutboundRequest } from '../../../src/outbound/exchange.ts';
import { validateUrl } from '../../../src/outbound/validate-url.ts';
import { useHttpServer } from '../../kit/listeners.ts';
import { useOutboundClient } from '../../kit/outbound-client.ts';

// Every answer of a resolver below is a loopback address, so that even a broken guard reaches nothing outside.
async function receiver(listener: RequestListener = (_request, response) => void response.end('ok')) {
  const seen = { requests: 0 };
  const server = await useHttpServer((request, response) => {
    seen.requests += 1;
    listener(request, response);
  });
  return Object.assign(seen, server);
}

const client = (options: Partial<OutboundClientOptions> = {}) =>
  useOutboundClient({ loopback: false, ...options });

const get = (url: string): OutboundRequest => ({
  url,
  method: 'GET',
  headers: {},
  deadlineMs: 5_000,
  maxResponseBytes: 1_000,
});

const answers = (...list: string[]): Lookup => {
  return async () => list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};

const NOTHING_SENT = { bytesSent: false, message: expect.stringContaining('PARLEY_OUTBOUND_ALLOW_HOSTS') };

describe('the destination of a request', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '１２７.０.０.１',
    '[::ffff:127.0.0.1]',
    'localhost',
  ])('S1: a request to %s is refused without a connection', async (host) => {
    const seen = await receiver();
    const lookup = vi.fn(answers('127.0.0.1'));
    await expect(client({ lookup }).request(get(`http://${host}:${seen.port}/`))).rejects.toMatchObject({
      phase: 'refused',
      ...NOTHING_SENT,
    });
    expect([seen.connections(), seen.requests]).toEqual([0, 0]);
    expect(lookup).not.toHaveBeenCalled();
  });

  test('S1: the connector itself refuses a literal address, which Node would not resolve', async () => {
    const seen = await receiver();
    const lookup = vi.fn(answers('127.0.0.1'));
    const connect = guardedConnector({ allow: parseAllowList(''), loopback: false, lookup, ca: undefined });
    const progress = { step: '', lookupMs: null, connectMs: null, tlsMs: null, cancel: () => {} };
    const target = { hostname: '127.0.0.1', protocol: 'http:', port: String(seen.port) };
    const error = await new Promise((resolve) =>
      connect(target, progress, (...outcome) => resolve(outcome[0])),
    );
    expect(error).toMatchObject({ phase: 'refused', ...NOTHING_SENT });
    expect(seen.connections()).toBe(0);
    expect(lookup).not.toHaveBeenCalled();
  });

  test('S2: a name that is public at creation and private at sending is refused without a connection', async () => {
    const seen = await receiver();
    const url = `http://rebound.example:${seen.port}/`;
    expect(validateUrl(url, { allow: parseAllowList(''), loopback: false })).toMatchObject({ ok: true });
    const refused = client({ lookup: answers('127.0.0.1') }).request(get(url));
    await expect(refused).rejects.toMatchObject({ phase: 'lookup', ...NOTHING_SENT });
    await expect(refused).rejects.not.toThrow('127.0.0.1');
    expect(seen.connections()).toBe(0);
  });

  // Only 127.0.0.2 is allowed, and the receiver listens on 127.0.0.1, so a forbidden connection would be counted.
  test.each([
    [['127.0.0.2', '127.0.0.1']],
    [['127.0.0.1', '127.0.0.2']],
    [['127.0.0.2', '127.0.0.2', '::ffff:127.0.0.1']],
    [['127.0.0.2', '::1%lo']],
    [['127.0.0.2', 'not an address']],
  ])('S2: one forbidden address refuses all of %j', async (list) => {
    const seen = await receiver();
    const mixed = client({ allow: parseAllowList('127.0.0.2'), lookup: answers(...list) });
    await expect(mixed.request(get(`http://mixed.example:${seen.port}/`))).rejects.toMatchObject({
      phase: 'lookup',
      ...NOTHING_SENT,
    });
    expect(seen.connections()).toBe(0);
  });

  test('S2: a name without an address is a failed lookup', async () => {
    const failed = async (): Promise<never> => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND gone.example'), { code: 'ENOTFOUND' });
    };
    const throwing = (): never => {
      throw new Error('no resolver');
    };
    for (const lookup of [answers(), failed, throwing]) {
      const unresolved = client({ loopback: true, lookup });
      for (const attempt of [1, 2]) {
        const request = unresolved.request(get('http://gone.example/'));
        await expect(request, `attempt ${attempt}`).rejects.toMatchObject({
          phase: 'lookup',
          bytesSent: false,
        });
      }
    }
  });

  test('X19: a private address, a name with one, and an unknown name have one wording; the operator gets the reason', async () => {
    const known: string[] = [];
    const failures = new Map<string, unknown>();
    const hosts: Record<string, string[]> = {
      'db.internal': ['10.0.0.7'],
      'own.example': ['127.0.0.1'],
      'empty.internal': [],
    };
    const guarded = client({
      lookup: async (name) => {
        const found = hosts[name];
        if (!found) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
        return found.map((address) => ({ address, family: 4 }));
      },
      onRefusal: (host, reason) => void known.push(`${host}: ${reason}`),
    });
    for (const host of ['db.internal', 'own.example', 'empty.internal', 'gone.internal']) {
      const error = await guarded.request(get(`http://${host}/`)).catch((reason) => reason);
      failures.set(error.message.replace(host, 'HOST'), error.phase);
    }
    expect([...failures]).toEqual([
      [expect.stringMatching(/HOST.*no public address.*PARLEY_OUTBOUND_ALLOW_HOSTS/), 'lookup'],
    ]);
    const literal = await guarded.request(get('http://10.0.0.7/')).catch((reason) => reason);
    expect(literal.message.replace('10.0.0.7', 'HOST')).toBe([...failures.keys()][0]);
    expect(known).toEqual([
      'db.internal: 10.0.0.7 is a private address',
      'own.example: 127.0.0.1 is a loopback address',
      'empty.internal: the name has no address',
      expect.stringContaining('gone.internal: getaddrinfo ENOTFOUND'),
    ]);
  });

  test('S2: an open connection is used again, and every new connection is validated again', async () => {
    const seen = await receiver((request, response) => {
      if (request.url === '/last') response.setHeader('connection', 'close');
      response.end('ok');
    });
    const lookup = vi.fn(answers('127.0.0.1'));
    const rebound = client({ allow: parseAllowList('127.0.0.1'), lookup });
    const first = await rebound.request(get(`http://rebound.example:${seen.port}/`));
    const second = await rebound.request(get(`http://rebound.example:${seen.port}/last`));
    expect([first.timings.lookupMs, first.timings.connectMs]).toEqual([
      expect.any(Number),
      expect.any(Number),
    ]);
    expect([second.timings.lookupMs, second.timings.connectMs]).toEqual([null, null]);
    expect(seen.connections()).toBe(1);
    expect(lookup).toHaveBeenCalledTimes(1);

    lookup.mockImplementation(answers('127.0.0.2'));
    const third = rebound.request(get(`http://rebound.example:${seen.port}/`));
    await expect(third).rejects.toMatchObject({ phase: 'lookup' });
    expect(lookup).toHaveBeenCalledTimes(2);
    expect([seen.connections(), seen.requests]).toEqual([1, 2]);
  });

  test('connections that wait for the same name share one lookup, and each validates the answer', async () => {
    const seen = await receiver();
    const lookup = vi.fn(answers('127.0.0.1'));
    const many = client({ lookup });
    const requests = Array.from({ length: 10 }, () => many.request(get(`http://busy.example:${seen.port}/`)));
    for (const outcome of await Promise.allSettled(requests)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { phase: 'lookup' } });
    }
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(seen.connections()).toBe(0);
  });

  test('what the operator allowed is reached: a name, a network, or this machine', async () => {
    const seen = await receiver();
    const lookup = answers('127.0.0.1');
    for (const [allow, loopback] of [
      ['receiver.lan', false],
      ['127.0.0.0/8', false],
      ['', true],
    ] as const) {
      const opened = client({ allow: parseAllowList(allow), loopback, lookup });
      const response = await opened.request(get(`http://receiver.lan:${seen.port}/`));
      expect(response.status).toBe(200);
    }
    expect(seen.requests).toBe(3);
  });

  test.each([
    301, 302, 303, 307, 308,
  ])('S3: a %d to a private address is returned, not followed', async (status) => {
    const inside = await receiver();
    const outside = await receiver((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${inside.port}/` }).end();
    });
    const response = await client({ loopback: true }).request(get(`http://127.0.0.1:${outside.port}/`));
    expect(response).toMatchObject({ status, headers: { location: `http://127.0.0.1:${inside.port}/` } });
    expect(outside.requests).toBe(1);
    expect(inside.connections()).toBe(0);
  });

  test('proxy variables are ignored', async () => {
    const proxy = await receiver();
    const seen = await receiver();
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      vi.stubEnv(name, name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    await client({ loopback: true }).request(get(`http://127.0.0.1:${seen.port}/`));
    expect([seen.requests, proxy.connections()]).toEqual([1, 0]);
  });

  test('neither a Host header nor CONNECT bypasses the guard', async () => {
    const seen = await receiver();
    const url = `http://127.0.0.1:${seen.port}/`;
    const open = client({ loopback: true });
    for (const odd of [
      { headers: { HOST: 'other.lan' } },
      { method: 'CONNECT' },
      { headers: { 'x-a': 'b\r\nc: d' } },
    ]) {
      const request = open.request({ ...get(url), ...odd });
      await expect(request).rejects.toMatchObject({ phase: 'send', bytesSent: false });
    }
    expect(seen.requests).toBe(0);
  });
});
