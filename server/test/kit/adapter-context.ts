import { parseAllowList } from '../../src/outbound/addresses.ts';
import { type OutboundClientOptions, outboundClient } from '../../src/outbound/client.ts';
import type { AdapterContext } from '../../src/providers/adapter.ts';

export const NOW = new Date('2026-11-15T01:02:03.456Z');

/** What adapters get of the world, on the real guarded client. */
export function adapterContext(
  options: Partial<OutboundClientOptions> & { now?: () => Date } = {},
): AdapterContext & { close(): Promise<void> } {
  const { now = () => NOW, ...more } = options;
  const { request, connect, resolve, close } = outboundClient({
    allow: parseAllowList(''),
    loopback: true,
    ...more,
  });
  return {
    now,
    request,
    connect,
    resolve,
    close,
    callbackUrl: (provider, channelId) => `https://parley.test/providers/${provider}/${channelId}`,
    sandbox: {
      accept: async () => {},
      find: async () => undefined,
      readFile: async () => undefined,
    },
  };
}
