import { afterAll, inject } from 'vitest';
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
  /** What it publishes about itself. */
  // biome-ignore lint/suspicious/noExplicitAny: a document of every shape
  document(path: string): Promise<any>;
  /** False where version 2 has come to its end; its tests are skipped there. */
  servesV2: boolean;
  /** The documented operations that it has. */
  operations: readonly Operation[];
  tenant(options?: { plan?: 'free' | 'growth' | 'scale'; rateLimit?: number }): Promise<Tenant>;
  /** Takes every tenant away that was made here, with all that they have. */
  leave(): Promise<void>;
}

/** Whether the suite speaks to a server that someone else has started. */
export const isRemote = process.env.PARLEY_URL !== undefined;

/**
 * The server that is held to the specification: the one at PARLEY_URL, whose operator's token is PARLEY_ADMIN_TOKEN, or
 * one that was started for the suite. Either is spoken to over HTTP and known by nothing else. It must be allowed to send
 * webhooks to 127.0.0.1, as it is unless NODE_ENV is production.
 */
export async function useServerUnderTest(): Promise<ServerUnderTest> {
  const server = await connect(inject('url'), inject('adminToken'));
  if (isRemote) afterAll(() => server.leave());
  return server;
}

/** Fast tests make many requests; only those about the limit want one. */
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

  async function leave(): Promise<void> {
    for (const id of tenantIds.splice(0))
      dataOf(await call('DELETE', `/admin/tenants/${id}`, { token: adminToken }));
  }

  const { status } = await (await tenant()).get('/v2/attributes');
  await leave();
  const document = async (path: string) => (await fetch(`${url}${path}`)).json();
  const servesV2 = status === 200;
  const operations = servesV2 ? [...v3Operations, ...v2Operations] : v3Operations;
  return { url, call, document, servesV2, operations, tenant, leave };
}
