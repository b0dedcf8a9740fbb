import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLive } from '../kit/is-live.ts';

/** The PostgreSQL that runs on a data folder, unless its number now belongs to another program. */
export function postmasterPid(dataDir: string): number | undefined {
  try {
    const folder = join(dataDir, 'postgres');
    const pid = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
    const isPostgres = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder);
    return isPostgres && isLive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
