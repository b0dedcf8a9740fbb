import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { type ConnectorOptions, guardedConnector, guardedLookup } from './connector.ts';
import { OutboundError } from './outbound-error.ts';
import { validateHost } from './validate-url.ts';

interface SocketTarget {
  host: string;
  port: number;
  /** TLS from the first byte. */
  secure: boolean;
  /** For lookup, connection and TLS together. */
  deadlineMs: number;
}

export interface OutboundSockets {
  /** Connects to a validated address, for protocols other than HTTP; every failure is an `OutboundError`. */
  connect(target: SocketTarget): Promise<Socket>;
  /** The validated addresses of a host, for a library that connects by itself and must use no others. */
  resolve(host: string): Promise<readonly LookupAddress[]>;
}

/** Sockets with the same guard as the HTTP client. The caller must close them. */
export function guardedSockets(options: ConnectorOptions): OutboundSockets {
  const open = guardedConnector(options);
  const lookup = guardedLookup(options);

  /** The host as the URL parser normalizes it: it knows every spelling of an address. */
  function requireHost(host: string): string {
    const decision = validateHost(host, options);
    if (!decision.ok) throw new OutboundError('refused', decision.reason);
    const { hostname } = decision.url;
    return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  }

  return {
    async resolve(host) {
      return lookup(requireHost(host));
    },
    async connect({ host, port, secure, deadlineMs }) {
      const hostname = requireHost(host);
      const progress = {
        step: 'connecting',
        lookupMs: null,
        connectMs: null,
        tlsMs: null,
        cancel: () => {},
      };
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          progress.cancel();
          const what = `The deadline of ${deadlineMs} ms passed while ${progress.step} (${hostname}:${port}).`;
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
