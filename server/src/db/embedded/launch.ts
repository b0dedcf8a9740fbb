import { type ChildProcess, spawn } from 'node:child_process';
import { constants, type FileHandle, open, rename, stat } from 'node:fs/promises';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { errorCode } from './connection.ts';
import type { Place } from './place.ts';
import { commandFor, run } from './run-as.ts';

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/** Settings that the caller may change. The other defaults of PostgreSQL were measured and are fast enough. */
const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  autovacuum_naptime: '10s',
  max_wal_size: '1GB',
  max_connections: '200',
  // Statements and details of errors contain data of customers, which must not be in the log. Parley logs the errors.
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
    // Cannot be changed: what Parley has confirmed must be on disk.
    fsync: 'on',
    full_page_writes: 'on',
  };
}

export interface Launched {
  /** Undefined on Windows, where pg_ctl starts the server. */
  readonly child: ChildProcess | undefined;
  /** Why the process ended, or undefined while it runs. */
  ended(): Promise<string> | undefined;
}

/**
 * Starts the postmaster in a separate process group: a signal to our group (Ctrl-C, a supervisor) must not reach it,
 * because Parley stops it last.
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
        return findReason(cluster.logFile, logStart, child);
      },
    };
  } finally {
    await log.close();
  }
}

/** PostgreSQL refuses to run as an administrator; pg_ctl starts it with reduced rights. */
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

/** The log belongs to the database's user, so that this user can also use the folder alone. */
async function openLog(cluster: Cluster): Promise<FileHandle> {
  const size = await stat(cluster.logFile).then(
    (found) => found.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(cluster.logFile, `${cluster.logFile}.1`);
  // Root must not follow a link that the owner of the folder has created.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(cluster.logFile, flags, 0o600);
  const { uid, gid } = cluster.runAs;
  if (uid !== undefined && (await handle.stat()).nlink === 1) await handle.chown(uid, gid ?? uid);
  return handle;
}

/** Finds the last error of the process in the log. Other servers may write to the same log, so lines are found by id. */
async function findReason(logFile: string, from: number, child: ChildProcess): Promise<string> {
  const fallback = `it ended with ${child.exitCode ?? child.signalCode}`;
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
          fallback)
      );
    } finally {
      await handle.close();
    }
  } catch (error) {
    return `${fallback} (${errorCode(error)})`;
  }
}
