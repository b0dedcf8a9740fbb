import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { familyOf, memoryOf } from './cpu.ts';
import { SERVER_ROOT, startParley, temporaryFolder } from './processes.ts';
import { median } from './rounds.ts';
import { callApi, postmasterOf } from './world.ts';

const READY_GOAL_MS = 1_000;
const MEMORY_GOAL_MB = 250;
const SIZE_GOAL_MB = 250;
const QUIET_MS = 5_000;
const INSTALL_MS = 120_000;
/** What npm says when it cannot get packages, in contrast to a lockfile that is wrong. */
const OUT_OF_REACH = /^(E\d{3}|ENOTFOUND|EAI_AGAIN|ECONN\w+|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET\w*)$/;

export const startHead = ['figure', 'measured', 'goal'];

const row = (figure: string, measured: number, unit: string, goal: number, note = ''): string[] => [
  figure,
  `${Math.round(measured)} ${unit}${note}`,
  `< ${goal} ${unit} ${measured < goal ? 'met' : 'missed'}`,
];

/** How long a start on an existing data folder takes until the server says that it is ready, and what it then holds. */
export async function startFigure(rounds: number): Promise<string[][]> {
  const dataDir = await temporaryFolder();
  const settings = { PARLEY_DATA_DIR: dataDir };
  // The first start makes the database and the build.
  await (await startParley(settings)).stop();
  const times: number[] = [];
  let memory = { pss: undefined as number | undefined, rss: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const begun = performance.now();
    const server = await startParley(settings);
    await callApi(server.port, 'GET', '/readyz');
    times.push(performance.now() - begun);
    if (round === rounds) {
      await delay(QUIET_MS);
      memory = await memoryOf([server.pid, ...(await familyOf(await postmasterOf(dataDir)))]);
    }
    await server.stop();
    process.stderr.write('.');
  }
  const shared = memory.pss === undefined ? ' RSS' : ` PSS (${Math.round(memory.rss)} MB RSS)`;
  return [
    row('warm start to ready', median(times), 'ms', READY_GOAL_MS),
    row('memory at idle, server and database', memory.pss ?? memory.rss, 'MB', MEMORY_GOAL_MB, shared),
    await sizeRow(),
  ];
}

/** What `npm ci --omit=dev` puts on the disk, in a copy of the manifests. */
async function sizeRow(): Promise<string[]> {
  const figure = 'npm ci --omit=dev';
  const folder = await temporaryFolder();
  const workspace = join(SERVER_ROOT, '..');
  await mkdir(join(folder, 'server'));
  for (const file of ['package.json', 'package-lock.json', 'server/package.json'])
    await copyFile(join(workspace, file), join(folder, file));
  try {
    const args = ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
    await promisify(execFile)('npm', args, { cwd: folder, timeout: INSTALL_MS });
  } catch (error) {
    const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
    const code = killed ? 'ETIMEDOUT' : (/npm error code (\w+)/.exec(stderr)?.[1] ?? String(error));
    if (OUT_OF_REACH.test(code)) return [figure, `skipped: no registry (${code})`, `< ${SIZE_GOAL_MB} MB`];
    process.exitCode = 1;
    return [figure, `failed: ${code}`, `< ${SIZE_GOAL_MB} MB`];
  }
  return row(figure, await sizeOf(folder), 'MB', SIZE_GOAL_MB);
}

/** Megabytes that a folder takes on the disk, without following links. */
async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(
    names.map(async (name) => {
      const { blocks, size } = await lstat(join(folder, name));
      // Windows counts no blocks.
      return blocks === undefined ? size : blocks * 512;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
}
