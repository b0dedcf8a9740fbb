import { copied } from './bare-writes.ts';
import { type CountedSide, measureCounted } from './counted.ts';
import { requestBytes, runLoad, times } from './load.ts';
import { startBare } from './processes.ts';
import type { Effort } from './reads.ts';
import type { Comparison } from './rounds.ts';
import { waitUntil } from './until.ts';
import type { World } from './world.ts';

const CONNECTIONS = 64;
const PEOPLE = 2000;
const WARM_UP = 2000;
const GOAL = 0.6;
const DAY_MS = 24 * 3600_000;

/** People without anything. */
const SEED = `
  insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, created_at, updated_at)
  select uuidv7(), $1, 'Run', 'Number ' || number, true, '{}', now(), now() from generate_series(1, ${PEOPLE}) as number
  returning id`;

/** Triggering an automation over the API: to begin tomorrow, and to begin at once. */
export async function triggerFigure(context: World, effort: Effort): Promise<Comparison[]> {
  const { db } = context;
  const { tenantId, token, call } = await context.newTenant();
  const { data: automation } = await call<{ data: { id: string } }>('POST', '/v3/automations', {
    name: 'Triggered',
    trigger: { type: 'api' },
    steps: [{ id: 'end', type: 'end' }],
  });
  const { data: published } = await call<{ data: { activeVersionId: string } }>(
    'POST',
    `/v3/automations/${automation.id}/publish`,
    {},
  );
  const { rows: people } = await db.query<{ id: string }>(SEED, [tenantId]);
  await db.query(copied('automation_runs'));
  await db.query('vacuum analyze');
  const bare = await startBare('trigger', {
    BENCH_DATABASE_URL: context.databaseUrl,
    BENCH_TENANT: tenantId,
    BENCH_VERSION: published.activeVersionId,
  });

  const worked = async (): Promise<void> =>
    waitUntil(
      async () =>
        (
          await db.query(
            `select 1 from automation_runs where automation_id = $1 and due_at <= now() limit 1`,
            [automation.id],
          )
        ).rows.length === 0,
    );
  async function compare(figure: string, more: object, goal: number | undefined): Promise<Comparison> {
    const requests = people.map(({ id: contactId }) =>
      requestBytes('POST', `/v3/automations/${automation.id}/trigger`, {
        token,
        body: { contactId, ...more },
      }),
    );
    const side = (name: string, { pid, port }: { pid: number; port: number }): CountedSide => ({
      name,
      pid,
      run: (count) => runLoad({ port, connections: CONNECTIONS, next: times(count, requests) }),
      // What is still to be done must not be charged to whoever comes next.
      check: worked,
    });
    const sides = [side('bare', bare), side('ours', context.server)];
    const results = await measureCounted(context, effort, sides, WARM_UP);
    return { figure, bare: results.get('bare') ?? [], ours: results.get('ours') ?? [], goal };
  }
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString();
  const compared = [
    await compare(
      'POST /v3/automations/{automationId}/trigger, for tomorrow',
      { scheduledAt: tomorrow },
      GOAL,
    ),
    await compare('  at once, executed meanwhile', {}, undefined),
  ];
  await bare.stop();
  return compared;
}
