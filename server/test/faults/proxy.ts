import { connect, type Socket } from 'node:net';
import { useTcpServer } from '../kit/listeners.ts';

export interface DatabaseProxy {
  /** The URL of the same database through the proxy. */
  url: string;
  /** Stops to forward in both directions. Connections are still accepted, and none is closed. */
  hang(): void;
  resume(): void;
}

/** Stands between a server and its database like a network, which can stop to forward without closing anything. */
export async function useDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { searchParams, port, username, password, pathname } = new URL(databaseUrl);
  const path = `${searchParams.get('host')}/.s.PGSQL.${port}`;
  const sockets = new Set<Socket>();
  let isHanging = false;

  function forward(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroySoon();
    });
    if (isHanging) from.pause();
  }

  const listener = await useTcpServer((socket) => {
    const database = connect(path);
    forward(socket, database);
    forward(database, socket);
  });
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${listener.port}${pathname}`,
    hang() {
      isHanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      isHanging = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
