import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { type ConnectorOptions, guardedConnector, guardedLookup } from './connector.ts';
import { OutboundError } from './outbound-error.ts';
import { validateUrl } from './validate-url.ts';

export interface SocketTarget {
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  /** For the name, the connection and TLS together. */
  deadlineMs: number;
}

export interface OutboundSockets {
  /** A connection to a judged address, for what is not HTTP; every failure is an `OutboundError`. */
  connect(target: SocketTarget): Promise<Socket>;
  /** The judged addresses of a host, for a library that connects by itself and is to connect to no other. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** Sockets under the same guard as the HTTP client. They belong to whoever asked for them. */
export function guardedSockets(options: ConnectorOptions): OutboundSockets {
  const open = guardedConnector(options);
  const lookup = guardedLookup(options);

  /** The host as a URL would have it: the parser knows every spelling of an address. */
  function requireHost(host: string): string {
    const decision = validateUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}`, options);
    if (!decision.ok) throw new OutboundError('refused', decision.reason);
    const { hostname, href } = decision.url;
    if (href !== `http://${hostname}/`) throw new OutboundError('refused', `${host} is not a host name.`);
    return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  }

  return {
    async resolve(host) {
      return lookup(requireHost(host));
    },
    async connect({ host, port, secure, deadlineMs }) {
      const hostname = requireHost(host);
      const progress = {
        doing: 'connecting',
        lookupMs: null,
        connectMs: null,
        tlsMs: null,
        cancel: () => {},
      };
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          progress.cancel();
          const what = `The deadline of ${deadlineMs} ms passed while ${progress.doing} (${hostname}:${port}).`;
          reject(new OutboundError('deadline', what));
        }, deadlineMs);
        open(
          { hostname, port: String(port), protocol: secure ? 'https:' : 'http:' },
          progress,
          (error, socket) => {
            clearTimeout(timer);
            if (socket === null) reject(error);
            else resolve(socket);
          },
        );
      });
    },
  };
}
