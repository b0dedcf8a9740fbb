import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Both src/ and dist/ lie right below the server's folder. */
export const SERVER_ROOT = fileURLToPath(new URL('../', import.meta.url));

const undo: (() => Promise<void>)[] = [];
let cleaning: Promise<void> | undefined;

/** Remembers how to take back what was started; the last one goes first. */
export function onCleanup(action: () => Promise<void>): void {
  undo.push(action);
}

export function cleanUp(): Promise<void> {
  cleaning ??= (async () => {
    for (const action of undo.toReversed())
      await action().catch((error) => console.error('could not clean up:', error));
  })();
  return cleaning;
}

export const isCleaning = (): boolean => cleaning !== undefined;

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Program {
  pid: number;
  port: number;
  stop(): Promise<void>;
}

const KEPT_LINES = 30;
const START_MS = 60_000;

/** What the person at the keyboard has set must not change what is measured. */
function environment(settings: Record<string, string>): NodeJS.ProcessEnv {
  const isOurs = (name: string): boolean =>
    /^(PARLEY_|NODE_)/.test(name) || ['DATABASE_URL', 'PORT', 'HOST', 'LOG_LEVEL'].includes(name);
  const kept = Object.entries(process.env).filter(([name]) => !isOurs(name));
  return { ...Object.fromEntries(kept), ...settings };
}

/** Starts a program of Node and waits until a line of its output names the port it listens on. */
export async function startProgram(
  args: string[],
  settings: Record<string, string>,
  listening: RegExp,
): Promise<Program> {
  const child = spawn(process.execPath, args, {
    cwd: SERVER_ROOT,
    env: environment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stopping = false;
  const stop = (): Promise<void> => {
    stopping = true;
    return endProcess(child);
  };
  onCleanup(stop);
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    const failed = (why: string): void => reject(new Error(`${args[0]} ${why}\n${lines.join('\n')}`));
    const timer = setTimeout(() => failed('did not start in time'), START_MS);
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
      failed(`ended (${code ?? signal})`);
      if (!stopping && !isCleaning()) console.error(`${args.join(' ')} has ended:\n${lines.join('\n')}`);
    });
  });
  return { pid: child.pid as number, port, stop };
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const last = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(last);
}

/** One of the programs of bench/bare.ts. */
export const startBare = (mode: string, settings: Record<string, string>): Promise<Program> =>
  startProgram(
    ['scripts/run-ts.js', 'bench/bare.ts', mode],
    { NODE_ENV: 'production', ...settings },
    /^listening on (\d+)$/m,
  );

/** The real program, as an operator would run it. */
export const startParley = (settings: Record<string, string>, nodeFlags: string[] = []): Promise<Program> =>
  startProgram(
    [...nodeFlags, 'bin/parley.js'],
    { NODE_ENV: 'production', PORT: '0', ...settings },
    /"url":"http:\/\/127\.0\.0\.1:(\d+)"[^\n]*"msg":"listening"/,
  );
