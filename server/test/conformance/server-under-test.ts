import { inject } from 'vitest';
import { cleanUp } from '../kit/clean-up.ts';
import { type Answer, type Call, type CallOptions, client, dataOf } from './client.ts';
import { type Operation, v2Operations, v3Operations } from './operations.ts';

export interface Tenant {
  id: string;
  token: string;
  call: Call;
  get(path: string, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  delete(path: string, options?: CallOptions): Promise<Answer>;
  /** Another token of the tenant. */
  tokenWith(scopes: string[]): Promise<string>;
}

export interface ServerUnderTest {
  url: string;
  call: Call;
  /** Fetches a document that it publishes. */
  // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
  document(path: string): Promise<any>;
  /** False after the end of version 2; its tests are then skipped. */
  servesV2: boolean;
  /** Its documented operations. */
  operations: readonly Operation[];
  tenant(options?: { plan?: 'free' | 'growth' | 'scale'; rateLimit?: number }): Promise<Tenant>;
  /** Deletes every tenant that the tests have created. */
  deleteTenants(): Promise<void>;
}

/** Whether the suite calls a server that is already running elsewhere. */
export const isRemote = process.env.PARLEY_URL !== undefined;

/**
 * The server that the suite checks: the one at PARLEY_URL, with the operator token PARLEY_ADMIN_TOKEN, or one that is started
 * for the suite. The suite uses only HTTP. The server must be allowed to send webhooks to 127.0.0.1, which is the default
 * unless NODE_ENV is production.
 */
export async function useServerUnderTest(): Promise<ServerUnderTest> {
  const server = await connect(inject('url'), inject('adminToken'));
  if (isRemote) cleanUp(server.deleteTenants);
  return server;
}

/** Tests make many requests; only those about the limit set one. */
const NO_LIMIT = 1_000_000_000;

export async function connect(url: string, adminToken: string): Promise<ServerUnderTest> {
  const call = client(url);
  const tenantIds: string[] = [];

  async function tenant(options: { plan?: string; rateLimit?: number } = {}): Promise<Tenant> {
    const asOperator = async (path: string, body: unknown) =>
      dataOf(await call('POST', path, { body, token: adminToken }));
    const { id } = await asOperator('/admin/tenants', {
      name: 'Conformance',
      rateLimit: NO_LIMIT,
      ...options,
    });
    tenantIds.push(id);
    const tokenWith = async (scopes: string[]): Promise<string> =>
      (await asOperator(`/admin/tenants/${id}/tokens`, { scopes })).token;
    const token = await tokenWith(['*']);
    const callAs: Call = (method, path, more) => call(method, path, { token, ...more });
    return {
      id,
      token,
      tokenWith,
      call: callAs,
      get: (path, more) => callAs('GET', path, more),
      post: (path, body, more) => callAs('POST', path, { body, ...more }),
      put: (path, body, more) => callAs('PUT', path, { body, ...more }),
      delete: (path, more) => callAs('DELETE', path, more),
    };
  }

  async function deleteTenants(): Promise<void> {
    for (const id of tenantIds.splice(0))
      dataOf(await call('DELETE', `/admin/tenants/${id}`, { token: adminToken }));
  }

  const { status } = await (await tenant()).get('/v2/attributes');
  await deleteTenants();
  const document = async (path: string) => (await fetch(`${url}${path}`)).json();
  const servesV2 = status === 200;
  const operations = servesV2 ? [...v3Operations, ...v2Operations] : v3Operations;
  return { url, call, document, servesV2, operations, tenant, deleteTenants };
}
