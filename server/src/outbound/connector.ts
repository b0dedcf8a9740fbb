import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction, connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { buildConnector } from 'undici';
import { type OutboundPolicy, plainName, validateDestination } from './addresses.ts';
import { describeFailure, OutboundError } from './outbound-error.ts';
import { UNLESS_ALLOWED } from './validate-url.ts';

/** Resolves a name to all of its addresses. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What one connection attempt is doing; the request that waits for it reads its timings here. */
export interface ConnectionProgress {
  doing: string;
  lookupMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  cancel: () => void;
}

export interface ConnectorOptions extends OutboundPolicy {
  lookup: Lookup | undefined;
  ca: string | undefined;
  /** What is spoken inside TLS; servers of mail may refuse whoever offers a protocol that they do not know. */
  protocols?: string[];
}

type Connect = (
  target: buildConnector.Options,
  progress: ConnectionProgress,
  callback: buildConnector.Callback,
) => void;

// With several addresses, Node goes on to the next after this time; its own 250 ms is less than some round trips.
const ADDRESS_ATTEMPT_MS = 500;

const resolveWithSystem: Lookup = (hostname) => systemLookup(hostname, { all: true });

/** Resolves names to addresses that may all be connected to, and refuses the others. */
export function guardedLookup(options: ConnectorOptions): Lookup {
  const resolve = sharedWhileUnderway(options.lookup ?? resolveWithSystem);
  return (hostname) => checkedAddresses(options, resolve, hostname);
}

/**
 * Opens connections to judged addresses only. undici's own connector takes a `lookup`, too, but Node skips it for
 * a literal address, and neither the socket nor its timings can be told apart by request. Here the addresses are
 * judged first, and Node is then handed exactly these, so no second answer can slip in between.
 */
export function guardedConnector(options: ConnectorOptions): Connect {
  const resolve = guardedLookup(options);
  const sessions = new LRUCache<string, Buffer>({ max: 1000 });

  return (target, progress, callback) => {
    const { hostname } = target;
    let socket: Socket | undefined;
    let over = false;
    progress.cancel = () => {
      over = true;
      socket?.destroy();
    };
    const finish = (error: OutboundError | undefined): void => {
      if (over) return;
      over = true;
      if (error !== undefined) callback(error, null);
      else if (socket !== undefined) callback(null, socket);
    };

    const startedAt = performance.now();
    progress.doing = 'resolving the name';
    const open = (addresses: readonly LookupAddress[]): void => {
      if (over) return;
      const checkedAt = performance.now();
      if (isIP(hostname) === 0) progress.lookupMs = checkedAt - startedAt;
      progress.doing = 'connecting';
      let connectedAt: number | undefined;
      const secure = target.protocol === 'https:';
      socket = secure ? openSecure(target, addresses) : openTcp(tcpOptions(target, addresses, 80));
      socket
        .once('connect', () => {
          connectedAt = performance.now();
          progress.connectMs = connectedAt - checkedAt;
          progress.doing = 'securing the connection';
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
    // Node does not compare a resumed session with the certificate again: one session belongs to one name.
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
  policy: OutboundPolicy,
  resolve: Lookup,
  hostname: string,
): Promise<readonly LookupAddress[]> {
  const literal = isIP(hostname) !== 0;
  const addresses = literal ? [{ address: hostname, family: isIP(hostname) }] : await resolve(hostname);
  for (const { address } of addresses) {
    const decision = validateDestination(policy, hostname, address);
    if (decision.allowed) continue;
    // The address itself stays untold: a tenant should not learn what names mean inside this network.
    const verb = literal ? 'is' : 'resolves to';
    throw new OutboundError('refused', `${hostname} ${verb} ${decision.reason}. ${UNLESS_ALLOWED}`);
  }
  return addresses;
}

/**
 * One question for all connections that wait for the same name at the same time. getaddrinfo has two threads
 * of libuv's pool by default, and one endpoint with a hanging name server must not fill them 32 times. Nothing is
 * kept: the next connection asks again and judges again.
 */
function sharedWhileUnderway(lookup: Lookup): Lookup {
  const underway = new Map<string, Promise<readonly LookupAddress[]>>();
  const ask = async (hostname: string): Promise<readonly LookupAddress[]> => {
    try {
      const addresses = await lookup(hostname);
      if (addresses.length > 0) return addresses;
    } catch (cause) {
      const why = describeFailure(cause);
      throw new OutboundError('lookup', `The name ${hostname} could not be resolved: ${why}.`, { cause });
    }
    throw new OutboundError('lookup', `The name ${hostname} has no address.`);
  };
  return (hostname) => {
    const asked = underway.get(hostname);
    if (asked !== undefined) return asked;
    const answer = ask(hostname);
    const forget = (): void => void underway.delete(hostname);
    underway.set(hostname, answer);
    answer.then(forget, forget);
    return answer;
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
