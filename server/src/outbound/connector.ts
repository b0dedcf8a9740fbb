import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { createCache } from '../base/cache.ts';
import { type OutboundPolicy, plainName, validateDestination } from './addresses.ts';
import { describeFailure, OutboundError } from './outbound-error.ts';
import { noPublicAddress } from './validate-url.ts';

/** Resolves a name to all of its addresses. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The progress of one connection attempt; the request that waits for it reads its timings here. */
export interface ConnectionProgress {
  /** What it does at the moment, such as 'connecting', for error messages. */
  step: string;
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  cancel: () => void;
}

/** Called with the reason why a host has no address to connect to, which only the operator may see. */
export type OnRefusal = (host: string, reason: string) => void;

export interface ConnectorOptions extends OutboundPolicy {
  lookup: Lookup | undefined;
  onRefusal?: OnRefusal;
  ca: string | undefined;
  /** The ALPN protocols; mail servers may refuse clients that offer an unknown one. */
  protocols?: string[];
}

type Connect = (
  target: buildConnector.Options,
  progress: ConnectionProgress,
  callback: buildConnector.Callback,
) => void;

// With several addresses, Node tries the next after this time; its default of 250 ms is less than some round trips.
const ADDRESS_ATTEMPT_MS = 500;

const resolveWithSystem: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** Resolves names to addresses, and refuses names with an address that is not allowed. */
export function guardedLookup(options: ConnectorOptions): Lookup {
  const resolve = shareRunningLookups(options.lookup ?? resolveWithSystem, options.onRefusal);
  return (hostname) => checkedAddresses(options, resolve, hostname);
}

/**
 * Opens connections to validated addresses only. undici's own connector takes a `lookup` too, but Node skips it for a
 * literal address, and it reports neither sockets nor timings per request. Here the addresses are validated first, and
 * Node then gets exactly these, so that it cannot resolve the name again to something else.
 */
export function guardedConnector(options: ConnectorOptions): Connect {
  const resolve = guardedLookup(options);
  const sessions = createCache<string, Buffer>(1000);

  return (target, progress, callback) => {
    const { hostname } = target;
    let socket: Socket | undefined;
    let isOver = false;
    progress.cancel = () => {
      isOver = true;
      socket?.destroy();
    };
    const finish = (error: OutboundError | undefined): void => {
      if (isOver) return;
      isOver = true;
      if (error !== undefined) callback(error, null);
      else if (socket !== undefined) callback(null, socket);
    };

    const startedAt = performance.now();
    progress.step = 'resolving the name';
    const open = (addresses: readonly LookupAddress[]): void => {
      if (isOver) return;
      const checkedAt = performance.now();
      if (isIP(hostname) === 0) progress.lookupMs = checkedAt - startedAt;
      progress.step = 'connecting';
      let connectedAt: number | undefined;
      const secure = target.protocol === 'https:';
      socket = secure ? openSecure(target, addresses) : openTcp(tcpOptions(target, addresses, 80));
      socket
        .once('connect', () => {
          connectedAt = performance.now();
          progress.connectMs = connectedAt - checkedAt;
          progress.step = 'securing the connection';
          if (!secure) finish(undefined);
        })
        .once('secureConnect', () => {
          progress.tlsMs = performance.now() - (connectedAt ?? checkedAt);
          finish(undefined);
        })
        .on('error', (cause) => {
          const phase = connectedAt === undefined ? 'connect' : 'tls';
          const what = phase === 'tls' ? 'The TLS handshake with' : 'The connection to';
          finish(
            new OutboundError(phase, `${what} ${hostname} failed: ${describeFailure(cause)}.`, { cause }),
          );
        });
    };
    resolve(hostname).then(open).catch(finish);
  };

  function openSecure(target: buildConnector.Options, addresses: readonly LookupAddress[]): Socket {
    const { hostname } = target;
    const tcp = tcpOptions(target, addresses, 443);
    // Node does not check the certificate of a resumed session again, so sessions are stored by name.
    const sessionKey = `${hostname}:${tcp.port}`;
    const session = sessions.get(sessionKey);
    return openTls({
      ...tcp,
      servername: isIP(hostname) === 0 ? plainName(hostname) : '',
      ...(options.protocols === undefined ? {} : { ALPNProtocols: options.protocols }),
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(session === undefined ? {} : { session }),
    }).on('session', (fresh) => sessions.set(sessionKey, fresh));
  }
}

async function checkedAddresses(
  options: ConnectorOptions,
  resolve: Lookup,
  hostname: string,
): Promise<readonly LookupAddress[]> {
  const literal = isIP(hostname) !== 0;
  const addresses = literal ? [{ address: hostname, family: isIP(hostname) }] : await resolve(hostname);
  for (const { address } of addresses) {
    const decision = validateDestination(options, hostname, address);
    if (decision.allowed) continue;
    options.onRefusal?.(hostname, `${address} is ${decision.reason}`);
    // The same as for a name that does not exist, also in its phase: that decides about retries, which a tenant can see.
    throw new OutboundError(literal ? 'refused' : 'lookup', noPublicAddress(hostname));
  }
  return addresses;
}

/**
 * One lookup for all connections that wait for the same name at the same time. getaddrinfo has two threads of libuv's
 * pool by default, and an endpoint with a hanging name server must not occupy them 32 times. Nothing is cached: the
 * next connection resolves and validates again.
 */
function shareRunningLookups(lookup: Lookup, onRefusal: OnRefusal | undefined): Lookup {
  const running = new Map<string, Promise<readonly LookupAddress[]>>();
  const resolve = async (hostname: string): Promise<readonly LookupAddress[]> => {
    try {
      const addresses = await lookup(hostname);
      if (addresses.length > 0) return addresses;
    } catch (cause) {
      onRefusal?.(hostname, describeFailure(cause));
      throw new OutboundError('lookup', noPublicAddress(hostname), { cause });
    }
    onRefusal?.(hostname, 'the name has no address');
    throw new OutboundError('lookup', noPublicAddress(hostname));
  };
  return (hostname) => {
    const known = running.get(hostname);
    if (known !== undefined) return known;
    const lookingUp = resolve(hostname);
    const remove = (): void => void running.delete(hostname);
    running.set(hostname, lookingUp);
    lookingUp.then(remove, remove);
    return lookingUp;
  };
}

function tcpOptions(
  target: buildConnector.Options,
  addresses: readonly LookupAddress[],
  defaultPort: number,
) {
  const lookup: LookupFunction = (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
  return {
    host: target.hostname,
    port: Number(target.port || defaultPort),
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    highWaterMark: 64 * 1024,
  };
}
