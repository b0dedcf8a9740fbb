import { parseAllowList } from '../../src/outbound/addresses.ts';
import { type OutboundClientOptions, outboundClient } from '../../src/outbound/client.ts';
import { cleanUp } from './clean-up.ts';

/** The real guarded client, which may reach this machine unless the options forbid it. */
export function useOutboundClient(
  options: Partial<OutboundClientOptions> = {},
): ReturnType<typeof outboundClient> {
  const client = outboundClient({ allow: parseAllowList(''), loopback: true, ...options });
  cleanUp(() => client.close());
  return client;
}
