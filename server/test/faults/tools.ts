import { join } from 'node:path';
import { expect } from 'vitest';
import { client } from './load.ts';
import {
  OPERATOR_TOKEN,
  type Output,
  processPool,
  type ServerProcess,
  type ToolProcess,
} from './processes.ts';
import { answerAtOnce, type Delivered, type FaultReceiver, startReceiver } from './receiver.ts';

/** A server, a program that takes events, and a user with tools. */
export interface ToolShop {
  readonly shop: ReturnType<typeof processPool>;
  readonly server: ServerProcess;
  readonly receiver: FaultReceiver;
  /** Where the user's settings are. */
  readonly home: string;
  call: ReturnType<typeof client>['call'];
  /** Kills the server and starts it where it was. */
  restart(): Promise<void>;
  /** What a POST is answered with. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  make(path: string, token: string, body: unknown): Promise<any>;
  /** The token of a new tenant. */
  newTenant(scopes?: string[]): Promise<string>;
  environment(token: string): Record<string, string>;
  /** Listens, and brings events to the receiver under a name. */
  listen(name: string, token: string, ...more: string[]): ToolProcess;
  trigger(token: string, ...args: string[]): Promise<Output>;
  /** What the receiver got of a tenant, in the order in which it came. */
  arrived(token: string): Delivered[];
  close(): Promise<void>;
}

/** What a token says of itself. */
export const claimsOf = (token: string): { jti: string; tenantId: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());

/** Stops a tool as a user does. */
export async function stop(tool: ToolProcess): Promise<void> {
  tool.signal('SIGINT');
  expect(await tool.ended, tool.output()).toEqual({ code: 0, signal: null });
}

export async function openToolShop(): Promise<ToolShop> {
  const shop = processPool();
  const { call, close } = client(4);
  const receiver = await startReceiver(answerAtOnce);
  const dataDir = join(await shop.folder(), 'data');
  const home = await shop.folder();
  let server = await shop.start({ dataDir });
  const make: ToolShop['make'] = async (path, token, body) =>
    (await call(server.url, path, { token, body })).body.data;
  const environment = (token: string) => ({
    PARLEY_TOKEN: token,
    XDG_CONFIG_HOME: home,
    PARLEY_DATA_DIR: join(home, 'data'),
  });
  return {
    shop,
    get server() {
      return server;
    },
    receiver,
    home,
    call,
    async restart() {
      const { port } = new URL(server.url);
      await server.kill();
      server = await shop.start({ dataDir, port });
    },
    make,
    async newTenant(scopes = ['*']) {
      const { id } = await make('/admin/tenants', OPERATOR_TOKEN, { name: 'tools' });
      return (await make(`/admin/tenants/${id}/tokens`, OPERATOR_TOKEN, { scopes })).token;
    },
    environment,
    listen: (name, token, ...more) =>
      shop.tool(
        ['listen', '--url', server.url, '--forward-to', receiver.url(name), ...more],
        environment(token),
      ),
    trigger: (token, ...args) => shop.run(['trigger', ...args, '--url', server.url], environment(token)),
    arrived: (token) =>
      [...receiver.byId.values()].filter(({ event }) => event.tenantId === claimsOf(token).tenantId),
    async close() {
      await close();
      await shop.end();
      await receiver.close();
    },
  };
}
