import type { Clock } from './base/clock.ts';
import type { OutboundClient } from './outbound/client.ts';
import { OutboundError } from './outbound/outbound-error.ts';
import type { AdapterContext } from './providers/adapter.ts';

interface ContextNeeds {
  clock: Clock;
  outbound: Pick<OutboundClient, 'request'>;
  baseUrl: () => string;
}

const refuse = async (): Promise<never> => {
  throw new OutboundError('refused', 'Only HTTP can be spoken to the outside.');
};

/** All that adapters may use of the world. */
export const adapterContext = ({ clock, outbound, baseUrl }: ContextNeeds): AdapterContext => ({
  now: clock.now,
  request: outbound.request,
  connect: refuse,
  callbackUrl: (provider, channelId) => `${baseUrl()}/providers/${provider}/${channelId}`,
  sandbox: { accept: refuse, find: refuse },
});
