import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const GROUPS_OF_NETWORK = 4;

/** One customer of an IPv6 provider has at least a /64, and could use another address for each request. */
export function networkOf(address: string): string {
  if (isIPv4(address) || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6
    ? `${parsed.parts
        .slice(0, GROUPS_OF_NETWORK)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : parsed.toString();
}
