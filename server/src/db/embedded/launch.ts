import { type ChildProcess, spawn } from 'node:child_process';
import { constants, type FileHandle, open, rename, stat } from 'node:fs/promises';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { errorCode } from './connection.ts';
import type { Place } from './place.ts';
import { commandFor, run } from './run-as.ts';

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** What the caller may change. Measured: the rest of PostgreSQL's defaults is fast enough. */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  autovacuum_naptime: '10s',
  max_wal_size: '1GB',
  max_connections: '200',
  // Errors are shown by the client that caused them. The log must not collect the data of customers,
  // which statements and details of errors contain.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

export function settingsFor(place: Place, extra: Readonly<Record<string, string>>): Record<string, string> {
  const windows = process.platform === 'win32';
  return {
    ...DEFAULT_SETTINGS,
    ...extra,
    listen_addresses: windows ? place.host : '',
    // A list, in which a path with a comma needs quotes.
    unix_socket_directories: windows ? '' : `"${place.host.replaceAll('"', '""')}"`,
    port: String(place.port),
    // What was answered must be on the disk: these are no one's to change.
    fsync: 'on',
    full_page_writes: 'on',
  };
}

export interface Launched {
  /** Undefined on Windows, where pg_ctl starts the server. */
  readonly child: ChildProcess | undefined;
  /** Why the process ended, when it has. */
  ended(): Promise<string> | undefined;
}

/**
 * Starts the postmaster in a session and process group of its own: a signal to our group (Ctrl-C, a supervisor)
 * must not reach it, because we stop it ourselves, last.
 */
export async function launch(
  cluster: Cluster,
  binaries: Binaries,
  settings: Readonly<Record<string, string>>,
): Promise<Launched> {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await openLog(cluster);
  const logStart = (await log.stat()).size;
  try {
    if (process.platform === 'win32') return await launchOnWindows(cluster, binaries, options);
    const args = ['-D', cluster.folder, ...options];
    const command = commandFor(cluster.runAs, binaries, binaries.postgres, args);
    const child = spawn(command.file, command.args, {
      ...command.options,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    let failure: string | undefined;
    child.once('error', (error) => {
      failure = String(error);
    });
    return {
      child,
      ended() {
        if (failure !== undefined) return Promise.resolve(failure);
        if (child.exitCode === null && child.signalCode === null) return undefined;
        return reasonIn(cluster.logFile, logStart, child);
      },
    };
  } finally {
    await log.close();
  }
}

/** PostgreSQL refuses an administrator; pg_ctl starts it with the administrator's rights taken away. */
async function launchOnWindows(
  cluster: Cluster,
  binaries: Binaries,
  options: readonly string[],
): Promise<Launched> {
  const line = options.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  const args = ['start', '-W', '-D', cluster.folder, '-l', cluster.logFile, '-o', line];
  const { ok, output } = await run(cluster.runAs, binaries, binaries.pgCtl, args);
  return { child: undefined, ended: () => (ok ? undefined : Promise.resolve(output)) };
}

/** The log belongs to the database's user, so that the folder can be handed over to that user as it is. */
async function openLog(cluster: Cluster): Promise<FileHandle> {
  const size = await stat(cluster.logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(cluster.logFile, `${cluster.logFile}.1`);
  // Root must not be led elsewhere by a link that the owner of the folder has put there.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(cluster.logFile, flags, 0o600);
  const { uid, gid } = cluster.runAs;
  if (uid !== undefined && (await handle.stat()).nlink === 1) await handle.chown(uid, gid ?? uid);
  return handle;
}

/** What the process said last. The log is shared with the server of another starter, hence the number. */
async function reasonIn(logFile: string, from: number, child: ChildProcess): Promise<string> {
  const otherwise = `it ended with ${child.exitCode ?? child.signalCode}`;
  try {
    const handle = await open(logFile, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(64 * 1024), 0, 64 * 1024, from);
      const text = buffer.toString('utf8', 0, bytesRead);
      const own = text.split('\n').filter((line) => line.includes(` [${child.pid}] `));
      const fatal = own.find((line) => /FATAL|PANIC/.test(line));
      return (
        fatal?.replace(/^.*?(FATAL|PANIC):\s*/, '') ??
        (text
          .trim()
          .replace(/\s*\n\s*/g, ' ')
          .slice(-400) ||
          otherwise)
      );
    } finally {
      await handle.close();
    }
  } catch (error) {
    return `${otherwise} (${errorCode(error)})`;
  }
}
