import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { QueueRow } from '../engine/queue.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { setChatStatus } from './set-status.ts';

/** Opens chats whose snooze has ended. A chat that was opened, closed or deleted meanwhile is no longer due. */
export async function endSnoozes({ db }: { db: Database }, rows: QueueRow[]): Promise<Outcome> {
  for (const { id, tenant_id } of rows)
    await db
      .forTenant(tenant_id)
      .transaction((tx) => setChatStatus(tx, id, { status: 'open', isSnoozeEnd: true }))
      .catch((error) => {
        if (!(error instanceof ApiError && error.key === 'chat_not_found')) throw error;
      });
  return 'ok';
}
