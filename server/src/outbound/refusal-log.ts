import type { Logger } from 'pino';
import { createCache } from '../base/cache.ts';

const MAX_REFUSED_HOSTS = 1_000;
const REFUSAL_LINE_MS = 60_000;

/** Logs why a host has no address to connect to; tenants only see that. At most one line per host and minute. */
export function refusalLog(log: Logger): (host: string, reason: string) => void {
  const logged = createCache<string, true>(MAX_REFUSED_HOSTS, { ttl: REFUSAL_LINE_MS });
  return (host, reason) => {
    if (logged.has(host)) return;
    logged.set(host, true);
    log.info({ host, reason }, 'outgoing request refused');
  };
}
