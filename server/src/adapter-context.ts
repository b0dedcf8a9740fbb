import type { Clock } from './base/clock.ts';
import { sandboxStore } from './channels/sandbox-store.ts';
import type { Database } from './db/database.ts';
import type { FileStore } from './files/store.ts';
import type { OutboundClient } from './outbound/client.ts';
import { OutboundError } from './outbound/outbound-error.ts';
import type { AdapterContext } from './providers/adapter.ts';

interface ContextNeeds {
  db: Database;
  clock: Clock;
  /** The one guarded client; where it can also connect to what is not HTTP, adapters can. */
  outbound: Pick<OutboundClient, 'request'> & Partial<Pick<AdapterContext, 'connect'>>;
  baseUrl: () => string;
  files: FileStore;
}

/** All that adapters may use of the world. */
export const adapterContext = ({ db, clock, outbound, baseUrl, files }: ContextNeeds): AdapterContext => ({
  now: clock.now,
  request: outbound.request,
  connect: async (target) => {
    if (outbound.connect) return outbound.connect(target);
    throw new OutboundError('refused', 'Only HTTP can be spoken to the outside.');
  },
  callbackUrl: (provider, channelId) => `${baseUrl()}/providers/${provider}/${channelId}`,
  sandbox: sandboxStore(db, clock, files),
});
