import type { Database } from '../db/database.ts';
import type { QueueRow } from '../engine/queue.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { setChatStatuses } from './set-status.ts';

/** Opens chats whose snooze has ended. One that was opened, closed, snoozed again or deleted meanwhile stays as it is. */
export async function endSnoozes({ db }: { db: Database }, rows: QueueRow[]): Promise<Outcome> {
  for (const { id, tenant_id } of rows)
    await db
      .forTenant(tenant_id)
      .transaction((tx) => setChatStatuses(tx, [id], { status: 'open', isSnoozeEnd: true }));
  return 'ok';
}
