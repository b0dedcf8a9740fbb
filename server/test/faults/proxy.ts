import { connect, createServer, type Socket } from 'node:net';

export interface DatabaseProxy {
  /** A URL of the same database, by way of the proxy. */
  url: string;
  /** From now on nothing is forwarded, in no direction; connections are still accepted, and nothing is closed. */
  hang(): void;
  resume(): void;
  close(): Promise<void>;
}

/** Stands between a server and its database, as a network does: it can stop to forward without closing anything. */
export async function startProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const { searchParams, port, username, password, pathname } = new URL(databaseUrl);
  const path = `${searchParams.get('host')}/.s.PGSQL.${port}`;
  const sockets = new Set<Socket>();
  let hanging = false;

  function join(from: Socket, to: Socket): void {
    sockets.add(from);
    from.on('data', (chunk) => to.write(chunk));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      to.destroySoon();
    });
    if (hanging) from.pause();
  }

  const server = createServer((socket) => {
    const database = connect(path);
    join(socket, database);
    join(database, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as { port: number };
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    hang() {
      hanging = true;
      for (const socket of sockets) socket.pause();
    },
    resume() {
      hanging = false;
      for (const socket of sockets) socket.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
