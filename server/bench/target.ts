import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { createTemporaryFolder, onCleanup, type Program, startParley } from './processes.ts';
import { findShardColumn, shardOf } from './shards.ts';
import { waitUntil } from './wait.ts';

/** A tenant of the server, without an effective rate limit. */
export interface Tenant {
  tenantId: string;
  token: string;
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

/** A server under test with its own PostgreSQL, and a tenant of it. */
export interface Target extends Tenant {
  /** The present process of the server; a restart replaces it. */
  readonly server: Program;
  readonly postmasterPid: number;
  readonly databaseUrl: string;
  /** The benchmark's own connection, for fixtures and checks. */
  readonly db: pg.Client;
  /** The name of the shard column in this commit's tables. */
  readonly shardColumn: string;
  /** Creates another tenant, for a figure that must not be disturbed by others. */
  createTenant(): Promise<Tenant>;
  restart(): Promise<void>;
  /** Starts another process on the same PostgreSQL. */
  startAnother(): Promise<Program>;
}

export interface TargetOptions {
  /** The server folder of the checkout to run. */
  serverRoot: string;
  nodeFlags?: string[];
  databaseSettings?: Record<string, string>;
}

const ADMIN_TOKEN = 'operator-token-of-the-benchmark-0123456789';

export async function readPostmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** One API call. Any answer but a 200 ends the benchmark. */
export async function callApi<T>(
  port: number,
  method: string,
  path: string,
  options: { token?: string; body?: object | undefined } = {},
): Promise<T> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method: method as 'GET',
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    headersTimeout: 0,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  return JSON.parse(text) as T;
}

/** Creates something over the API and returns its id. */
export async function createResource({ call }: Tenant, path: string, body: object): Promise<string> {
  return (await call<{ data: { id: string } }>('POST', path, body)).data.id;
}

export const createSandboxChannel = (
  tenant: Tenant,
  fields: { name: string; address: string; kind?: string; config?: object },
): Promise<string> =>
  createResource(tenant, '/v3/channels', { kind: 'whatsapp', provider: 'sandbox', ...fields });

/** Throws if the server spreads rows over shards in another way than `shardOf`. */
async function requireShardOf(target: Target): Promise<void> {
  const { db, tenantId, shardColumn } = target;
  await createResource(target, '/v3/contacts', { firstName: 'Shard', phoneNumber: '+15550190000' });
  const read = async (): Promise<number | undefined> =>
    (await db.query(`select ${shardColumn} as shard from events where tenant_id = $1 limit 1`, [tenantId]))
      .rows[0]?.shard;
  await waitUntil(async () => (await read()) !== undefined);
  const shard = await read();
  if (shard !== shardOf(tenantId))
    throw new Error(`The server put tenant ${tenantId} into shard ${shard}, not ${shardOf(tenantId)}.`);
}

/**
 * Starts a PostgreSQL and a server on it. Each target has a PostgreSQL of its own, so that checkpoints, vacuuming and idle
 * connections of one server are never charged to another.
 */
export async function startTarget(options: TargetOptions): Promise<Target> {
  const { serverRoot, nodeFlags, databaseSettings = {} } = options;
  const folder = await createTemporaryFolder();
  // It outlives this process unless it is stopped, so the cleanup is registered before the start has finished.
  const starting = startEmbedded({ dataDir: folder, settings: databaseSettings });
  onCleanup(async () => (await starting).stop());
  const { host, port, user, password, database } = (await starting).superuser;
  const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const startServer = (): Promise<Program> =>
    startParley(
      serverRoot,
      {
        DATABASE_URL: databaseUrl,
        PARLEY_DATA_DIR: folder,
        PARLEY_ADMIN_TOKEN: ADMIN_TOKEN,
        PARLEY_OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
        PARLEY_V2_SUNSET: 'never',
      },
      nodeFlags,
    );
  let server = await startServer();
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  onCleanup(() => db.end());

  const callAdmin = async <T>(path: string, body: object): Promise<T> =>
    (await callApi<{ data: T }>(server.port, 'POST', path, { token: ADMIN_TOKEN, body })).data;
  async function createTenant(): Promise<Tenant> {
    const fields = { name: 'bench', rateLimit: 1_000_000_000 };
    const { id: tenantId } = await callAdmin<{ id: string }>('/admin/tenants', fields);
    const { token } = await callAdmin<{ token: string }>(`/admin/tenants/${tenantId}/tokens`, {});
    return {
      tenantId,
      token,
      call: (method, path, body) => callApi(server.port, method, path, { token, body }),
    };
  }

  const target: Target = {
    ...(await createTenant()),
    get server() {
      return server;
    },
    postmasterPid: await readPostmasterPid(folder),
    databaseUrl,
    db,
    shardColumn: await findShardColumn(db),
    createTenant,
    startAnother: startServer,
    async restart() {
      await server.stop();
      server = await startServer();
    },
  };
  await requireShardOf(target);
  return target;
}
