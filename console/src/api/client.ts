import { type Client, createClient } from '@parley/sdk';

/** The path of a reverse proxy before `/console`; mostly empty. */
export const basePath = document.documentElement.dataset.base ?? '';

let tenantId: string | undefined;
/** The tenant that all requests of this tab are for. */
export function setTenantForRequests(id: string): void {
  tenantId = id;
}

/** What every function of `@parley/sdk` gets first. The browser adds the cookie of the session. */
export const client: Client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'parley-tenant': tenantId }),
});
