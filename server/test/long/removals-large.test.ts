import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fillTenant } from '../kit/bulk.ts';
import { OPERATOR_TOKEN, type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

/** `REMOVAL_MESSAGES=1000000` measures a really large one; filling it takes minutes. */
const MESSAGES = Number(process.env.REMOVAL_MESSAGES ?? 40_000);
const CHATS = MESSAGES / 10;
const MINUTES = 60_000;
/** The most rows that one transaction deletes. */
const MAX_BATCH = 5_000;

/** How long a healthy tenant waits for its requests, sorted, while `isOver` is false. */
async function measure(tenant: TestTenant, channelId: string, isOver: () => boolean): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; !isOver(); n += 1) {
    const startedAt = performance.now();
    const from = `+1666000${1000 + (n % 500)}`;
    const answer = await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'hello' });
    expect(answer.status).toBe(200);
    await tenant.post('/v3/messages/search', { pagination: { limit: 10 } });
    times.push(performance.now() - startedAt);
    await delay(5);
  }
  return times.sort((a, b) => a - b);
}
const at = (times: number[], share: number): number =>
  Math.round(times[Math.floor(times.length * share)] ?? 0);

const admin = (server: TestServer, method: string, path: string) =>
  server.call(method, path, { token: OPERATOR_TOKEN });

describe('a large deletion', () => {
  it.each(['tenant', 'channel'] as const)(
    'X20: of a %s is answered at once, done in batches, and leaves others alone',
    async (what) => {
      const server = await useServer({ timers: true });
      const { db } = server.system;
      const tenant = await server.tenant();
      const channel = await tenant.channel();
      await fillTenant((text, values) => db.query(text, values), tenant.id, channel.id, CHATS);
      await db.query('analyze', []);
      const healthy = await server.tenant();
      const theirs = await healthy.channel();
      let isOver = false;
      const reference = measure(healthy, theirs.id, () => isOver);
      await delay(3_000);
      isOver = true;
      const before = await reference;

      const startedAt = performance.now();
      const removal =
        what === 'tenant'
          ? await admin(server, 'DELETE', `/admin/tenants/${tenant.id}`)
          : await tenant.delete(`/v3/channels/${channel.id}`);
      const answeredMs = Math.round(performance.now() - startedAt);
      const { jobId } = removal.body.data;
      expect(jobId).toEqual(expect.any(String));
      const jobOf = async () => (await admin(server, 'GET', `/admin/jobs/${jobId}`)).body.data;

      const steps = [0];
      isOver = false;
      const meanwhile = measure(healthy, theirs.id, () => isOver);
      await until(async () => {
        const { done, status } = await jobOf();
        steps.push(done);
        return status === 'completed';
      }, 30 * MINUTES);
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      isOver = true;
      const during = await meanwhile;
      const left = await db.query('select count(*)::int as n from messages where tenant_id = $1', [
        tenant.id,
      ]);
      expect(left.rows).toEqual([{ n: 0 }]);
      const { rows } = await db.query('select max(batch)::int as batch from jobs', []);
      expect(rows[0]?.batch).toBeLessThanOrEqual(MAX_BATCH);
      process.stdout.write(
        `${what} of ${MESSAGES} messages: answered in ${answeredMs} ms, gone after ${seconds} s (${steps.at(-1)} rows); ` +
          `requests of another tenant p50/p99 ${at(before, 0.5)}/${at(before, 0.99)} ms before, ${at(during, 0.5)}/${at(during, 0.99)} ms meanwhile\n`,
      );
      // The machine does other things too, so the bound is generous: without batches the median would be seconds.
      expect(at(during, 0.5)).toBeLessThan(10 * at(before, 0.5) + 200);
    },
    45 * MINUTES,
  );
});
