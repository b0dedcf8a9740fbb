import { type Client, createClient } from '@parley/sdk';
import { createClosableFetch } from './closable-fetch.ts';

/** The path of a reverse proxy before `/console`; mostly empty. */
export const basePath = document.documentElement.dataset.base ?? '';

let tenantId: string | undefined;
/** The tenant that all requests of this page are for. */
export function setTenantForRequests(id: string): void {
  tenantId = id;
}

const requests = createClosableFetch((input, init) => fetch(input, init));
export const { close: closeClient, open: reopenClient } = requests;

/** What every function of `@parley/sdk` gets first. The browser adds the cookie of the session. */
export const client: Client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'parley-tenant': tenantId }),
  fetch: requests.send,
});

/** For what concerns the person in no tenant, also after `client` was closed. */
export const personClient: Client = createClient({ baseUrl: basePath });
