import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode } from './connection.ts';

const execute = promisify(execFile);

/** What a running postmaster writes into its folder, and a killed one leaves there. */
export interface PidFile {
  readonly pid: number;
  readonly port: number;
  /** Folder of its socket or, without one, the address it listens on. */
  readonly host: string;
  readonly sharedMemory: { readonly key: number; readonly id: number } | undefined;
  /** It has said that it accepts sessions. */
  readonly ready: boolean;
  readonly text: string;
}

export const pidFilePath = (folder: string): string => join(folder, 'postmaster.pid');

/** Reads the file; a part that is not written yet stays empty. */
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
  // A negative number is that of a single-user session.
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
 * `ours`: a PostgreSQL on this folder. `ending`: it is on its way out and has lost its command line already, so
 * no one can tell whose it was. `foreign`: any other program that got the same number.
 */
export type ProcessState = 'gone' | 'zombie' | 'ending' | 'ours' | 'foreign';

/** The kernel's flag of a process that is exiting, in field 9 of its stat. */
const PF_EXITING = 0x4;

export async function inspectProcess(pid: number, folder: string): Promise<ProcessState> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A postmaster of this folder would be of its owner, hence one that we may signal.
    return errorCode(error) === 'ESRCH' ? 'gone' : 'foreign';
  }
  if (process.platform === 'linux') return inspectLinux(pid, folder);
  if (process.platform === 'win32') {
    const { stdout } = await execute('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']);
    return stdout.toLowerCase().includes('postgres.exe') ? 'ours' : 'foreign';
  }
  // ps exits with 1 when the process is gone.
  const { stdout } = await execute('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)]).catch(() => ({
    stdout: '',
  }));
  if (stdout.trim() === '') return 'gone';
  if (stdout.startsWith('Z')) return 'zombie';
  return stdout.includes('postgres') && stdout.includes(folder) ? 'ours' : 'foreign';
}

function inspectLinux(pid: number, folder: string): ProcessState {
  try {
    // Read first: an exiting process gets its flag before it loses its command line.
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, so the fields are those after the last one.
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
      // The file has the key without a sign, the kernel with one.
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
 * Removes the file of a postmaster that no longer exists, with the lock of its socket: PostgreSQL refuses both
 * as long as some process has that number. It stays when another starter has replaced it in the meantime.
 */
export function removePidFile(folder: string, file: PidFile): void {
  const lock = join(file.host, `.s.PGSQL.${file.port}.lock`);
  for (const path of file.host.startsWith('/') ? [lock, pidFilePath(folder)] : [pidFilePath(folder)]) {
    // Nothing may come between the look and the removal, hence the synchronous calls.
    const text = readIfThere(path);
    if (text !== undefined && (path === lock ? text.startsWith(`${file.pid}\n`) : text === file.text)) {
      rmSync(path, { force: true });
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
