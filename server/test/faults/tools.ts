import { join } from 'node:path';
import { expect } from 'vitest';
import { type Call, useApiClient } from './load.ts';
import {
  OPERATOR_TOKEN,
  type Output,
  type ProcessPool,
  type ServerProcess,
  type ToolProcess,
  useProcessPool,
} from './processes.ts';
import { answerAtOnce, type Delivered, type FaultReceiver, useFaultReceiver } from './receiver.ts';

/** A server, a program that receives events, and a user of the command line tools. */
export interface Tools {
  readonly pool: ProcessPool;
  readonly server: ServerProcess;
  readonly receiver: FaultReceiver;
  /** The folder of the user's settings. */
  readonly home: string;
  call: Call;
  /** Kills the server and starts it again on the same port and data folder. */
  restart(): Promise<void>;
  /** Posts a body and returns the data of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  post(path: string, token: string, body: unknown): Promise<any>;
  /** Creates a tenant and returns its token. */
  createTenant(scopes?: string[]): Promise<string>;
  environment(token: string): Record<string, string>;
  /** Runs `parley listen`, which forwards events to the receiver under a name. */
  listen(name: string, token: string, ...more: string[]): ToolProcess;
  trigger(token: string, ...args: string[]): Promise<Output>;
  /** The deliveries of a tenant in the order of their arrival. */
  arrived(token: string): Delivered[];
}

/** The claims in a token. */
export const claimsOf = (token: string): { jti: string; tenantId: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());

/** Stops a tool as a user does. */
export async function stop(tool: ToolProcess): Promise<void> {
  tool.signal('SIGINT');
  expect(await tool.ended, tool.output()).toEqual({ code: 0, signal: null });
}

export async function useTools(): Promise<Tools> {
  const pool = useProcessPool();
  const call = useApiClient(4);
  const receiver = await useFaultReceiver(answerAtOnce);
  const dataDir = await pool.makeDataDir();
  const home = await pool.makeFolder();
  let server = await pool.startServer({ dataDir });
  const post: Tools['post'] = async (path, token, body) =>
    (await call(server.url, path, { token, body })).body.data;
  const environment = (token: string) => ({
    PARLEY_TOKEN: token,
    XDG_CONFIG_HOME: home,
    PARLEY_DATA_DIR: join(home, 'data'),
  });
  return {
    pool,
    get server() {
      return server;
    },
    receiver,
    home,
    call,
    async restart() {
      const { port } = new URL(server.url);
      await server.kill();
      server = await pool.startServer({ dataDir, port });
    },
    post,
    async createTenant(scopes = ['*']) {
      const { id } = await post('/admin/tenants', OPERATOR_TOKEN, { name: 'tools' });
      return (await post(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, { scopes })).token;
    },
    environment,
    listen: (name, token, ...more) =>
      pool.startTool(
        ['listen', '--url', server.url, '--forward-to', receiver.url(name), ...more],
        environment(token),
      ),
    trigger: (token, ...args) =>
      pool.runProgram(['trigger', ...args, '--url', server.url], environment(token)),
    arrived: (token) =>
      [...receiver.byId.values()].filter(({ event }) => event.tenantId === claimsOf(token).tenantId),
  };
}
