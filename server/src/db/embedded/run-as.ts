import { execFile } from 'node:child_process';
import type { Binaries } from './binaries.ts';
import { cannotRunHere } from './binaries.ts';

/** The user `nobody`, which every Linux knows. */
export const NOBODY = 65534;

/** As whom the programs run. PostgreSQL refuses to run as root, and initdb as a user without a name. */
export interface RunAs {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /**
   * In a user namespace in which `uid` is called 65534. It keeps the rights of `uid` as the owner of files,
   * so root's own folders stay within reach, while PostgreSQL sees an ordinary user.
   */
  readonly renamed: boolean;
}

export const asOurselves: RunAs = { uid: undefined, gid: undefined, renamed: false };
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
    // The folder we stand in may be closed to that user.
    options: { ...owner, cwd: '/', env: environment(binaries), windowsHide: true },
  };
}

/**
 * PostgreSQL gets an environment of its own: PGDATA, PGPORT and their kind would change what it does, and ours
 * holds secrets which others of the same user could read in /proc.
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
  /** What it printed, or why it could not be run. */
  readonly output: string;
}

/** Runs a program to its end. It resolves also when the program fails or cannot be run at all. */
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
 * Whether that user can run PostgreSQL and use `folder`. PostgreSQL itself is asked, because only the kernel
 * knows every rule (modes, access lists, mounts); it takes 6 ms. An empty folder counts as one to use.
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
    const hopeless = /Permission denied/.test(output) ? undefined : cannotRunHere(output);
    if (hopeless !== undefined) throw hopeless;
  } else if (/^unshare: |ENOENT/m.test(output)) {
    return false;
  }
  return !/Permission denied|EACCES|EPERM/.test(output);
}
