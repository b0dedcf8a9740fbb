import type { Case, Side } from '../figure.ts';
import { sendRequests } from '../load.ts';
import { startBare } from '../processes.ts';
import { seedChats } from '../seed.ts';
import { createSandboxChannel } from '../target.ts';
import { isQueueEmpty, waitForNumbering } from '../wait.ts';
import { chargeBare, chargeServer, countingRows, isIdle, postBytes, untilDone } from '../workload.ts';

const CHATS = 2000;
const WARM_UP = 1000;
const GOAL = 0.4;
/** Longer than a run: the statuses that the sandbox reports after a message was sent are not part of sending it. */
export const STATUS_DELAY_MS = 3_600_000;

/** A message to one of many chats, from the request until the vendor has it and the database says so. */
export async function createSending({ getTarget }: Side): Promise<Case[]> {
  const target = await getTarget();
  const tenant = await target.createTenant();
  const { tenantId } = tenant;
  const channelId = await createSandboxChannel(tenant, {
    name: 'Sending',
    address: '+15550009994',
    config: { statusDelayMs: STATUS_DELAY_MS },
  });
  const chatIds = await seedChats(target.db, tenantId, channelId, CHATS);
  const body = { text: 'Yes, it is still available. You can come by on Saturday between ten and two.' };
  const requests = chatIds.map((id) => postBytes(tenant, `/v3/chats/${id}/messages`, body));
  const ours = {
    ...chargeServer(target),
    run: (count: number) => sendRequests(target.server.port, count, requests),
    check: () => waitForNumbering(target, tenantId),
  };
  const countSent = `select count(*)::int as count from messages
    where tenant_id = '${tenantId}' and channel_id = '${channelId}' and status = 'sent'`;
  const countBareSent = `select count(*)::int as count from bare_sending.messages where status = 'sent'`;
  return [
    {
      title: 'POST message to sent',
      warmUp: WARM_UP,
      ours: countingRows(untilDone(ours, isQueueEmpty(target, 'messages', channelId)), target, countSent),
      bares: [
        {
          goal: GOAL,
          async create() {
            const bare = await startBare('sending', { BENCH_DATABASE_URL: target.databaseUrl });
            const workload = {
              ...chargeBare(bare, target),
              run: (count: number) => sendRequests(bare.port, count, requests),
            };
            return countingRows(untilDone(workload, isIdle(bare)), target, countBareSent);
          },
        },
      ],
    },
  ];
}
