import { afterAll } from 'vitest';
import type { RunDraft, SendForRuns } from '../../src/automations/runs/effects.ts';
import { executeRuns } from '../../src/automations/runs/worker.ts';
import { runSchedules } from '../../src/automations/triggers/schedules.ts';
import { ApiError } from '../../src/base/errors.ts';
import { newId } from '../../src/base/ids.ts';
import { createLog } from '../../src/base/log.ts';
import { runCampaigns } from '../../src/campaigns/worker.ts';
import { requireChat } from '../../src/chats/chat.ts';
import { startChat } from '../../src/chats/start-chat.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { publisher } from '../../src/engine/outbox.ts';
import { realShardOf, SHARDS } from '../../src/engine/queue.ts';
import type { Work } from '../../src/engine/runner.ts';
import { requireMessage } from '../../src/messages/message.ts';
import type { TestServer, TestTenant } from './server.ts';
import { silentWakeUps } from './silent-wakeups.ts';

/** Executes campaigns, schedules and runs, with messages that are queued and go no further by themselves. */
export interface Execution {
  /** What was sent, in the order in which it was. */
  sent: RunDraft[];
  /** Does everything that is due by the clock. */
  settle(): Promise<void>;
  /** The same for campaigns and schedules alone: their runs stay where they are. */
  settleCampaigns(): Promise<void>;
}

/** Does everything of these lists that is due for a tenant. Whoever asks at the same time claims the same rows, as two workers may. */
export async function settleWorks(
  db: Database,
  tenantId: string,
  queues: Work[],
  now: () => Date,
): Promise<void> {
  for (let found = 1; found > 0; ) {
    found = 0;
    for (const { list, handle } of queues)
      for (const { shard, lane } of await db.all(list.find, [[0], [SHARDS - 1], now()])) {
        const rows = await claimsOf(db, list, now)(shard, lane, list.batch, new Set());
        if (rows[0]?.tenant_id !== tenantId) continue;
        found += rows.length;
        await handle(rows);
      }
  }
}

/** The server's database as its worker has it. */
export function workerDatabase({ databaseUrl }: TestServer): Database {
  const db = openDatabase({
    connection: { connectionString: databaseUrl },
    applicationName: 'test',
    poolSize: 4,
    readers: 0,
  });
  afterAll(() => db.close());
  return db;
}

/** An execution of its own of what one tenant has. The messages of whom `refuse` names are refused with that code. */
export function execution(
  { clock, logged }: TestServer,
  db: Database,
  { id: tenantId }: TestTenant,
  { through = db, refuse = {} }: { through?: Database; refuse?: Record<string, string> } = {},
): Execution {
  const publish = publisher(clock, silentWakeUps);
  const sent: RunDraft[] = [];

  const send: SendForRuns = async (tx, _, drafts) => {
    const answers: Awaited<ReturnType<SendForRuns>> = [];
    for (const draft of drafts) {
      const { contactId, chatId, channelId, origin } = draft;
      const code = refuse[contactId];
      const started =
        chatId === null
          ? startChat(
              tx,
              tenantId,
              { contactId, channelId: channelId as string },
              { clock, publisher: publish },
            )
          : requireChat(tx, tenantId, chatId);
      const chat = await started.catch((error) => {
        if (!(error instanceof ApiError)) throw error;
        return { issue: { code: 'no_handle', message: error.message } };
      });
      if ('issue' in chat || code !== undefined) {
        answers.push('issue' in chat ? chat : { issue: { code: code as string, message: 'Refused' } });
        continue;
      }
      const id = newId();
      await tx.query(
        `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                               status, timestamp, created_at, updated_at, shard, due_at, run_id, run_step, campaign_id)
         values ($1, $2, $3, $4, $5, 'outbound', $6, 'text', $7, '[]', '{}', 'queued', $8, $8, $8, $9, '-infinity', $10,
                 $11, $12)`,
        [
          id,
          tenantId,
          chat.id,
          chat.channelId,
          contactId,
          draft.author,
          draft.text,
          clock.now(),
          realShardOf(chat.channelId),
          origin.runId,
          origin.runStep,
          origin.campaignId,
        ],
      );
      answers.push({ message: await requireMessage(tx, tenantId, id) });
      sent.push(draft);
    }
    return answers;
  };

  const deps = {
    db: through,
    clock,
    publisher: publish,
    wakeUps: silentWakeUps,
    log: createLog({ level: 'error', json: true, destination: { write: (line) => void logged.push(line) } }),
    outbound: undefined as never,
    send,
  };
  const campaigns = [runSchedules(deps), runCampaigns(deps)];
  return {
    sent,
    settle: () => settleWorks(db, tenantId, [...campaigns, executeRuns(deps)], clock.now),
    settleCampaigns: () => settleWorks(db, tenantId, campaigns, clock.now),
  };
}

/** Brings a campaign's messages that wait to be sent to a status, as the sending and the vendor do. */
export async function deliver(
  { system: { db } }: TestServer,
  campaignId: string,
  status = 'sent',
  error: object | null = null,
): Promise<number> {
  const { rows } = await db.query(
    `update messages set status = $2, error = $3, due_at = null where campaign_id = $1 and due_at <= now() returning id`,
    [campaignId, status, error],
  );
  return rows.length;
}
