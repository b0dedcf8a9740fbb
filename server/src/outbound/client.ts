import { LRUCache } from 'lru-cache';
import { Client } from 'undici';
import type { AllowList } from './addresses.ts';
import { type ConnectionProgress, guardedConnector, type Lookup } from './connector.ts';
import {
  type Exchange,
  type OutboundRequest,
  type OutboundResponse,
  startExchange,
  type Target,
} from './exchange.ts';
import { OutboundError } from './outbound-error.ts';
import { guardedSockets, type OutboundSockets } from './sockets.ts';
import { validateUrl } from './validate-url.ts';

/** Everything that leaves: HTTP by `request`, and sockets for what is not HTTP, which belong to whoever asked for them. */
export interface OutboundClient extends OutboundSockets {
  /** Sends one request and reads its response, whatever the status; every failure is an `OutboundError`. */
  request(request: OutboundRequest): Promise<OutboundResponse>;
  /** Takes no more requests, waits for those underway, and closes every connection. */
  close(): Promise<void>;
}

export interface OutboundClientOptions {
  allow: AllowList;
  loopback: boolean;
  /** Answers with all addresses of a name; the system's resolver when left out. */
  lookup?: Lookup;
  /** Connections to one origin at a time; further requests wait for one of them. */
  perOrigin?: number;
  /** Open connections without a request, over all origins; the one that rested longest is closed. */
  maxIdle?: number;
  /** Certificates to trust instead of Node's own. */
  ca?: string;
}

/** One connection, with at most one request on it. */
interface OriginConnection extends ConnectionProgress {
  readonly client: Client;
  readonly origin: Origin;
}

interface Origin {
  readonly key: string;
  readonly resting: OriginConnection[];
  readonly waiting: Exchange[];
  connections: number;
}

// A resting connection is closed after this time, or when the peer's own `Keep-Alive: timeout` ends, up to the
// second figure. An origin is forgotten with its last connection, so nothing is kept for endpoints that are quiet.
const KEEP_ALIVE_MS = 4_000;
const KEEP_ALIVE_MAX_MS = 30_000;

const ignore = (): void => {};

/**
 * The one guarded HTTP client. undici's `Client` speaks HTTP on one connection each; sharing these out is done here,
 * because in undici's `Pool` a request that is past its deadline stays in the queue: behind an origin that hangs, it
 * holds up the live ones and opens a connection of its own when its turn comes. Here the deadline takes the request
 * out of the queue and its half-open connection with it.
 */
