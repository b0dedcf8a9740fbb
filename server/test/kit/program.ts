import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { cleanUp } from './clean-up.ts';

const PARLEY = fileURLToPath(new URL('../../bin/parley.js', import.meta.url));
const READY_MS = 60_000;

export interface Program {
  url: string;
  /** Everything that it has printed so far. */
  output(): string;
  /** Stops it with SIGTERM, removes its data folder and returns its exit code. */
  stop(): Promise<number | null>;
}

/** The program as an operator starts it. It must end with exit code 0 after the test or the file that has started it. */
export async function useProgram(env: Record<string, string> = {}): Promise<Program> {
  const program = await startProgram(env);
  cleanUp(async () => expect(await program.stop()).toBe(0));
  return program;
}

/** Starts the program on a free port or that of `env.PORT`, with a data folder of its own. */
export async function startProgram(
  env: Record<string, string> = {},
  parentFolder = tmpdir(),
): Promise<Program> {
  const dataDir = await mkdtemp(join(parentFolder, 'parley-'));
  const child = spawn(process.execPath, [PARLEY, '--port', env.PORT ?? '0', '--data-dir', dataDir], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const code = await ended;
    await rm(dataDir, { recursive: true, force: true });
    return code;
  };
  let printed = '';
  const listening = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready in time:\n${printed}`)), READY_MS);
    const onData = (chunk: Buffer): void => {
      printed += chunk.toString('utf8');
      const found = /url: "(http:[^"]+)"/.exec(printed);
      if (!found?.[1]) return;
      clearTimeout(timer);
      resolve(found[1]);
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`Ended with ${code}:\n${printed}`));
    });
  });
  const url = await listening.catch(async (error) => {
    await stop();
    throw error;
  });
  return { url, output: () => printed, stop };
}
