import { type Client, createClient } from '@parley/sdk';
import { readPreference } from '../app/preferences.ts';

/** The path of a reverse proxy before `/console`; mostly empty. */
export const basePath = document.documentElement.dataset.base ?? '';

let tenantId: string | undefined = readPreference('tenantId');
/** The tenant that all requests of this tab are for. */
export function setTenantForRequests(id: string | undefined): void {
  tenantId = id;
}

/** What every function of `@parley/sdk` gets first. The browser adds the cookie of the session. */
export const client: Client = createClient({
  baseUrl: basePath,
  headers: () => ({ 'parley-tenant': tenantId }),
});
