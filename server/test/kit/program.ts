import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PARLEY = fileURLToPath(new URL('../../bin/parley.js', import.meta.url));
const READY_MS = 60_000;

export interface Program {
  url: string;
  child: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Stops it in order and removes its data folder. */
  stop(): Promise<number | null>;
}

/** The program as an operator starts it, on a free port and a data folder of its own. */
export async function startProgram(env: Record<string, string> = {}): Promise<Program> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-e2e-'));
  const child = spawn(process.execPath, [PARLEY, '--port', '0', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time:\n${printed}`)), READY_MS);
    const onData = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const found = /url: "(http:[^"]+)"/.exec(printed);
      if (!found?.[1]) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout?.on('data', onData);
    child.stderr?.on('data', onData);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Ended with ${code}:\n${printed}`));
    });
  });
  return {
    url,
    child,
    output: () => printed,
    async stop() {
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const code = await ended;
      await rm(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}
