import type { Database } from '../db/database.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import { type ChangeDeps, setChatStatus } from './change-chat.ts';

const snoozed = declareQueue<QueueRow>({
  name: 'chats',
  table: 'chats',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select id, tenant_id from chats
           where shard = $1 and channel_id = $2 and due_at <= $3 order by due_at, id limit $4`,
  batch: 50,
  perLane: 1,
  atOnce: 4,
});

/** Opens chats whose snooze is over. One that was opened, closed or deleted meanwhile is no longer due. */
export function endSnoozes(db: Database, deps: ChangeDeps): Work {
  return work(snoozed, async (rows) => {
    for (const { id, tenant_id } of rows)
      await db
        .transaction((tx) => setChatStatus(tx, tenant_id, id, { status: 'open' }, deps))
        .catch((error) => {
          if (error.key !== 'chat_not_found') throw error;
        });
    return 'ok';
  });
}
