import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Whether the process exists and runs, which a zombie does not. */
export function isLive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}

/** The PostgreSQL that runs on a data folder. A number that now belongs to another program is nobody's. */
export function postmasterPid(dataDir: string): number | undefined {
  try {
    const folder = join(dataDir, 'postgres');
    const pid = Number.parseInt(readFileSync(join(folder, 'postmaster.pid'), 'utf8'), 10);
    const isIts = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder);
    return isIts && isLive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It did not come true in ${timeoutMs} ms: ${condition}`);
    await delay(20);
  }
}
