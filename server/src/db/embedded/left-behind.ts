import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './connection.ts';

const execute = promisify(execFile);

/** The file that a running postmaster writes into its folder, and that a killed one leaves there. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** The folder of its socket or, without a socket, its address. */
  readonly host: string;
  readonly sharedMemory: { readonly key: number; readonly id: number } | undefined;
  /** Whether it accepts connections. */
  readonly ready: boolean;
  readonly text: string;
}

export const pidFilePath = (folder: string): string => join(folder, 'postmaster.pid');

/** Reads the file. Parts that are not written yet are empty. */
export async function readPidFile(folder: string): Promise<PidFile | undefined> {
  let text: string;
  try {
    text = await readFile(pidFilePath(folder), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  const [pid = '', , , port = '', socketFolder = '', address = '', memory = '', status = ''] =
    text.split('\n');
  // The number is negative for a single-user session.
  const number = Math.abs(Number.parseInt(pid, 10));
  if (!(number > 0)) return undefined;
  const [key, id] = memory.trim().split(/\s+/).map(Number);
  return {
    pid: number,
    port: Number.parseInt(port, 10) || 0,
    host: socketFolder.trim() || address.trim(),
    sharedMemory: key === undefined || id === undefined ? undefined : { key, id },
    ready: status.trim() === 'ready',
    text,
  };
}

/**
 * `ours`: a PostgreSQL on this folder. `ending`: an exiting process, which has no command line any more that would show
 * its folder. `foreign`: another program with the same process id.
 */
export type ProcessState = 'gone' | 'zombie' | 'ending' | 'ours' | 'foreign';

/** The kernel's flag of a process that is exiting, in field 9 of its stat. */
const PF_EXITING = 0x4;

export async function inspectProcess(pid: number, folder: string): Promise<ProcessState> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // We may send signals to a postmaster of this folder, because it belongs to the owner of the folder.
    return errorCode(error) === 'ESRCH' ? 'gone' : 'foreign';
  }
  if (process.platform === 'linux') return inspectLinux(pid, folder);
  if (process.platform === 'win32') {
    const { stdout } = await execute('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']);
    return stdout.toLowerCase().includes('postgres.exe') ? 'ours' : 'foreign';
  }
  // ps exits with 1 if the process has ended.
  const { stdout } = await execute('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  if (stdout.trim() === '') return 'gone';
  if (stdout.startsWith('Z')) return 'zombie';
  return stdout.includes('postgres') && stdout.includes(folder) ? 'ours' : 'foreign';
}

function inspectLinux(pid: number, folder: string): ProcessState {
  try {
    // The command line first: an exiting process gets its flag before it loses its command line.
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may contain anything, so fields are counted after the last parenthesis.
    const [state, , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return 'zombie';
    if ((Number(flags) & PF_EXITING) !== 0) return 'ending';
    return basename(program) === 'postgres' && args.includes(folder) ? 'ours' : 'foreign';
  } catch {
    return 'gone';
  }
}

/** Whether processes of the postmaster that wrote the file still use the database. */
export async function isAttached(file: PidFile): Promise<boolean> {
  if (file.sharedMemory === undefined || process.platform === 'win32') return false;
  const { key, id } = file.sharedMemory;
  if (process.platform === 'linux') {
    const rows = (await readFile('/proc/sysvipc/shm', 'utf8')).split('\n').slice(1);
    return rows.some((row) => {
      const [rowKey, rowId, , , , , attached] = row.trim().split(/\s+/).map(Number);
      // The key is unsigned in the file and signed in the kernel.
      return rowId === id && rowKey === (key | 0) && (attached ?? 0) > 0;
    });
  }
  const { stdout } = await execute('ipcs', ['-m', '-o']);
  return stdout.split('\n').some((row) => {
    const columns = row.trim().split(/\s+/);
    return columns[0] === 'm' && Number(columns[1]) === id && Number(columns.at(-1)) > 0;
  });
}

/**
 * Removes the file of a dead postmaster and the lock of its socket: PostgreSQL refuses to start while any process has
 * that id. A file that another process has replaced meanwhile stays.
 */
export function removePidFile(folder: string, file: PidFile): void {
  const lock = join(file.host, `.s.PGSQL.${file.port}.lock`);
  for (const path of file.host.startsWith('/') ? [lock, pidFilePath(folder)] : [pidFilePath(folder)]) {
    // Synchronous, so that nothing happens between the check and the removal.
    const text = readIfExists(path);
    if (text !== undefined && (path === lock ? text.startsWith(`${file.pid}\n`) : text === file.text)) {
      rmSync(path, { force: true });
    }
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
