import type { Clock } from './base/clock.ts';
import { createSandboxStore } from './channels/sandbox-store.ts';
import type { Database } from './db/database.ts';
import type { FileStore } from './files/store.ts';
import type { OutboundClient } from './outbound/client.ts';
import type { AdapterContext } from './providers/adapter.ts';

interface ContextDeps {
  db: Database;
  clock: Clock;
  outbound: Pick<OutboundClient, 'request' | 'connect' | 'resolve'>;
  baseUrl: () => string;
  files: FileStore;
}

/** What adapters may use: the outbound client, the time, the store of the sandbox. */
export const adapterContext = ({ db, clock, outbound, baseUrl, files }: ContextDeps): AdapterContext => ({
  now: ({ tenantId }) => clock.now(tenantId),
  request: outbound.request,
  connect: outbound.connect,
  resolve: outbound.resolve,
  callbackUrl: (provider, channelId) => `${baseUrl()}/providers/${provider}/${channelId}`,
  sandbox: createSandboxStore(db, clock, files),
});
