import type { Socket } from 'node:net';
import pg from 'pg';
import { useTcpServer } from '../kit/listeners.ts';

/**
 * A pooler as PgBouncer is: it speaks to clients itself, refuses startup parameters that it does not know, and gives a client
 * a connection to the server for a session, or only for a transaction.
 */
export async function usePooler(databaseUrl: string, mode: 'session' | 'transaction'): Promise<string> {
  const idle: Socket[] = [];
  const { port } = await useTcpServer((client) => void serve(client));

  async function serve(client: Socket): Promise<void> {
    let server: Socket | undefined;
    let isStarted = false;
    let waiting: Buffer = Buffer.alloc(0);
    client.on('error', () => {});
    client.on('close', () => server?.destroy());
    client.on('data', (chunk) => {
      waiting = Buffer.concat([waiting, chunk]);
      void advance();
    });
    let isAdvancing = false;

    async function advance(): Promise<void> {
      if (isAdvancing) return;
      isAdvancing = true;
      if (!isStarted && waiting.length >= 4 && waiting.length >= waiting.readInt32BE(0)) {
        const startup = waiting.subarray(8, waiting.readInt32BE(0));
        waiting = waiting.subarray(waiting.readInt32BE(0));
        isStarted = true;
        welcome(client, startup);
      }
      if (isStarted && waiting.length > 0) {
        server ??= await connect();
        server.write(waiting);
        waiting = Buffer.alloc(0);
      }
      isAdvancing = false;
    }

    async function connect(): Promise<Socket> {
      const socket = idle.pop() ?? (await connectToServer(databaseUrl));
      let answer: Buffer = Buffer.alloc(0);
      socket.removeAllListeners('data');
      socket.removeAllListeners('close');
      socket.on('close', () => client.destroy());
      socket.on('data', (chunk) => {
        client.write(chunk);
        answer = Buffer.concat([answer, chunk]);
        let isFree = false;
        while (answer.length >= 5 && answer.length > answer.readInt32BE(1)) {
          const end = answer.readInt32BE(1) + 1;
          // ReadyForQuery outside of a transaction.
          isFree = answer[0] === 0x5a && answer[5] === 0x49;
          answer = answer.subarray(end);
        }
        if (mode === 'session' || !isFree) return;
        server = undefined;
        idle.push(socket);
      });
      return socket;
    }
  }
  const { username, password, pathname } = new URL(databaseUrl);
  return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`;
}

const message = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

const KNOWN = new Set(['user', 'database', 'application_name', 'client_encoding']);

function welcome(client: Socket, startup: Buffer): void {
  const words = startup.toString().split('\0');
  const unknown = words.filter((word, index) => index % 2 === 0 && word !== '' && !KNOWN.has(word));
  if (unknown.length > 0) {
    const text = `SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${unknown[0]}\0\0`;
    client.end(message('E', Buffer.from(text)));
    return;
  }
  client.write(
    Buffer.concat([
      message('R', Buffer.alloc(4)),
      message('S', Buffer.from('server_version\x0018.0\0')),
      message('K', Buffer.alloc(8)),
      message('Z', Buffer.from('I')),
    ]),
  );
}

/** A connection that is signed in, as bytes. */
async function connectToServer(connectionString: string): Promise<Socket> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.removeAllListeners('data');
  return stream;
}
