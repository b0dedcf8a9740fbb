import { isIP } from 'node:net';
import { type OutboundPolicy, plainName, validateDestination } from './addresses.ts';

export type UrlDecision = { ok: true; url: URL } | { ok: false; reason: string };

/** The end of every refusal that the operator can lift. */
export const UNLESS_ALLOWED =
  'Requests never go there, unless the operator names it in PARLEY_OUTBOUND_ALLOW_HOSTS.';

/**
 * Judges only what the URL itself says; no name is looked up. The WHATWG parser has by then turned every
 * spelling of an IPv4 address (`127.1`, `2130706433`, `0x7f.1`, `0177.0.0.1`, full-width digits) into four decimals.
 */
export function validateUrl(text: string, policy: OutboundPolicy): UrlDecision {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return refuse('This is not an absolute URL with a valid host.');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return refuse(`The URL must begin with https:// or http://, not with ${url.protocol}`);
  }
  if (url.username !== '' || url.password !== '') {
    return refuse('The URL must not hold a user name or a password.');
  }
  const literal = literalAddress(url.hostname);
  if (literal !== undefined) {
    const decision = validateDestination(policy, literal, literal);
    return decision.allowed
      ? { ok: true, url }
      : refuse(`${literal} is ${decision.reason}. ${UNLESS_ALLOWED}`);
  }
  const name = plainName(url.hostname);
  // `127.0.0.1..` is no address to the parser, and no name to anybody.
  if (name === '' || name.split('.').includes('')) return refuse(`${url.hostname} is not a valid host name.`);
  const meansThisMachine = name === 'localhost' || name.endsWith('.localhost');
  if (meansThisMachine && !policy.loopback && !policy.allow.names.has(name)) {
    return refuse(`${name} means this machine. ${UNLESS_ALLOWED}`);
  }
  return { ok: true, url };
}

/** The address that a URL's host is, without the brackets of IPv6; undefined when it is a name. */
function literalAddress(hostname: string): string | undefined {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(host) === 0 ? undefined : host;
}

const refuse = (reason: string): UrlDecision => ({ ok: false, reason });
