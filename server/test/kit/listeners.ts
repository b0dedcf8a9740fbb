import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { cleanUp } from './clean-up.ts';

/** A server on a port of its own. It is closed with the test or the file that has started it. */
export interface Listener {
  port: number;
  /** Without a path. Only for servers that speak HTTP. */
  url: string;
  /** How many connections were ever made. */
  connections(): number;
  /** The open connections. */
  sockets: ReadonlySet<Socket>;
  /** Breaks every connection and frees the port. */
  close(): Promise<void>;
}

/** Lets any server listen, on a free port of 127.0.0.1 unless an address is given. */
export async function useListener(
  server: Server,
  { host = '127.0.0.1', port = 0, scheme = 'http', registerCleanUp = cleanUp } = {},
): Promise<Listener> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const address = server.address() as AddressInfo;
  const close = (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => void server.close(() => resolve()));
  };
  registerCleanUp(close);
  return {
    port: address.port,
    url: `${scheme}://${host}:${address.port}`,
    connections: () => connections,
    sockets,
    close,
  };
}

export const useHttpServer = (onRequest: RequestListener): Promise<Listener> =>
  useListener(createHttpServer(onRequest));

export const useHttpsServer = (tls: TlsOptions, onRequest: RequestListener): Promise<Listener> =>
  useListener(createHttpsServer(tls, onRequest), { scheme: 'https' });

export const useTcpServer = (onConnection: (socket: Socket) => void): Promise<Listener> =>
  useListener(createTcpServer(onConnection));

export const useTlsServer = (tls: TlsOptions, onConnection: (socket: TLSSocket) => void): Promise<Listener> =>
  useListener(createTlsServer(tls, onConnection));

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const { port, close } = await useTcpServer(() => {});
  await close();
  return port;
}
