import { execFile, spawn } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTemporaryFolder, endProcess, onCleanup, SERVER_ROOT } from './processes.ts';

const WORKSPACE = join(SERVER_ROOT, '..');

async function runGit(...args: string[]): Promise<string> {
  return (await promisify(execFile)('git', args, { cwd: WORKSPACE })).stdout.trim();
}

/** Runs a command and shows its output if it fails. It is stopped if the benchmark is. */
async function runCommand(command: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  onCleanup(() => endProcess(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${output}`);
}

export interface Checkout {
  serverRoot: string;
  description: string;
}

/** The working tree as it is, with changes that are not committed. */
export async function describeWorkingTree(): Promise<Checkout> {
  const hasChanges = (await runGit('status', '--porcelain')) !== '';
  const commit = await runGit('log', '-1', '--format=%h %s');
  return { serverRoot: SERVER_ROOT, description: `${commit}${hasChanges ? ', with local changes' : ''}` };
}

/**
 * Extracts a commit into a temporary folder, with its dependencies. They are shared with the working tree if both have the
 * same lockfile and are installed otherwise.
 */
export async function checkOutCommit(name: string): Promise<Checkout> {
  const commit = await runGit('rev-parse', '--verify', '--quiet', `${name}^{commit}`).catch(() => {
    throw new Error(`There is no commit "${name}".`);
  });
  const folder = await createTemporaryFolder();
  const archive = join(folder, 'commit.tar');
  await runGit('archive', '--format=tar', `--output=${archive}`, commit);
  const workspace = join(folder, 'parley');
  await runCommand('tar', ['-x', '-f', archive, '--one-top-level=parley'], folder);
  await installDependencies(workspace);
  return {
    serverRoot: join(workspace, 'server'),
    description: await runGit('log', '-1', '--format=%h %s', commit),
  };
}

async function installDependencies(workspace: string): Promise<void> {
  const readLock = (folder: string) => readFile(join(folder, 'package-lock.json'), 'utf8');
  if ((await readLock(workspace)) !== (await readLock(WORKSPACE))) {
    console.error('installing the dependencies of the other commit');
    const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    return runCommand('npm', args, workspace);
  }
  for (const folder of ['node_modules', 'server/node_modules'])
    if (await lstat(join(WORKSPACE, folder)).catch(() => undefined))
      await linkPackages(join(WORKSPACE, folder), join(workspace, folder));
}

/** Links the packages of the working tree, except those of the workspace: the other commit has its own console and SDK. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [installed, linked] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(installed), linked);
    else if (entry.name.startsWith('@')) await linkPackages(installed, linked);
    else await symlink(installed, linked);
  }
}
