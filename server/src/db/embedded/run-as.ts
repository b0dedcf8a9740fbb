import { execFile } from 'node:child_process';
import type { Binaries } from './binaries.ts';
import { cannotRunHere } from './binaries.ts';

/** The Unix user `nobody`, the name that programs get in a user namespace. */
export const NOBODY = 65534;

/**
 * The uid of PostgreSQL if root owns the data folder. Nobody else uses it, unlike `nobody`, whose other processes could read
 * the database and signal it. It needs no account; Debian leaves 60000 to 64999 to programs that ask for a number.
 */
export const OWN_UID = 64_543;

/** The user that runs the programs. PostgreSQL refuses to run as root, and initdb as a user without a name. */
export interface RunAs {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /**
   * Whether it runs in a user namespace that maps `uid` to 65534. It keeps the file permissions of `uid`, so that it can
   * use root's folders, while PostgreSQL sees an ordinary user.
   */
  readonly renamed: boolean;
}

export const asOurselves: RunAs = { uid: undefined, gid: undefined, renamed: false };
/** Has root's rights on files: the last resort, for folders that only root may enter. */
export const asRenamedRoot: RunAs = { uid: undefined, gid: undefined, renamed: true };
export const asUser = (uid: number, gid: number): RunAs => ({ uid, gid, renamed: false });

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The command line and options with which `child_process` runs `file` as `runAs`. */
export function commandFor(runAs: RunAs, binaries: Binaries, file: string, args: readonly string[]) {
  const [command, ...rest] = runAs.renamed
    ? ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--', file, ...args]
    : [file, ...args];
  const owner = runAs.uid === undefined ? {} : { uid: runAs.uid, gid: runAs.gid ?? runAs.uid };
  return {
    file: command ?? file,
    args: rest,
    // That user may not be allowed to enter the current folder.
    options: { ...owner, cwd: '/', env: environment(binaries), windowsHide: true },
  };
}

/**
 * A minimal environment: PGDATA, PGPORT and similar variables would change the behaviour of PostgreSQL, and ours contains
 * secrets that other processes of the same user could read in /proc.
 */
function environment(binaries: Binaries): Record<string, string> {
  const env: Record<string, string> = { LC_ALL: 'C', TZ: 'UTC' };
  for (const name of ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'PATHEXT', 'COMSPEC']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  if (binaries.libraryPath !== undefined) {
    env[process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'] = binaries.libraryPath;
  }
  return env;
}

export interface Outcome {
  readonly ok: boolean;
  /** The output, or why the program could not be run. */
  readonly output: string;
}

/** Runs a program until it ends. Also resolves if the program fails or cannot be run. */
export function run(
  runAs: RunAs,
  binaries: Binaries,
  file: string,
  args: readonly string[],
): Promise<Outcome> {
  const command = commandFor(runAs, binaries, file, args);
  return new Promise((resolve) => {
    try {
      execFile(command.file, command.args, command.options, (error, stdout, stderr) => {
        const failure = error !== null && typeof error.code === 'string' ? `${error.code}\n` : '';
        resolve({ ok: error === null, output: `${stdout}${stderr}${failure}` });
      });
    } catch (error) {
      // Node throws instead of emitting when the kernel refuses the change of user.
      resolve({ ok: false, output: String(error) });
    }
  });
}

/**
 * Whether that user can run PostgreSQL and use `folder`, which may be empty. Tried with PostgreSQL itself, because only
 * the kernel knows all rules (modes, access lists, mounts). Takes 6 ms.
 */
export async function canUse(runAs: RunAs, binaries: Binaries, folder: string): Promise<boolean> {
  const { ok, output } = await run(runAs, binaries, binaries.postgres, [
    '-D',
    folder,
    '-C',
    'data_directory',
  ]);
  if (ok) return true;
  if (!runAs.renamed) {
    const cannotRun = /Permission denied/.test(output) ? undefined : cannotRunHere(output);
    if (cannotRun !== undefined) throw cannotRun;
  } else if (/^unshare: |ENOENT/m.test(output)) {
    return false;
  }
  return !/Permission denied|EACCES|EPERM/.test(output);
}
