import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { storable } from '../base/storable.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import type { AdapterContext } from '../providers/adapter.ts';
import type { Adapters } from '../providers/adapters.ts';
import { decryptConfig } from './channel.ts';
import { MAILBOX_INTERVAL_MS, type MailboxRow, mailboxesQueue } from './queues.ts';
import { storeRequest } from './receive-request.ts';

// A process that lost its lease, or read a mailbox that was changed meanwhile, finds another due_at or another cursor.
const UNCHANGED = `id = $1 and tenant_id = $2 and due_at = $3::timestamptz
  and uid_validity is not distinct from $4 and uid is not distinct from $5`;
type Unchanged = [id: string, tenantId: string, due: string, uidValidity: number | null, uid: number | null];

const storeCursor = systemStatement<[...Unchanged, uidValidity: number, uid: number, dueAt: Date]>(
  'mailboxes.store_cursor',
  `update mailboxes set uid_validity = $6, uid = $7, due_at = $8, attempts = 0, error = null where ${UNCHANGED}`,
);
const storeFailure = systemStatement<[...Unchanged, error: string, dueAt: Date | null]>(
  'mailboxes.fail',
  `update mailboxes set error = $6, due_at = $7, attempts = attempts + 1 where ${UNCHANGED}`,
);

const unchanged = (row: MailboxRow): Unchanged => [row.id, row.tenant_id, row.due, row.uid_validity, row.uid];

export interface MailboxDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  log: Logger;
  adapters: Adapters;
  context: AdapterContext;
}

/** Reads a mailbox, every half minute. Mailboxes run on real time, also those of test tenants. */
export async function readMailboxes(deps: MailboxDeps, [row]: MailboxRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  try {
    await readMailbox(deps, row);
    return 'ok';
  } catch (error) {
    const reason = storable(error instanceof Error ? error.message : String(error));
    deps.log.warn({ channelId: row.id, reason }, 'a mailbox could not be read and will be tried again');
    const dueAt = nextDueAt(mailboxesQueue.retry, row.attempts + 1, deps.clock.real());
    await deps.db.run(storeFailure, [...unchanged(row), reason, dueAt]);
    return 'failing';
  }
}

/** Mails are stored like vendors' requests, in one transaction with the cursor: none is lost and none is stored twice. */
async function readMailbox(deps: MailboxDeps, row: MailboxRow): Promise<void> {
  const { db, clock, keys, adapters, context } = deps;
  const adapter = adapters.get(row.provider);
  if (!adapter?.receive) throw new Error(`The provider "${row.provider}" has no mailboxes.`);
  const { id, tenant_id: tenantId, kind, address } = row;
  const channel = { id, tenantId, kind, address, config: decryptConfig(row.config_encrypted, keys) };
  const before =
    row.uid_validity === null || row.uid === null ? null : { uidValidity: row.uid_validity, uid: row.uid };
  const { requests, cursor, more } = await adapter.receive(channel, before, context);
  const dueAt = new Date(clock.real().getTime() + (more ? 0 : MAILBOX_INTERVAL_MS));
  await db.systemTransaction(async (tx) => {
    const stored = await tx.run(storeCursor, [...unchanged(row), cursor.uidValidity, cursor.uid, dueAt]);
    if (stored === 0) return;
    for (const request of requests) await storeRequest(tx, [{ id, tenantId }], request, deps);
  });
}
