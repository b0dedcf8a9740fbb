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
import {
  MAX_REFUSALS,
  type OpenMailbox,
  type ReadOptions,
  type ReceivedMails,
  type RefusedMail,
} from '../providers/mailbox.ts';
import { CredentialFailure } from '../providers/vendor-failure.ts';
import { decryptConfig } from './encrypted-config.ts';
import { endMailProblems, endProblem, type MailCause, reportHealth, setHealth } from './health.ts';
import type { KeptMailboxes } from './kept-mailboxes.ts';
import { MAILBOX_INTERVAL_MS, type MailboxRow, mailboxesQueue } from './queues.ts';
import { storeRequest } from './receive-request.ts';

// A process that lost its lease, or read a mailbox that was changed meanwhile, finds another due_at or another cursor.
const UNCHANGED = `id = $1 and tenant_id = $2 and due_at = $3::timestamptz
  and uid_validity is not distinct from $4 and uid is not distinct from $5`;
type Unchanged = [id: string, tenantId: string, due: string, uidValidity: number | null, uid: number | null];

const storeCursor = systemStatement<
  [...Unchanged, uidValidity: number, uid: number, dueAt: Date | null, attempts: number, error: string | null]
>(
  'mailboxes.store_cursor',
  `update mailboxes set uid_validity = $6, uid = $7, due_at = $8, attempts = $9, error = $10, problem = null
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

/** Further mails are read in another turn, so that slow servers make progress too. */
const MAX_READ_MS = 60_000;
const MAX_PROBLEM = 500;

/** What is stored while the server does not hand out a mail. The same words again: the same mail again. */
const refusalOf = (uid: number): string => `The server does not hand out the mail with the UID ${uid}.`;
const refusalsOf = (row: MailboxRow, uid: number): number =>
  row.error === refusalOf(uid) ? row.attempts : 0;

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
    return await readMailbox(deps, row);
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

async function readMailbox(deps: MailboxDeps, row: MailboxRow): Promise<Outcome> {
  const { keptMailboxes, log } = deps;
  const { mailbox, received } = await receiveMails(deps, row);
  let isKept = false;
  try {
    await reportRefusals(deps, row, received);
    const isStored = await storeMails(deps, row, received);
    isKept = isStored && mailbox.canWait && mailbox.isUsable() && keptMailboxes.keep(row, mailbox);
    const { problem } = row;
    if (isStored && problem !== null)
      await deps.db.forTenant(row.tenant_id).transaction((tx) => endProblem(tx, row.id, problem, log));
    return received.refused ? 'failing' : 'ok';
  } finally {
    if (!isKept) await mailbox.close();
  }
}

/** A mail that the server does not hand out is logged each time, and after some attempts the channel shows it. */
async function reportRefusals(
  { db, log }: MailboxDeps,
  row: MailboxRow,
  { refused, leftOut }: ReceivedMails,
): Promise<void> {
  const { id: channelId, tenant_id: tenantId } = row;
  if (leftOut)
    log.warn({ channelId, ...leftOut }, 'a mail was left out, because its server does not hand it out');
  if (refused) log.warn({ channelId, ...refused }, 'a mail could not be read and will be tried again');
  const wasShown = row.error !== null && row.attempts >= MAX_REFUSALS;
  const isShown = refused && refusalsOf(row, refused.uid) >= MAX_REFUSALS - 1;
  if (!leftOut && !isShown && !wasShown) return;
  await db.forTenant(tenantId).transaction(async (tx) => {
    const report = (cause: MailCause, { uid, reason }: RefusedMail, what: string): Promise<void> => {
      const problem = `${refusalOf(uid)} ${what} ${reason}`.slice(0, MAX_PROBLEM);
      return reportHealth(tx, channelId, { health: 'degraded', problem, cause });
    };
    if (leftOut) await report('mail_left_out', leftOut, 'It is left out.');
    else if (isShown) await report('mail_refused', refused, 'Parley tries again.');
    else if (wasShown) await endMailProblems(tx, channelId, ['mail_refused']);
  });
}

/** Reads through the connection that was kept. If that is lost, or there is none, through a new one. */
async function receiveMails(
  { keys, clock, adapters, context, keptMailboxes }: MailboxDeps,
  row: MailboxRow,
): Promise<{ mailbox: OpenMailbox; received: ReceivedMails }> {
  const adapter = adapters.get(row.provider);
  if (!adapter?.openMailbox) throw new Error(`The provider "${row.provider}" has no mailboxes.`);
  const before =
    row.uid_validity === null || row.uid === null ? null : { uidValidity: row.uid_validity, uid: row.uid };
  const endsAt = clock.real().getTime() + MAX_READ_MS;
  const options: ReadOptions = {
    isTimeUp: () => clock.real().getTime() >= endsAt,
    refusals: (uid) => refusalsOf(row, uid),
  };
  const kept = keptMailboxes.take(row);
  const received = await kept?.read(before, options).catch(() => undefined);
  if (kept && received && !received.refused) return { mailbox: kept, received };
  const { id, tenant_id: tenantId, kind, address } = row;
  const channel = { id, tenantId, kind, address, config: decryptConfig(row.config_encrypted, keys) };
  const mailbox = await adapter.openMailbox(channel, context);
  return { mailbox, received: await mailbox.read(before, options) };
}

/** Mails are stored like vendors' requests, in one transaction with the cursor: none is lost and none is stored twice. */
async function storeMails(
  deps: MailboxDeps,
  row: MailboxRow,
  { requests, cursor, more, refused }: ReceivedMails,
): Promise<boolean> {
  const { id, tenant_id: tenantId } = row;
  const now = deps.clock.real();
  const attempts = refused ? refusalsOf(row, refused.uid) + 1 : 0;
  const dueAt = refused
    ? nextDueAt(mailboxesQueue.retry, attempts, now)
    : new Date(now.getTime() + (more ? 0 : MAILBOX_INTERVAL_MS));
  const error = refused ? refusalOf(refused.uid) : null;
  return deps.db.systemTransaction(async (tx) => {
    const stored = await tx.run(storeCursor, [
      ...unchanged(row),
      cursor.uidValidity,
      cursor.uid,
      dueAt,
      attempts,
      error,
    ]);
    if (stored === 0) return false;
    for (const request of requests) await storeRequest(tx, [{ id, tenantId }], request, deps);
    return true;
  });
}
