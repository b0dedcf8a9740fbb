import type { OutboundClientOptions } from '../../src/outbound/client.ts';
import type { AdapterContext } from '../../src/providers/adapter-context.ts';
import { useOutboundClient } from './outbound-client.ts';

export const NOW = new Date('2026-11-15T01:02:03.456Z');

/** The context of adapters, with the real guarded client. */
export function useAdapterContext(
  options: Partial<OutboundClientOptions> & { now?: () => Date } = {},
): AdapterContext {
  const { now = () => NOW, ...more } = options;
  const { request, connect, resolve } = useOutboundClient(more);
  return {
    now,
    request,
    connect,
    resolve,
    callbackUrl: (provider, channelId) => `https://parley.test/providers/${provider}/${channelId}`,
    accessToken: async (_channel, { fetch, refreshToken }) => ({
      token: (await fetch(refreshToken)).accessToken,
      isNew: true,
    }),
    sandbox: {
      accept: async () => {},
      find: async () => undefined,
      readFile: async () => undefined,
    },
  };
}