export function outboundClient(options: OutboundClientOptions): OutboundClient {
  const { perOrigin = 32, maxIdle = 1024 } = options;
  const guarded = { ...options, lookup: options.lookup, ca: options.ca };
  const connect = guardedConnector({ ...guarded, protocols: ['http/1.1'] });
  const origins = new Map<string, Origin>();
  /** All resting lanes, in the order in which they came to rest. */
  const resting = new Set<OriginConnection>();
  /** What a URL itself says never changes, and judging and taking it apart would be a tenth of a request's cost. */
  const targets = new LRUCache<string, Target | OutboundError>({ max: 2000 });
  let underway = 0;
  let closing: Promise<void> | undefined;
  let whenQuiet = ignore;

  function findTarget(text: string): Target | OutboundError {
    let target = targets.get(text);
    if (target === undefined) {
      const decision = validateUrl(text, options);
      target = decision.ok ? targetOf(decision.url) : new OutboundError('refused', decision.reason);
      targets.set(text, target);
    }
    return target;
  }

  function openConnection(origin: Origin): OriginConnection {
    const client = new Client(origin.key, {
      connect: (target, callback) => connect(target, connection, callback),
      pipelining: 1,
      // The request's own deadline is the only one.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    });
    const connection: OriginConnection = {
      client,
      origin,
      doing: '',
      lookupMs: null,
      connectMs: null,
      tlsMs: null,
      cancel: ignore,
    };
    client.on('disconnect', () => {
      if (resting.has(connection)) dropConnection(connection);
    });
    origin.connections += 1;
    return connection;
  }

  function dropConnection(connection: OriginConnection): void {
    const { origin } = connection;
    if (resting.delete(connection)) origin.resting.splice(origin.resting.indexOf(connection), 1);
    connection.cancel();
    connection.client.destroy(ignore);
    origin.connections -= 1;
    if (origin.connections === 0 && origin.waiting.length === 0) origins.delete(origin.key);
  }

  function pauseConnection(connection: OriginConnection): void {
    connection.origin.resting.push(connection);
    resting.add(connection);
    if (resting.size <= maxIdle) return;
    const [oldest] = resting;
    if (oldest !== undefined) dropConnection(oldest);
  }

  function resumeConnection(origin: Origin): OriginConnection | undefined {
    // The connection used last is the one whose peer is least likely to be closing it at this moment.
    const connection = origin.resting.pop();
    if (connection !== undefined) resting.delete(connection);
    else if (origin.connections < perOrigin) return openConnection(origin);
    return connection;
  }

  function assign(connection: OriginConnection, exchange: Exchange): void {
    connection.lookupMs = null;
    connection.connectMs = null;
    connection.tlsMs = null;
    connection.doing = 'connecting';
    exchange.connection = connection;
  }

  function serve(connection: OriginConnection, exchange: Exchange): void {
    assign(connection, exchange);
    connection.client.dispatch(exchange.options, exchange.handler);
  }

  function nextWaiting(origin: Origin): Exchange | undefined {
    let exchange = origin.waiting.shift();
    while (exchange?.settled) exchange = origin.waiting.shift();
    return exchange;
  }

  function freeConnection(connection: OriginConnection, isFit: boolean): void {
    const { origin } = connection;
    const next = nextWaiting(origin);
    if (isFit) {
      if (next === undefined) pauseConnection(connection);
      else serve(connection, next);
      return;
    }
    if (next !== undefined) {
      const replacement = openConnection(origin);
      assign(replacement, next);
      // Not at once: a long queue of requests that undici rejects immediately would overflow the stack.
      queueMicrotask(() => {
        if (!next.settled) serve(replacement, next);
      });
    }
    dropConnection(connection);
  }

  return {
    ...guardedSockets(guarded),
    request(request) {
      return new Promise((resolve, reject) => {
        const refuse = (error: OutboundError): void => reject(error);
        if (closing !== undefined)
          return refuse(new OutboundError('aborted', 'The outbound client is closed.'));
        if (request.signal?.aborted) {
          return refuse(new OutboundError('aborted', 'The request was aborted before it began.'));
        }
        const target = findTarget(request.url);
        if (target instanceof OutboundError) return refuse(new OutboundError(target.phase, target.message));
        const unsendable = findUnsendable(request);
        if (unsendable !== undefined) return refuse(new OutboundError('send', unsendable));

        const onAbort = (): void => exchange.fail('aborted', 'The request was aborted');
        const onDeadline = (): void =>
          exchange.fail('deadline', `The deadline of ${request.deadlineMs} ms passed`);
        const exchange = startExchange(request, target, {
          resolve,
          reject,
          release(isFit) {
            clearTimeout(timer);
            request.signal?.removeEventListener('abort', onAbort);
            if (exchange.connection !== undefined)
              freeConnection(exchange.connection as OriginConnection, isFit);
            underway -= 1;
            if (underway === 0) whenQuiet();
          },
        });
        underway += 1;
        // One timer a request: Node keeps timers of one duration in a list, so this costs 0.7 µs of some 80.
        const timer = setTimeout(onDeadline, request.deadlineMs);
        request.signal?.addEventListener('abort', onAbort);

        const key = target.origin;
        let origin = origins.get(key);
        if (origin === undefined) {
          origin = { key, resting: [], waiting: [], connections: 0 };
          origins.set(key, origin);
        }
        const connection = resumeConnection(origin);
        if (connection === undefined) origin.waiting.push(exchange);
        else serve(connection, exchange);
      });
    },

    close() {
      closing ??= closeWhenQuiet();
      return closing;
    },
  };

  async function closeWhenQuiet(): Promise<void> {
    if (underway > 0) {
      await new Promise<void>((resolve) => {
        whenQuiet = resolve;
      });
    }
    const connections = [...resting];
    for (const connection of connections) dropConnection(connection);
    await Promise.all(connections.map((connection) => connection.client.destroy()));
  }
}

const targetOf = (url: URL): Target => ({
  origin: url.origin,
  host: url.host,
  path: url.pathname + url.search,
});

function findUnsendable({ method, headers }: OutboundRequest): string | undefined {
  // CONNECT asks for a tunnel, which would lead past the guard.
  if (method === 'CONNECT') return 'The method CONNECT is not supported.';
  for (const name of Object.keys(headers)) {
    // One allowed host must not open every other site that the same machine serves.
    if (name.length === 4 && name.toLowerCase() === 'host') return 'The header Host follows from the URL.';
  }
  return undefined;
}
