import { setTimeout as delay } from 'node:timers/promises';
import { QUIET_DATABASE } from '../compare-commits.ts';
import { readCpuSeconds } from '../cpu.ts';
import type { Case, Side } from '../figure.ts';
import { startTarget } from '../target.ts';
import { chargeServer } from '../workload.ts';

/** Comparable servers take 3 to 8. */
const CPU_GOAL_MS = 8;
/** After a start V8 collects garbage for half a minute: it takes 14 ms a second in the first 20 s and 4 afterwards. */
const QUIET_MS = 30_000;

/**
 * What a server and its database cost while nobody uses them. The database is its own and has no autovacuum: a young one is
 * analyzed for minutes, which has nothing to do with the server.
 */
export async function createIdle({ serverRoot }: Side): Promise<Case[]> {
  const target = await startTarget({ serverRoot, databaseSettings: QUIET_DATABASE });
  const { processes } = chargeServer(target);
  return [
    {
      title: 'at rest',
      warmUp: 0,
      count: (seconds) => seconds,
      restarts: 'never',
      effort: { seconds: 10 },
      hasRate: false,
      hasCpu: false,
      values: {
        cpu: {
          title: 'CPU a second at rest, server and database',
          unit: 'ms',
          digits: 1,
          goal: CPU_GOAL_MS,
        },
        server: { title: '  of it the server', unit: 'ms', digits: 1 },
      },
      ours: {
        processes,
        warmUp: () => delay(QUIET_MS),
        async run(seconds) {
          const before = await readCpuSeconds(processes());
          await delay(seconds * 1000);
          const after = await readCpuSeconds(processes());
          const server = ((after.server - before.server) / seconds) * 1000;
          const postgres = ((after.postgres - before.postgres) / seconds) * 1000;
          return { operations: seconds, seconds, values: { cpu: server + postgres, server } };
        },
        stop: () => target.server.stop(),
      },
    },
  ];
}
