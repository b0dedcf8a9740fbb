import { createHash } from 'node:crypto';
import { lchown, lstat, mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import type { Cluster } from './cluster.ts';
import { errorCode } from './connection.ts';

/** Where the server listens: a socket in `host` on Unix, the loopback address on Windows. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Only a part of the socket's name, as the server does not listen on TCP. */
const SOCKET_PORT = 5432;
/** macOS has 104 bytes for the path of a socket and its final zero, Linux 108. */
const MAX_SOCKET_PATH_BYTES = 103;
const MKDTEMP_SUFFIX = '-XXXXXX';

const fits = (folder: string): boolean =>
  Buffer.byteLength(join(folder, `.s.PGSQL.${SOCKET_PORT}`)) <= MAX_SOCKET_PATH_BYTES;

/** Chooses the database folder, or a private temporary folder if the path is too long for a socket. */
export async function choosePlace(cluster: Cluster): Promise<Place> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await freePort() };
  if (fits(cluster.folder)) return { host: cluster.folder, port: SOCKET_PORT };
  // Derived from the folder, so that every start uses the same name.
  const name = `parley-${createHash('sha256').update(cluster.folder).digest('hex').slice(0, 16)}`;
  const parents = cluster.runAs.uid === undefined ? [tmpdir(), '/tmp'] : ['/tmp', tmpdir()];
  const parent = parents.find((folder) => fits(join(folder, name + MKDTEMP_SUFFIX)));
  if (parent === undefined) {
    throw new OperatorError(
      `The path ${cluster.folder} is too long for a socket, and so is that of the temporary folder: ` +
        'choose a data folder with a shorter path, or set TMPDIR to one.',
    );
  }
  return { host: await createPrivateFolder(join(parent, name), cluster), port: SOCKET_PORT };
}

async function createPrivateFolder(path: string, cluster: Cluster): Promise<string> {
  const uid = cluster.runAs.uid ?? process.getuid?.() ?? 0;
  const gid = cluster.runAs.gid ?? process.getgid?.() ?? 0;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    // Any user may create folders there. A folder that is not private and ours could contain the socket of another server.
    const found = await lstat(path);
    if (found.isDirectory() && found.uid === uid && (found.mode & 0o077) === 0) return path;
    return chownFolder(await mkdtemp(`${path}-`), uid, gid);
  }
  return chownFolder(path, uid, gid);
}

async function chownFolder(path: string, uid: number, gid: number): Promise<string> {
  if (uid !== process.getuid?.()) await lchown(path, uid, gid);
  return path;
}

/** Creates the private folder again if a cleaner of temporary files has removed it. */
export async function restorePlace(place: Place, cluster: Cluster): Promise<void> {
  if (process.platform === 'win32' || place.host === cluster.folder) return;
  const found = await lstat(place.host).catch(() => undefined);
  if (found === undefined) await createPrivateFolder(place.host, cluster);
}

/** Removes the private folder, if there is one, after the server has stopped. */
export async function removePlace(place: Place, cluster: Cluster): Promise<void> {
  if (process.platform === 'win32' || place.host === cluster.folder) return;
  await rmdir(place.host).catch(() => {});
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
