import { availableParallelism } from 'node:os';
import { readCpuSeconds, readForeignCpuSeconds } from './cpu.ts';
import type { Case, Workload } from './figure.ts';

export interface Measurement {
  /** Operations per second. */
  rate: number;
  /** Microseconds of CPU time per operation, of the server and PostgreSQL together. */
  cpu: number;
  /** The server's part of them. */
  serverCpu: number;
  values: Record<string, number>;
  /** The part of the machine that other programs used meanwhile. */
  disturbance: number;
}

/** A round in which other programs use more than this part of the machine is repeated. */
export const MAX_DISTURBANCE = 0.1;

export const isDisturbed = (round: Measurement): boolean => round.disturbance > MAX_DISTURBANCE;

export const median = (numbers: number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};

async function measureRound(workload: Workload, count: number): Promise<Measurement> {
  await workload.prepare?.(count);
  const startedAt = performance.now();
  const foreignBefore = await readForeignCpuSeconds();
  const before = await readCpuSeconds(workload.processes());
  const { operations, seconds, values = {} } = await workload.run(count);
  const after = await readCpuSeconds(workload.processes());
  const foreign = (await readForeignCpuSeconds()) - foreignBefore;
  const disturbance = (foreign * 1000) / (performance.now() - startedAt) / availableParallelism();
  await workload.check?.();
  const perOperation = (used: number): number => (used / operations) * 1e6;
  const serverCpu = perOperation(after.server - before.server);
  const postgresCpu = perOperation(after.postgres - before.postgres);
  return { rate: operations / seconds, cpu: serverCpu + postgresCpu, serverCpu, values, disturbance };
}

/**
 * Whether another round is needed. Disturbed rounds are repeated, up to as many again; but not if all of them were disturbed,
 * because then the machine is simply busy.
 */
function needsRound(results: Measurement[][], rounds: number): boolean {
  if (results.length < rounds) return true;
  const quiet = results.filter((round) => !round.some(isDisturbed)).length;
  return quiet > 0 && quiet < rounds && results.length < 2 * rounds;
}

/**
 * Measures the workloads in turn. Each round begins with another one, so that whatever else the machine does affects all
 * of them alike. Returns the least disturbed rounds of each workload.
 */
export async function measureInTurns(
  workloads: Workload[],
  count: number,
  rounds: number,
  beforeRound?: (round: number) => Promise<void>,
): Promise<Measurement[][]> {
  const results: Measurement[][] = [];
  for (let round = 0; needsRound(results, rounds); round += 1) {
    await beforeRound?.(round);
    const measured: Measurement[] = [];
    for (let turn = 0; turn < workloads.length; turn += 1) {
      const index = (round + turn) % workloads.length;
      measured[index] = await measureRound(workloads[index] as Workload, count);
    }
    results.push(measured);
    process.stderr.write(measured.some(isDisturbed) ? '!' : '.');
  }
  const worst = (round: Measurement[]): number => Math.max(...round.map(({ disturbance }) => disturbance));
  const quietest = results.toSorted((a, b) => worst(a) - worst(b)).slice(0, rounds);
  return workloads.map((_, index) => quietest.map((round) => round[index] as Measurement));
}

/**
 * Warms every workload up: creates contacts and connections, lets V8 compile and PostgreSQL plan. Returns how many
 * operations make up a round.
 */
export async function warmUp(
  workloads: Workload[],
  { warmUp: operations, count }: Case,
  seconds: number,
): Promise<number> {
  const rates: number[] = [];
  for (const workload of workloads) {
    await workload.warmUp?.();
    if (operations === 0) continue;
    await workload.prepare?.(operations);
    const done = await workload.run(operations);
    await workload.check?.();
    rates.push(done.operations / done.seconds);
  }
  return count?.(seconds) ?? Math.max(1, Math.round(Math.min(...rates) * seconds));
}
