import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFamily, readMemory } from '../cpu.ts';
import type { Case, Side } from '../figure.ts';
import { createTemporaryFolder, SERVER_ROOT, startParley } from '../processes.ts';
import { callApi, readPostmasterPid } from '../target.ts';

const READY_GOAL_MS = 1_000;
const MEMORY_GOAL_MB = 250;
const SIZE_GOAL_MB = 250;
const QUIET_MS = 3_000;
const INSTALL_TIMEOUT_MS = 120_000;
/** What npm reports if it cannot get packages, in contrast to a wrong lockfile. */
const NO_REGISTRY = /^(E\d{3}|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET\w*)$/;

/** How long a start on an existing data folder takes until the server is ready, and how much memory it then uses. */
export async function createStart({ serverRoot }: Side): Promise<Case[]> {
  const settings = { PARLEY_DATA_DIR: await createTemporaryFolder() };
  return [
    {
      title: 'start',
      warmUp: 1,
      count: () => 1,
      restarts: 'never',
      hasRate: false,
      hasCpu: false,
      values: {
        ready: { title: 'warm start to ready', unit: 'ms', goal: READY_GOAL_MS },
        memory: { title: 'memory at idle, server and database', unit: 'MB', goal: MEMORY_GOAL_MB },
      },
      ours: {
        // Its processes do not live as long as a round, so no CPU time is charged to it.
        processes: () => ({}),
        async run() {
          const startedAt = performance.now();
          // The first start, which is part of the warm-up, creates the database and the build.
          const server = await startParley(serverRoot, settings);
          await callApi(server.port, 'GET', '/readyz');
          const ready = performance.now() - startedAt;
          await delay(QUIET_MS);
          const postmasterPid = await readPostmasterPid(settings.PARLEY_DATA_DIR);
          const { pss, rss } = await readMemory([server.pid, ...(await findFamily(postmasterPid))]);
          await server.stop();
          return { operations: 1, seconds: ready / 1000, values: { ready, memory: pss ?? rss } };
        },
      },
    },
  ];
}

/** The row of what `npm ci --omit=dev` puts on the disk, in a copy of the manifests. */
export async function measureInstalledSize(): Promise<string[]> {
  const title = 'npm ci --omit=dev';
  const goal = `≤ ${SIZE_GOAL_MB} MB`;
  const folder = await createTemporaryFolder();
  const workspace = join(SERVER_ROOT, '..');
  await mkdir(join(folder, 'server'));
  for (const file of ['package.json', 'package-lock.json', 'server/package.json'])
    await copyFile(join(workspace, file), join(folder, file));
  try {
    const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_TIMEOUT_MS });
  } catch (error) {
    const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
    const code = killed ? 'ETIMEDOUT' : (/npm error code (\w+)/.exec(stderr)?.[1] ?? String(error));
    if (NO_REGISTRY.test(code)) return [title, '', `skipped: no registry (${code})`, '', goal];
    process.exitCode = 1;
    return [title, '', `failed: ${code}`, '', goal];
  }
  const size = await measureFolder(folder);
  return [title, '', `${Math.round(size)} MB`, '', `${goal} ${size <= SIZE_GOAL_MB ? 'met' : 'missed'}`];
}

/** Megabytes that a folder takes on the disk, without following links. */
async function measureFolder(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map(async (name) => {
      const { blocks, size } = await lstat(join(folder, name));
      // Windows does not count blocks.
      return blocks === undefined ? size : blocks * 512;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
}
