import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, inject } from 'vitest';
import { closeFile } from './clean-up.ts';

/** Runs before every test file: cleans up after it, and fails it if anything is left. */

/** A port or a process needs a moment to be free, on a busy machine a long one. */
const TIMEOUT_MS = 20_000;

const folder = join(inject('runFolder'), String(process.pid));

/** What keeps this process alive: servers that listen and processes that were started. */
const countOpen = (): Record<string, number> => {
  const open = process.getActiveResourcesInfo();
  const count = (name: string): number => open.filter((one) => one === name).length;
  return { listeningSockets: count('TCPServerWrap'), processes: count('ProcessWrap') };
};

// A file that fails while it is imported runs no clean-up of its own.
await closeFile().catch(() => {});
await rm(folder, { recursive: true, force: true });
await mkdir(folder);
process.env.TMPDIR = folder;
const before = countOpen();

// Hooks run in the reverse order of their registration: this one is the last of its file.
afterAll(async () => {
  await closeFile();
  const findLeft = async () => ({ ...countOpen(), folders: await readdir(folder) });
  const expected = { ...before, folders: [] };
  const deadline = performance.now() + TIMEOUT_MS;
  let left = await findLeft();
  for (; JSON.stringify(left) !== JSON.stringify(expected); left = await findLeft()) {
    if (performance.now() > deadline) break;
    await delay(10);
  }
  await rm(folder, { recursive: true });
  expect(left, 'what the test file has left behind').toEqual(expected);
});
