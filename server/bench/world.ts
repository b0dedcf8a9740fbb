import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { request } from 'undici';
import { startEmbedded } from '../src/db/embedded/embedded.ts';
import { onCleanup, type Program, startParley, temporaryFolder } from './processes.ts';

/** Someone who uses the server, without a limit worth the name. */
export interface Tenant {
  tenantId: string;
  token: string;
  call<T>(method: string, path: string, body?: object): Promise<T>;
}

/** What the figures share: one PostgreSQL, the real program on it, and a tenant. */
export interface World extends Tenant {
  server: Program;
  postmasterPid: number;
  databaseUrl: string;
  /** The bench's own connection, to prepare and to look. */
  db: pg.Client;
  /** Another tenant, for a figure that others must not disturb. */
  newTenant(): Promise<Tenant>;
}

const ADMIN_TOKEN = 'operator-token-of-the-benchmark-0123456789';

export async function postmasterOf(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** One call of an API; every answer but a 200 is a failure of the benchmark. */
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

/** With `profileDir`, the server under test writes a CPU profile there when it ends. */
export async function startWorld(profileDir: string | undefined): Promise<World> {
  const folder = await temporaryFolder();
  const embedded = await startEmbedded({ dataDir: folder });
  onCleanup(() => embedded.stop());
  const { host, port, user, password, database } = embedded.connection;
  const databaseUrl = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  const server = await startParley(
    {
      DATABASE_URL: databaseUrl,
      PARLEY_DATA_DIR: folder,
      PARLEY_ADMIN_TOKEN: ADMIN_TOKEN,
      PARLEY_OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
      PARLEY_V2_SUNSET: 'never',
    },
    profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`],
  );
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  onCleanup(() => db.end());
  const asOperator = <T>(path: string, body: object) =>
    callApi<{ data: T }>(server.port, 'POST', path, { token: ADMIN_TOKEN, body });
  const newTenant = async (): Promise<Tenant> => {
    const tenant = { name: 'bench', rateLimit: 1_000_000_000 };
    const { id: tenantId } = (await asOperator<{ id: string }>('/admin/tenants', tenant)).data;
    const { token } = (await asOperator<{ token: string }>(`/admin/tenants/${tenantId}/tokens`, {})).data;
    return {
      tenantId,
      token,
      call: (method, path, body) => callApi(server.port, method, path, { token, body }),
    };
  };
  return {
    ...(await newTenant()),
    server,
    postmasterPid: await postmasterOf(folder),
    databaseUrl,
    db,
    newTenant,
  };
}
