import type { Workload } from './figure.ts';
import { requestBytes } from './load.ts';
import type { Program } from './processes.ts';
import { callApi, type Target, type Tenant } from './target.ts';
import { waitUntil } from './wait.ts';

/** Charges rounds with the CPU time of a target's server and PostgreSQL. */
export const chargeServer = (target: Target) => ({
  processes: () => ({ server: target.server.pid, postmaster: target.postmasterPid }),
});

/** Charges rounds with the CPU time of a bare program and the PostgreSQL that it uses, and stops the program at the end. */
export const chargeBare = (bare: Program, target: Target) => ({
  processes: () => ({ server: bare.pid, postmaster: target.postmasterPid }),
  stop: () => bare.stop(),
});

/** A workload whose round ends when everything is done, and not when it is acknowledged. */
export const untilDone = (workload: Workload, isDone: () => Promise<boolean>): Workload => ({
  ...workload,
  async run(count) {
    const startedAt = performance.now();
    await workload.run(count);
    await waitUntil(isDone);
    return { operations: count, seconds: (performance.now() - startedAt) / 1000 };
  },
});

/** Whether a bare program has nothing left to do. */
export const isIdle = (bare: Program) => async (): Promise<boolean> =>
  (await callApi<{ pending: number }>(bare.port, 'GET', '/pending')).pending === 0;

/** Adds a check after every round: all operations so far are in the database. */
export function countingRows(workload: Workload, target: Target, countRows: string): Workload {
  let expected = 0;
  return {
    ...workload,
    run(count) {
      expected += count;
      return workload.run(count);
    },
    async check() {
      const { rows } = await target.db.query<{ count: number }>(countRows);
      if (rows[0]?.count !== expected) throw new Error(`${rows[0]?.count} of ${expected} rows were written.`);
      await workload.check?.();
    },
  };
}

/** A POST with a tenant's token. */
export const postBytes = ({ token }: Tenant, path: string, body: object): Buffer =>
  requestBytes('POST', path, { token, body });
