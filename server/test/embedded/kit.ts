import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { Client } from 'pg';
import type { Connection } from '../../src/db/embedded/connection.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';

const server = resolve(import.meta.dirname, '../..');

/** Folders of one test file, and everything that was started in them. */
export interface Workplace {
  /** A new folder that everyone may enter. */
  folder(): Promise<string>;
  /** A new data folder with a database in it that was stopped. Copying one saves a second each time. */
  ready(at?: string): Promise<string>;
  /** Remembers a data folder, so that its server is ended and the folder is removed. */
  data(dataDir: string): string;
  /** The program under test as `npm start` builds it, below the checkout's node_modules. */
  program(): Promise<string>;
  /** Starts the program on a folder in a process of its own, and waits for what it has to say. */
  start(dataDir: string, options?: StartOptions): Promise<Started>;
  end(): Promise<void>;
}

interface StartOptions {
  uid?: number;
  program?: string;
  env?: Record<string, string>;
}

export interface Started {
  readonly process: ChildProcess;
  readonly connection?: Connection;
  readonly adopted?: boolean;
  readonly error?: { readonly name: string; readonly message: string };
}

const PROGRAM = `
import { startEmbedded } from './src/db/embedded/embedded.ts';
const say = (what: unknown) => process.stdout.write(JSON.stringify(what) + '\\n');
try {
  const { connection, adopted } = await startEmbedded({ dataDir: process.argv[2] ?? '' });
  say({ connection, adopted });
  setInterval(() => {}, 1000);
} catch (error) {
  say({ error: { name: (error as Error).name, message: (error as Error).message } });
}
`;

export function workplace(): Workplace {
  const folders: string[] = [];
  const dataFolders: string[] = [];
  const children: ChildProcess[] = [];
  let program: Promise<string> | undefined;
  let template: Promise<string> | undefined;

  async function makeProgram(): Promise<string> {
    // createRequire must find the packages from there, as it will from dist/.
    const folder = await mkdtemp(join(dirname(server), 'node_modules', '.parley-embedded-'));
    folders.push(folder);
    await chmod(folder, 0o755);
    return bundleTo(join(folder, 'program.mjs'));
  }

  return {
    async folder() {
      const folder = await mkdtemp(join(tmpdir(), 'parley-embedded-'));
      folders.push(folder);
      await chmod(folder, 0o755);
      return folder;
    },
    async ready(at) {
      template ??= makeTemplate(this.data(join(await this.folder(), 'data')));
      const dataDir = this.data(at ?? join(await this.folder(), 'data'));
      await mkdir(dirname(dataDir), { recursive: true });
      execFileSync('cp', ['-a', await template, dataDir]);
      return dataDir;
    },
    data(dataDir) {
      dataFolders.push(dataDir);
      return dataDir;
    },
    program() {
      program ??= makeProgram();
      return program;
    },
    async start(dataDir, { uid, env, ...given } = {}) {
      dataFolders.push(dataDir);
      const child = spawn(process.execPath, [given.program ?? (await this.program()), dataDir], {
        ...(uid === undefined ? {} : { uid, gid: uid }),
        cwd: '/',
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const { stdout } = child;
      const line = await new Promise<string>((told, failed) => {
        createInterface({ input: stdout }).once('line', told);
        child.once('exit', (code) => setImmediate(failed, new Error(`The program said nothing: ${code}`)));
      });
      return { process: child, ...(JSON.parse(line) as object) };
    },
    async end() {
      for (const child of children) child.kill('SIGKILL');
      for (const dataDir of dataFolders) await endServer(dataDir);
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeTemplate(dataDir: string): Promise<string> {
  const database = await startEmbedded({ dataDir });
  await query(database.connection, 'create table kept (word text)', `insert into kept values ('here')`);
  await database.stop();
  return dataDir;
}

export async function bundleTo(outfile: string): Promise<string> {
  await build({
    stdin: { contents: PROGRAM, resolveDir: server, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    banner: { js: "import * as m from 'node:module'; const require = m.createRequire(import.meta.url);" },
    outfile,
    logLevel: 'error',
  });
  return outfile;
}

export async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

/** Whether the process exists and runs, which a zombie does not. */
export function isLive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 10_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It did not come true in ${timeoutMs} ms: ${condition}`);
    await delay(10);
  }
}

async function endServer(dataDir: string): Promise<void> {
  const pid = await postmasterPid(dataDir).catch(() => undefined);
  if (pid === undefined || !isLive(pid)) return;
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${dataDir}/postgres`)) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isLive(pid));
}

/** Runs statements in one session and gives the rows of the last. */
export async function query(connection: Connection, ...statements: string[]): Promise<unknown[]> {
  const client = await session(connection);
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

export async function session(connection: Connection): Promise<Client> {
  const client = new Client({ ...connection });
  client.on('error', () => {});
  await client.connect();
  return client;
}
