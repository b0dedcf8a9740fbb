import { expect } from 'vitest';
import type { Answer, TestServer, TestTenant } from './server.ts';

interface Caller {
  post(path: string, body?: unknown): Promise<Answer>;
}

/** The rows of a report. */
export async function reportOf(caller: Caller, body: object) {
  const answer = await caller.post('/v3/reports/search', body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return answer.body.data;
}

/** The one row of a whole period. */
export const totalOf = async (caller: Caller, body: object) => (await reportOf(caller, body))[0];

/** Lets hours pass until everything so far is counted and stored. */
export async function countAll(server: TestServer): Promise<void> {
  await server.settle();
  server.clock.advance(4 * 3600_000);
  await server.settle();
}

/** Everything that is stored for a tenant, in an order of its own. */
export const storedFigures = async (server: TestServer, { id }: Pick<TestTenant, 'id'>) =>
  (
    await server.system.db.query(
      `select figure, at, channel_id, subject_id, detail, count::int, total::int from report_figures where tenant_id = $1
        order by 1, 2, 3, 4, 5`,
      [id],
    )
  ).rows;

/** Random numbers that are the same in every run. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
