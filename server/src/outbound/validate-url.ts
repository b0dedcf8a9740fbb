import { isIP } from 'node:net';
import { type OutboundPolicy, plainName, validateDestination } from './addresses.ts';

export type UrlDecision = { ok: true; url: URL } | { ok: false; reason: string };

/**
 * The reason for every host without an address that requests may go to. The same for a private address, an unknown name
 * and a name with a private address: a tenant must not learn which names exist inside this network, or how they resolve.
 */
export const noPublicAddress = (host: string): string =>
  `Requests cannot go to ${host}: it has no public address, and the operator does not name it in PARLEY_OUTBOUND_ALLOW_HOSTS.`;

/**
 * Validates the URL itself; no name is resolved. The WHATWG parser has by then turned every
 * spelling of an IPv4 address (`127.1`, `2130706433`, `0x7f.1`, `0177.0.0.1`, full-width digits) into four decimals.
 */
export function validateUrl(text: string, policy: OutboundPolicy): UrlDecision {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refuse('This is not an absolute URL with a valid host.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`The URL must begin with https:// or http://, not with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('The URL must not contain a user name or a password.');
  }
  const literal = literalAddress(url.hostname);
  if (literal !== undefined) {
    const decision = validateDestination(policy, literal, literal);
    return decision.allowed ? { ok: true, url } : refuse(noPublicAddress(literal));
  }
  const name = plainName(url.hostname);
  // For the parser `127.0.0.1..` is not an address, but it is not a valid name either.
  if (name === '' || name.split('.').includes('')) return refuse(`${url.hostname} is not a valid host name.`);
  const isLocalhost = name === 'localhost' || name.endsWith('.localhost');
  if (isLocalhost && !policy.loopback && !policy.allow.names.has(name)) {
    return refuse(noPublicAddress(name));
  }
  return { ok: true, url };
}

/** Validates the name or the address of a host; no name is resolved. */
export function validateHost(host: string, policy: OutboundPolicy): UrlDecision {
  const decision = validateUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}`, policy);
  const isOnlyHost = !decision.ok || decision.url.href === `http://${decision.url.hostname}/`;
  return isOnlyHost ? decision : refuse(`${host} is not a host name.`);
}

/** The address in a URL's host, without the brackets of IPv6; undefined if it is a name. */
function literalAddress(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

const refuse = (reason: string): UrlDecision => ({ ok: false, reason });
