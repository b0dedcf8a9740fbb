import { copyTables } from '../bare/writes.ts';
import type { Case, Side, Workload } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { createResource, createSandboxChannel } from '../target.ts';
import { hasNoRows, waitForNumbering, waitUntil } from '../wait.ts';
import { chargeBare, chargeServer, postBytes } from '../workload.ts';

const GOAL = 0.4;
const CONTACTS = 5000;

/** A broadcast to 5000 new contacts, each with a name, an attribute and a label. */
export async function createBroadcasts({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const channelId = await createSandboxChannel(target, { name: 'Broadcasts', address: '+15550009997' });
  const label = await createResource(target, '/v3/labels', { name: 'Broadcast' });
  const attribute = await createResource(target, '/v3/attributes', {
    name: 'City',
    externalId: 'broadcast_city',
  });
  const workflowId = await createResource(target, '/v3/automations', {
    name: 'Broadcast',
    trigger: { type: 'campaign', parameters: {} },
    steps: [{ id: 'end', type: 'end', parameters: {} }],
  });
  await target.call('POST', `/v3/automations/${workflowId}/publish`, {});
  let broadcasts = 0;
  const createRequest = (): Buffer => {
    broadcasts += 1;
    const contacts = Array.from({ length: CONTACTS }, (_, contact) => ({
      firstName: 'Ada',
      lastName: `Number ${contact}`,
      phoneNumber: `+1${7_000_000_000 + broadcasts * 10_000 + contact}`,
      attributes: [{ externalId: 'broadcast_city', value: 'London' }],
      labels: [{ name: 'Broadcast' }],
    }));
    const body = { name: `Round ${broadcasts}`, workflowId, contacts };
    return postBytes(target, `/v2/${channelId}/broadcasts`, body);
  };
  /** The broadcast itself runs after the answer, and must not be charged to the next round. */
  const isDone = async (): Promise<boolean> =>
    (await hasNoRows(
      target.db,
      'select 1 from campaigns where tenant_id = $1 and channel_id = $2 and due_at is not null limit 1',
      [target.tenantId, channelId],
    )) &&
    hasNoRows(
      target.db,
      'select 1 from automation_runs where automation_id = $1 and due_at is not null limit 1',
      [workflowId],
    );
  const sendBroadcasts = (getPort: () => number): Pick<Workload, 'prepare' | 'run'> => {
    let requests: Buffer[] = [];
    return {
      async prepare(count) {
        requests = Array.from({ length: count }, createRequest);
      },
      run: (count) => sendRequests(getPort(), count, requests, 1),
    };
  };
  return [
    {
      title: 'POST /v2/{channelId}/broadcasts, 5000 contacts',
      warmUp: 1,
      count: () => 1,
      effort: { rounds: 6 },
      restarts: 'once',
      ours: {
        ...chargeServer(target),
        ...sendBroadcasts(() => target.server.port),
        async check() {
          await waitUntil(isDone);
          await waitForNumbering(target, target.tenantId);
        },
      },
      bares: [
        {
          goal: GOAL,
          async create() {
            await target.db.query(
              copyTables(
                'campaigns',
                'contacts',
                'handles',
                'contact_labels',
                'contact_attributes',
                'recipients',
                'events',
              ),
            );
            const bare = await startBare('broadcasts', {
              BENCH_DATABASE_URL: target.databaseUrl,
              BENCH_TENANT: target.tenantId,
              BENCH_LABEL: label,
              BENCH_ATTRIBUTE: attribute,
            });
            return { ...chargeBare(bare, target), ...sendBroadcasts(() => bare.port) };
          },
        },
      ],
    },
  ];
}
