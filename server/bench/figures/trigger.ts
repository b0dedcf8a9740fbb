import { copyTables } from '../bare/writes.ts';
import type { Case, Side } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { seedContacts } from '../seed.ts';
import { createResource } from '../target.ts';
import { hasNoRows, waitUntil } from '../wait.ts';
import { chargeBare, chargeServer, postBytes } from '../workload.ts';

const CONTACTS = 2000;
const WARM_UP = 2000;
const GOAL = 0.6;
const DAY_MS = 24 * 3600_000;

/** Triggers an automation over the API: to begin tomorrow, and to begin now. */
export async function createTrigger({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const { db } = target;
  const tenant = await target.createTenant();
  const automationId = await createResource(tenant, '/v3/automations', {
    name: 'Triggered',
    trigger: { type: 'api' },
    steps: [{ id: 'end', type: 'end' }],
  });
  const { data: published } = await tenant.call<{ data: { activeVersionId: string } }>(
    'POST',
    `/v3/automations/${automationId}/publish`,
    {},
  );
  const contacts = await seedContacts(db, tenant.tenantId, CONTACTS);
  const isDone = () =>
    hasNoRows(db, 'select 1 from automation_runs where automation_id = $1 and due_at <= now() limit 1', [
      automationId,
    ]);
  function createCase(title: string, fields: object, goal?: number): Case {
    const requests = contacts.map((contactId) =>
      postBytes(tenant, `/v3/automations/${automationId}/trigger`, { contactId, ...fields }),
    );
    return {
      title,
      warmUp: WARM_UP,
      ours: {
        ...chargeServer(target),
        run: (count) => sendRequests(target.server.port, count, requests),
        // Runs that are still to be executed must not be charged to the next round.
        check: () => waitUntil(isDone),
      },
      bares: [
        {
          ...(goal === undefined ? {} : { goal }),
          async create() {
            await db.query(copyTables('automation_runs'));
            const bare = await startBare('trigger', {
              BENCH_DATABASE_URL: target.databaseUrl,
              BENCH_TENANT: tenant.tenantId,
              BENCH_VERSION: published.activeVersionId,
            });
            return { ...chargeBare(bare, target), run: (count) => sendRequests(bare.port, count, requests) };
          },
        },
      ],
    };
  }
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString();
  return [
    createCase('POST /v3/automations/{automationId}/trigger, for tomorrow', { scheduledAt: tomorrow }, GOAL),
    createCase('  for now, executed meanwhile', {}),
  ];
}
