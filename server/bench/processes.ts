import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The server folder of the working tree. Both bench/ and dist/ lie right below it. */
export const SERVER_ROOT = fileURLToPath(new URL('../', import.meta.url));

const cleanups: (() => Promise<void>)[] = [];
let cleaning: Promise<void> | undefined;

const runCleanup = (action: () => Promise<void>): Promise<void> =>
  action().catch((error) => console.error('could not clean up:', error));

/** Registers how to undo something. The last registered action runs first. */
export function onCleanup(action: () => Promise<void>): void {
  cleanups.push(action);
  // Whatever starts while everything is being stopped is stopped as well.
  if (cleaning) cleaning = cleaning.then(() => runCleanup(action));
}

export async function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const action of cleanups.toReversed()) await runCleanup(action);
  })();
  // An action that was registered meanwhile has extended the promise.
  for (let waitedFor: Promise<void> | undefined; waitedFor !== cleaning; ) {
    waitedFor = cleaning;
    await waitedFor;
  }
}

export const isCleaning = (): boolean => cleaning !== undefined;

export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  onCleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export interface Program {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

const KEPT_LINES = 30;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

/** Settings in the caller's shell must not change what is measured. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean =>
    /^(PARLEY_|NODE_)/.test(name) || ['DATABASE_URL', 'PORT', 'HOST', 'LOG_LEVEL'].includes(name);
  const kept = Object.entries(process.env).filter(([name]) => !isSetting(name));
  return { ...Object.fromEntries(kept), ...settings };
}

interface ProgramOptions {
  cwd: string;
  args: string[];
  settings: Record<string, string>;
  /** Matches the output line with the port that the program listens on. */
  listening: RegExp;
}

/** Starts a Node program and waits until its output names the port it listens on. */
async function startProgram({ cwd, args, settings, listening }: ProgramOptions): Promise<Program> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: environment({ NODE_ENV: 'production', ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let isStopping = false;
  const stop = (): Promise<void> => {
    isStopping = true;
    return endProcess(child);
  };
  onCleanup(stop);
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`${args.join(' ')} ${why}\n${lines.join('\n')}`));
    const timer = setTimeout(() => fail('did not start in time'), START_TIMEOUT_MS);
    const read = (text: string): void => {
      lines.push(...text.trimEnd().split('\n'));
      lines.splice(0, lines.length - KEPT_LINES);
      const found = listening.exec(text)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(Number(found));
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`exited (${code ?? signal})`);
      if (!isStopping && !isCleaning()) console.error(`${args.join(' ')} exited:\n${lines.join('\n')}`);
    });
  });
  return { pid: child.pid as number, port, stop };
}

/** Stops a process that this process has started. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** Starts one of the programs of bench/bare/main.ts. */
export const startBare = (mode: string, settings: Record<string, string> = {}): Promise<Program> =>
  startProgram({
    cwd: SERVER_ROOT,
    args: ['scripts/run-ts.js', 'bench/bare/main.ts', mode],
    settings,
    listening: /^listening on (\d+)$/m,
  });

/** Starts the server of a checkout through its own entry point, as an operator would. It builds itself if needed. */
export const startParley = (
  serverRoot: string,
  settings: Record<string, string>,
  nodeFlags: string[] = [],
): Promise<Program> =>
  startProgram({
    cwd: serverRoot,
    args: [...nodeFlags, 'bin/parley.js'],
    settings: { PORT: '0', ...settings },
    listening: /"url":"http:\/\/127\.0\.0\.1:(\d+)"[^\n]*"msg":"listening"/,
  });
