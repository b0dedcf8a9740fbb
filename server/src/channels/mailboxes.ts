import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { storable } from '../base/storable.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import type { OpenMailbox, ReceivedMails } from '../providers/mailbox.ts';
import { CredentialFailure } from '../providers/vendor-failure.ts';
import { decryptConfig } from './encrypted-config.ts';
import { endProblem, setHealth } from './health.ts';
import type { KeptMailboxes } from './kept-mailboxes.ts';
import { MAILBOX_INTERVAL_MS, type MailboxRow, mailboxesQueue } from './queues.ts';
import { storeRequest } from './receive-request.ts';

// A process that lost its lease, or read a mailbox that was changed meanwhile, finds another due_at or another cursor.
const UNCHANGED = `id = $1 and tenant_id = $2 and due_at = $3::timestamptz
  and uid_validity is not distinct from $4 and uid is not distinct from $5`;
type Unchanged = [id: string, tenantId: string, due: string, uidValidity: number | null, uid: number | null];

const storeCursor = systemStatement<[...Unchanged, uidValidity: number, uid: number, dueAt: Date]>(
  'mailboxes.store_cursor',
  `update mailboxes set uid_validity = $6, uid = $7, due_at = $8, attempts = 0, error = null, problem = null
    where ${UNCHANGED}`,
);
const storeFailure = systemStatement<
  [...Unchanged, error: string, dueAt: Date | null, problem: string | null]
>(
  'mailboxes.fail',
  // A server that cannot be reached has not accepted the credentials that it refused before.
  `update mailboxes set error = $6, due_at = $7, attempts = attempts + 1, problem = coalesce($8, problem)
    where ${UNCHANGED}`,
);

const unchanged = (row: MailboxRow): Unchanged => [row.id, row.tenant_id, row.due, row.uid_validity, row.uid];

export interface MailboxDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  log: Logger;
  adapters: Adapters;
  context: AdapterContext;
  keptMailboxes: KeptMailboxes;
}

/** Reads a mailbox, every half minute and when its server announces mail. Mailboxes run on real time, also those of test tenants. */
export async function readMailboxes(deps: MailboxDeps, [row]: MailboxRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  try {
    await readMailbox(deps, row);
    return 'ok';
  } catch (error) {
    await failMailbox(deps, row, error);
    return 'failing';
  }
}

async function failMailbox(deps: MailboxDeps, row: MailboxRow, error: unknown): Promise<void> {
  const { db, clock, log } = deps;
  const reason = storable(error instanceof Error ? error.message : String(error));
  log.warn({ channelId: row.id, reason }, 'a mailbox could not be read and will be tried again');
  const dueAt = nextDueAt(mailboxesQueue.retry, row.attempts + 1, clock.real());
  const problem = error instanceof CredentialFailure ? reason : null;
  const stored = await db.run(storeFailure, [...unchanged(row), reason, dueAt, problem]);
  if (stored > 0 && problem !== null)
    await setHealth(db.forTenant(row.tenant_id), row.id, 'failing', problem, log);
}

async function readMailbox(deps: MailboxDeps, row: MailboxRow): Promise<void> {
  const { keptMailboxes, log } = deps;
  const { mailbox, received } = await receiveMails(deps, row);
  let isKept = false;
  try {
    const isStored = await storeMails(deps, row, received);
    isKept = isStored && mailbox.canWait && keptMailboxes.keep(row, mailbox);
    const { problem } = row;
    if (isStored && problem !== null)
      await deps.db.forTenant(row.tenant_id).transaction((tx) => endProblem(tx, row.id, problem, log));
  } finally {
    if (!isKept) await mailbox.close();
  }
}

/** Reads through the connection that was kept. If that is lost, or there is none, through a new one. */
async function receiveMails(
  { keys, adapters, context, keptMailboxes }: MailboxDeps,
  row: MailboxRow,
): Promise<{ mailbox: OpenMailbox; received: ReceivedMails }> {
  const adapter = adapters.get(row.provider);
  if (!adapter?.openMailbox) throw new Error(`The provider "${row.provider}" has no mailboxes.`);
  const before =
    row.uid_validity === null || row.uid === null ? null : { uidValidity: row.uid_validity, uid: row.uid };
  const kept = keptMailboxes.take(row);
  const received = await kept?.read(before).catch(() => undefined);
  if (kept && received) return { mailbox: kept, received };
  const { id, tenant_id: tenantId, kind, address } = row;
  const channel = { id, tenantId, kind, address, config: decryptConfig(row.config_encrypted, keys) };
  const mailbox = await adapter.openMailbox(channel, context);
  return { mailbox, received: await mailbox.read(before) };
}

/** Mails are stored like vendors' requests, in one transaction with the cursor: none is lost and none is stored twice. */
async function storeMails(
  deps: MailboxDeps,
  row: MailboxRow,
  { requests, cursor, more }: ReceivedMails,
): Promise<boolean> {
  const { id, tenant_id: tenantId } = row;
  const dueAt = new Date(deps.clock.real().getTime() + (more ? 0 : MAILBOX_INTERVAL_MS));
  return deps.db.systemTransaction(async (tx) => {
    const stored = await tx.run(storeCursor, [...unchanged(row), cursor.uidValidity, cursor.uid, dueAt]);
    if (stored === 0) return false;
    for (const request of requests) await storeRequest(tx, [{ id, tenantId }], request, deps);
    return true;
  });
}
