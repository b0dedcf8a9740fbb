import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUp } from './clean-up.ts';

/** Makes a folder that every user may enter. It is removed with the test or the file that has made it. */
export async function useTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-'));
  cleanUp(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await chmod(folder, 0o755);
  return folder;
}
