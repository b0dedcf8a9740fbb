import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { Client } from 'pg';
import type { Connection } from '../../src/db/embedded/connection.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { cleanUpAfterFile } from '../kit/clean-up.ts';
import { isLive } from '../kit/is-live.ts';
import { until } from '../kit/until.ts';

const server = resolve(import.meta.dirname, '../..');

/** The folders of a test file, and the databases and processes in them. When the file ends, all of them are removed. */
export interface EmbeddedFixtures {
  /** Creates a folder that everyone may enter. */
  makeFolder(): Promise<string>;
  /** Creates a data folder with a stopped database. It is a copy, which saves a second each time. */
  makeDatabase(dataDir?: string): Promise<string>;
  /** Notes a data folder, so that its PostgreSQL is stopped at the end. */
  track(dataDir: string): string;
  /** Starts the program on a folder in a process of its own, and waits for its result. */
  startProgram(dataDir: string, options?: StartOptions): Promise<Started>;
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
const print = (result: unknown) => process.stdout.write(JSON.stringify(result) + '\\n');
try {
  const { connection, adopted } = await startEmbedded({ dataDir: process.argv[2] ?? '' });
  print({ connection, adopted });
  setInterval(() => {}, 1000);
} catch (error) {
  print({ error: { name: (error as Error).name, message: (error as Error).message } });
}
`;

export function useEmbeddedFixtures(): EmbeddedFixtures {
  const folders: string[] = [];
  const dataFolders: string[] = [];
  const children: ChildProcess[] = [];
  let program: Promise<string> | undefined;
  let template: Promise<string> | undefined;

  /** Builds the program under test like `npm start`, below the node_modules of the checkout. */
  async function makeProgram(): Promise<string> {
    // createRequire must find the packages from there, as it does from dist/.
    const folder = await mkdtemp(join(dirname(server), 'node_modules', '.parley-embedded-'));
    folders.push(folder);
    await chmod(folder, 0o755);
    return bundleTo(join(folder, 'program.mjs'));
  }

  cleanUpAfterFile(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const dataDir of dataFolders) await killPostgres(dataDir);
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  return {
    async makeFolder() {
      const folder = await mkdtemp(join(tmpdir(), 'parley-'));
      folders.push(folder);
      await chmod(folder, 0o755);
      return folder;
    },
    async makeDatabase(given) {
      template ??= makeTemplate(this.track(join(await this.makeFolder(), 'data')));
      const dataDir = this.track(given ?? join(await this.makeFolder(), 'data'));
      await mkdir(dirname(dataDir), { recursive: true });
      execFileSync('cp', ['-a', await template, dataDir]);
      return dataDir;
    },
    track(dataDir) {
      dataFolders.push(dataDir);
      return dataDir;
    },
    async startProgram(dataDir, { uid, env, ...given } = {}) {
      dataFolders.push(dataDir);
      program ??= makeProgram();
      const child = spawn(process.execPath, [given.program ?? (await program), dataDir], {
        ...(uid === undefined ? {} : { uid, gid: uid }),
        cwd: '/',
        env: { PATH: process.env.PATH, ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      children.push(child);
      const { stdout } = child;
      const line = await new Promise<string>((resolve, reject) => {
        createInterface({ input: stdout }).once('line', resolve);
        child.once('exit', (code) => setImmediate(reject, new Error(`The program printed nothing: ${code}`)));
      });
      return { process: child, ...(JSON.parse(line) as object) };
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

async function killPostgres(dataDir: string): Promise<void> {
  const pid = await postmasterPid(dataDir).catch(() => undefined);
  if (pid === undefined || !isLive(pid)) return;
  if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${dataDir}/postgres`)) return;
  process.kill(pid, 'SIGQUIT');
  await until(() => !isLive(pid));
}

/** Runs statements on one connection and returns the rows of the last. */
export async function query(connection: Connection, ...statements: string[]): Promise<unknown[]> {
  const client = await connectTo(connection);
  try {
    let rows: unknown[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

export async function connectTo(connection: Connection): Promise<Client> {
  const client = new Client({ ...connection });
  client.on('error', () => {});
  await client.connect();
  return client;
}
