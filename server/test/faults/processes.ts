import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cleanUpAfterFile } from '../kit/clean-up.ts';
import { isLive } from '../kit/is-live.ts';
import { until } from '../kit/until.ts';
import { postmasterPid } from './postmaster.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/parley.js', import.meta.url));
export const OPERATOR_TOKEN = 'operator-token-for-faults-0123456789abcdef';
export const SECRET_KEY = 'secret-key-for-faults-0123456789abcdef';
const START_MS = 60_000;

interface ServerOptions {
  dataDir: string;
  role?: 'all' | 'api' | 'worker';
  /** A free port unless given: for clients that must find the server again after a restart. */
  port?: string;
  /** Further flags. */
  args?: string[];
  /** Variables in addition to those of every process of the suite. */
  env?: Record<string, string>;
}

export interface ServerProcess {
  readonly pid: number;
  readonly dataDir: string;
  /** That of its health checks, for a worker. */
  readonly url: string;
  /** The lines of its log. */
  readonly log: readonly LogLine[];
  /** Everything that it printed apart from its log. */
  otherOutput(): string;
  isRunning(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Waits until it listens and says that it is ready. */
  ready(timeoutMs?: number): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  readonly ended: Promise<Ended>;
}

/** A command of the program that runs until it is stopped. */
export interface ToolProcess {
  /** Everything that it has printed so far, on both streams. */
  output(): string;
  signal(signal: NodeJS.Signals): void;
  readonly ended: Promise<Ended>;
}

interface LogLine {
  level: number;
  msg: string;
  url?: string;
  err?: { message: string; code?: string };
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Output extends Ended {
  stdout: string;
  stderr: string;
}

/** The processes and folders of a test file. When it ends, they are killed and removed. */
export interface ProcessPool {
  makeFolder(): Promise<string>;
  /** The path of a data folder that a server can create. */
  makeDataDir(): Promise<string>;
  /** Starts a server and waits until it is ready. */
  startServer(options: ServerOptions): Promise<ServerProcess>;
  /** Starts a server and does not wait. */
  launchServer(options: ServerOptions): ServerProcess;
  /** Starts a command that runs until it is stopped. */
  startTool(args: string[], env: Record<string, string>): ToolProcess;
  /** Runs the program to its end, or for a minute. */
  runProgram(args: string[], env?: Record<string, string>, command?: string[]): Promise<Output>;
}

/** Variables of the developer must not change the tests. */
const baseEnvironment = (): Record<string, string> => ({ PATH: process.env.PATH ?? '' });

const serverEnvironment = {
  NODE_ENV: 'production',
  PARLEY_OUTBOUND_ALLOW_HOSTS: '127.0.0.1',
  PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
  PARLEY_SECRET_KEY: SECRET_KEY,
  LOG_LEVEL: 'info',
};

export function useProcessPool(): ProcessPool {
  const folders: string[] = [];
  const children = new Set<ChildProcess>();

  /** Synchronous, so that it also works while the test process exits. */
  function killAll(): void {
    for (const child of children) child.kill('SIGKILL');
    for (const folder of folders) {
      const pid = postmasterPid(join(folder, 'data'));
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    }
  }
  const onExit = (): void => {
    killAll();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  // Vitest ends its processes with SIGTERM, which by default does not run exit hooks.
  const onSignal = (): void => process.exit(143);
  process.once('exit', onExit);
  process.once('SIGTERM', onSignal);

  function launch(command: string[], env: Record<string, string>): ChildProcess & { pid: number } {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { cwd: '/', env, stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child as ChildProcess & { pid: number };
  }

  cleanUpAfterFile(async () => {
    killAll();
    await until(() => children.size === 0);
    const pids = folders.map((folder) => postmasterPid(join(folder, 'data')));
    for (const pid of pids) if (pid !== undefined) await until(() => !isLive(pid));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    process.off('exit', onExit);
    process.off('SIGTERM', onSignal);
  });

  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-'));
    folders.push(folder);
    await chmod(folder, 0o755);
    return folder;
  }

  function launchServer({ dataDir, role = 'all', port = '0', args: more = [], env = {} }: ServerOptions) {
    const args = [PROGRAM, '--role', role, '--port', port, '--data-dir', dataDir, ...more];
    const variables = { ...baseEnvironment(), ...serverEnvironment, ...env };
    return watch(launch([process.execPath, ...args], variables), dataDir);
  }

  return {
    makeFolder,
    makeDataDir: async () => join(await makeFolder(), 'data'),
    async startServer(options) {
      const server = launchServer(options);
      await server.ready();
      return server;
    },
    launchServer,
    startTool(args, env) {
      const child = launch([process.execPath, PROGRAM, ...args], { ...baseEnvironment(), ...env });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding('utf8').on('data', (chunk: string) => {
          output += chunk;
        });
      return {
        output: () => output,
        signal: (signal) => void child.kill(signal),
        ended: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
      };
    },
    async runProgram(args, env = {}, command = []) {
      const child = launch([...command, process.execPath, PROGRAM, ...args], {
        ...baseEnvironment(),
        ...env,
      });
      const out = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
          out[name] += chunk;
        });
      const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
      const ended = await new Promise<Ended>((resolve) =>
        child.once('close', (code, signal) => resolve({ code, signal })),
      );
      clearTimeout(timer);
      return { ...out, ...ended };
    },
  };
}

function watch(child: ChildProcess & { pid: number }, dataDir: string) {
  const log: LogLine[] = [];
  let otherOutput = '';
  let isRunning = true;
  let url = '';
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) {
        otherOutput += `${line}\n`;
        return;
      }
      const entry = JSON.parse(line) as LogLine;
      log.push(entry);
      if (entry.msg === 'listening' || entry.msg === 'working') url = entry.url ?? '';
    });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    otherOutput += chunk;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.once('exit', (code, signal) => {
      isRunning = false;
      resolve({ code, signal });
    }),
  );
  return {
    pid: child.pid,
    dataDir,
    log,
    otherOutput: () => otherOutput,
    get url() {
      return url;
    },
    isRunning: () => isRunning,
    signal: (signal: NodeJS.Signals) => void child.kill(signal),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
    async ready(timeoutMs = START_MS): Promise<void> {
      const isUp = (): boolean => url !== '';
      await until(() => isUp() || !isRunning, START_MS);
      // Its output arrives a moment after its end.
      if (!isRunning) await delay(50);
      if (!isUp()) throw new Error(`The server ended while it started: ${otherOutput}${JSON.stringify(log)}`);
      let answer = '';
      const isReady = async (): Promise<boolean> => {
        answer = await askReady(url);
        return answer === '200';
      };
      await until(isReady, timeoutMs).catch(() => {
        throw new Error(`The server is not ready: ${answer}`);
      });
    },
  };
}

/** Returns 200, or what the server says instead. */
async function askReady(url: string): Promise<string> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) });
    const text = await answer.text();
    return answer.status === 200 ? '200' : text;
  } catch (error) {
    return String(error);
  }
}
