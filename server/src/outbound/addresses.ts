import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import ipaddr from 'ipaddr.js';
import { OperatorError } from '../base/errors.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = readonly [address: Address, prefix: number];

/** `reason` is a phrase that completes "… is" and "… resolves to". */
export type AddressDecision = { allowed: true } | { allowed: false; reason: string };

/** What `PARLEY_OUTBOUND_ALLOW_HOSTS` opens. */
export interface AllowList {
  readonly names: ReadonlySet<string>;
  readonly networks: readonly Network[];
}

export interface OutboundPolicy {
  readonly allow: AllowList;
  /** Opens 127/8, ::1 and the name localhost, for programs of the same developer on the same machine. */
  readonly loopback: boolean;
}

/**
 * Loopback is only open while Parley itself is reachable from this machine only, and not in production. Otherwise
 * its callers could call everything else on the machine through it.
 */
export const outboundPolicy = (given: {
  host: string;
  isProduction: boolean;
  allowHosts: string;
}): OutboundPolicy => ({
  allow: parseAllowList(given.allowHosts),
  loopback: !given.isProduction && isLoopbackHost(given.host),
});

function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === 'localhost') return true;
  const address = parseAddress(host);
  return address !== undefined && isInNetworks(LOOPBACK, address);
}

// The ranges of ipaddr.js classify `168.63.129.16`, `::7f00:1`, `::5efe:7f00:1` and `4000::1` as unicast, so these
// lists are complete and the library only parses and compares.
const REFUSED_IPV4 = networks({
  '0.0.0.0/8': 'an address of "this network"',
  '10.0.0.0/8': 'a private address',
  '100.64.0.0/10': 'an address behind a carrier’s NAT',
  '127.0.0.0/8': 'a loopback address',
  '168.63.129.16/32': 'a metadata address',
  '169.254.0.0/16': 'a link-local or metadata address',
  '172.16.0.0/12': 'a private address',
  '192.0.0.0/24': 'a reserved address',
  '192.0.2.0/24': 'a documentation address',
  '192.88.99.0/24': 'a reserved address',
  '192.168.0.0/16': 'a private address',
  '198.18.0.0/15': 'a benchmarking address',
  '198.51.100.0/24': 'a documentation address',
  '203.0.113.0/24': 'a documentation address',
  '224.0.0.0/4': 'a multicast address',
  '240.0.0.0/4': 'a reserved address',
});
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const REFUSED_PUBLIC_IPV6 = networks({
  '2001::/23': 'a reserved address',
  '2001:db8::/32': 'a documentation address',
  '2002::/16': 'a 6to4 address',
  '3fff::/20': 'a documentation address',
});
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
const LOOPBACK: readonly Network[] = [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')];

function networks(reasons: Record<string, string>): readonly (readonly [Network, string])[] {
  return Object.entries(reasons).map(([cidr, reason]) => [ipaddr.parseCIDR(cidr), reason]);
}

/** Whether `ip`, as a resolver or a normalized URL spells it, is a public address. Anything else is refused. */
export function validateAddress(ip: string): AddressDecision {
  const address = parseAddress(ip);
  if (address === undefined) return { allowed: false, reason: 'not a plain IP address' };
  const reason = findRefusalReason(address);
  return reason === undefined ? { allowed: true } : { allowed: false, reason };
}

/** Whether a connection to `host` may go to `ip`, which is `host` itself or one of its addresses. */
export function validateDestination(policy: OutboundPolicy, host: string, ip: string): AddressDecision {
  const address = parseAddress(ip);
  if (address !== undefined) {
    if (policy.allow.names.has(plainName(host))) return { allowed: true };
    if (policy.loopback && isInNetworks(LOOPBACK, address)) return { allowed: true };
    if (isInNetworks(policy.allow.networks, address)) return { allowed: true };
    // With DNS64, an allowed IPv4 address is also resolved to its NAT64 address.
    const inner = nat64Inner(address);
    if (inner !== undefined && isInNetworks(policy.allow.networks, inner)) return { allowed: true };
  }
  return validateAddress(ip);
}

/** A host name without the final dot: `example.org.` is the same host as `example.org`. */
export const plainName = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host);

/** Reads `PARLEY_OUTBOUND_ALLOW_HOSTS`: exact host names, addresses and CIDRs, separated by commas. */
export function parseAllowList(text: string): AllowList {
  const names = new Set<string>();
  const networks: Network[] = [];
  for (const entry of text.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const network = findNetwork(entry);
    if (network !== undefined) networks.push(network);
    else names.add(requireName(entry));
  }
  return { names, networks };
}

function parseAddress(ip: string): Address | undefined {
  // A zone id names an interface of this machine, so nothing behind one is public.
  if (isIP(ip) === 0 || ip.includes('%')) return undefined;
  // `process` turns an IPv4-mapped IPv6 address into the IPv4 address that the kernel would connect to.
  return ipaddr.process(ip);
}

function findRefusalReason(address: Address): string | undefined {
  if (address instanceof ipaddr.IPv4) return firstMatch(REFUSED_IPV4, address);
  const inner = nat64Inner(address);
  if (inner !== undefined) return findRefusalReason(inner);
  if (address.match(PUBLIC_IPV6)) return firstMatch(REFUSED_PUBLIC_IPV6, address);
  return isInNetworks(LOOPBACK, address) ? 'a loopback address' : 'an address outside the public IPv6 range';
}

function firstMatch(list: readonly (readonly [Network, string])[], address: Address): string | undefined {
  return list.find(([network]) => contains(network, address))?.[1];
}

function nat64Inner(address: Address): ipaddr.IPv4 | undefined {
  if (address instanceof ipaddr.IPv4 || !address.match(NAT64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

const isInNetworks = (list: readonly Network[], address: Address): boolean =>
  list.some((network) => contains(network, address));

// ipaddr.js throws when an IPv4 address is compared with an IPv6 network.
const contains = ([network, prefix]: Network, address: Address): boolean =>
  network.kind() === address.kind() && address.match(network, prefix);

function findNetwork(entry: string): Network | undefined {
  const [, bracketed, bare, prefixText] = /^(?:\[([^\]]*)\]|([^/[\]]*))(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const ip = bracketed ?? bare ?? '';
  const version = isIP(ip);
  if (version === 0 || ip.includes('%') || (bracketed !== undefined && version !== 6)) return undefined;
  const bits = version === 4 ? 32 : 128;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  if (prefix > bits) return undefined;
  const address = ipaddr.parse(ip);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && prefix >= 96) {
    return [address.toIPv4Address(), prefix - 96];
  }
  return [address, prefix];
}

function requireName(entry: string): string {
  // domainToASCII removes a path or query and decodes percent signs; in this setting they are errors to report.
  const name = /[/?#\\%]/.test(entry) ? '' : plainName(domainToASCII(entry));
  const isName = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/.test(name);
  // A numeric last label is an address in a spelling that people misread: `127.1`, or `010.0.0.1`, which is 8.0.0.1.
  if (!isName || /(^|\.)(0x[0-9a-f]*|\d+)$/.test(name)) {
    throw new OperatorError(
      `PARLEY_OUTBOUND_ALLOW_HOSTS: "${entry}" is not a host name, an address or a CIDR. ` +
        'Write exact names, such as receiver.lan, or networks, such as 10.0.0.0/8, separated by commas.',
    );
  }
  return name;
}
