import type { Clock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { createAccessTokens } from './channels/access-tokens.ts';
import { createSandboxStore } from './channels/sandbox-store.ts';
import type { Database } from './db/database.ts';
import type { FileStore } from './files/store.ts';
import type { OutboundClient } from './outbound/client.ts';
import type { AdapterContext } from './providers/adapter-context.ts';

interface ContextDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  outbound: Pick<OutboundClient, 'request' | 'connect' | 'resolve'>;
  baseUrl: () => string;
  files: FileStore;
}

/** What adapters may use: the outbound client, the time, access tokens, the store of the sandbox. */
export const adapterContext = ({
  db,
  clock,
  keys,
  outbound,
  baseUrl,
  files,
}: ContextDeps): AdapterContext => ({
  now: ({ tenantId }) => clock.now(tenantId),
  request: outbound.request,
  connect: outbound.connect,
  resolve: outbound.resolve,
  callbackUrl: (provider, channelId) => `${baseUrl()}/providers/${provider}/${channelId}`,
  accessToken: createAccessTokens({ db, clock, keys }),
  sandbox: createSandboxStore(db, clock, files),
});
