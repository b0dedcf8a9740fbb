import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp } from './clean-up.ts';

export const PARLEY = fileURLToPath(new URL('../../bin/parley.js', import.meta.url));

/** A command of the program as a user runs it. */
export interface CliRun {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** An empty folder, which is removed with the test or the file. */
export async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts `parley …` in a folder. It is killed if it still runs when the test ends. */
export function startCli(args: string[], env: Record<string, string>, cwd: string): CliRun {
  const child = spawn(process.execPath, [PARLEY, ...args], {
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, stdout, stderr })),
  );
  cleanUp(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}
