import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The temporary folder of this run: everything that its tests leave behind can be found by this path. */
    runFolder: string;
  }
}

/** Where PostgreSQL keeps the databases of a run if there is enough memory. */
export const MEMORY = '/dev/shm';
const BUILD = fileURLToPath(new URL('../../bin/build.js', import.meta.url));
/** A process needs a moment to end, on a busy machine a long one. */
const TIMEOUT_MS = 30_000;
/**
 * The folder of a process that runs test files: each-file.ts checks and removes it after every file, except after one whose
 * tests are all skipped, which has no hooks.
 */
const OF_PROCESS = /^\d+$/;

/**
 * The first global set-up of every project, and therefore the last to be torn down. A run fails if it has left a folder or
 * a process behind; each-file.ts checks the same, and listening sockets, after every test file.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  // Like the system's own: tests start processes of other users.
  await chmod(folder, 0o1777);
  project.provide('runFolder', folder);
  // The sources run as they are, but worker threads need a file that Node can read.
  const { status } = spawnSync(process.execPath, [BUILD, 'task-threads'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('The program of worker threads could not be built.');
  return async () => {
    const left = await findLeftovers(folder);
    for (const path of await findFolders(folder)) await rm(path, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    // With a pattern, files are imported whose tests are all skipped, and their clean-up with them.
    if (left.length === 0 || project.config.testNamePattern) return;
    process.exitCode = 1;
    throw new Error(`The tests have left something behind:\n${left.join('\n')}`);
  };
}

async function findLeftovers(folder: string): Promise<string[]> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const folders = (await findFolders(folder)).filter((path) => !OF_PROCESS.test(basename(path)));
    const left = [...folders, ...(await findProcesses(basename(folder)))];
    if (left.length === 0 || performance.now() > deadline) return left;
    await delay(50);
  }
}

/** Everything in the folder of a run, and what has its name in memory. */
async function findFolders(folder: string): Promise<string[]> {
  const inside = await readdir(folder);
  const inMemory = await readdir(MEMORY).catch(() => []);
  return [
    ...inside.map((name) => join(folder, name)),
    ...inMemory.filter((name) => name.startsWith(basename(folder))).map((name) => join(MEMORY, name)),
  ];
}

/** Every process, with all its descendants, that names a run in its command line, environment or working folder. */
async function findProcesses(run: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    if (Number(pid) === process.pid) continue;
    const read = (name: string): Promise<string> => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
    const command = (await read('cmdline')).replaceAll('\0', ' ');
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    // The command line of a zombie is empty.
    if (command !== '' && [command, folder, await read('environ')].some((text) => text.includes(run)))
      found.push(`process ${pid}: ${command}`);
  }
  return found;
}
