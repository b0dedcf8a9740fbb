import type { Logger } from 'pino';
import { isTestTenant } from '../base/ids.ts';
import { AudienceTooSlow } from '../contacts/gather-audience.ts';
import type { Database } from '../db/database.ts';
import { isServerTrouble } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { HELD } from '../engine/queue.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { ExpressionError } from '../search/grammar/tokens.ts';
import { beginOccurrence, endOccurrence, failCampaign, lockDue } from './begin-occurrence.ts';
import { campaignsQueue, type DueCampaignRow } from './queues.ts';
import { gatherRecipients, hasOpenRecipients, startRecipients } from './start-recipients.ts';

const checkAgain = statement<[id: string, dueAt: Date]>(
  'campaigns.check_again',
  'update visible_campaigns set due_at = $2, attempts = 0 where id = $1 and tenant_id = $tenant',
);
const nextRun = statement<[campaignId: string, now: Date], { at: Date | null }>(
  'campaigns.next_run',
  `select min(due_at) as at from visible_automation_runs
    where campaign_id = $1 and tenant_id = $tenant and due_at > $2 and due_at < ${HELD}`,
);
const postpone = statement<[id: string, attempts: number, dueAt: Date]>(
  'campaigns.postpone',
  `update visible_campaigns set attempts = attempts + 1, due_at = $3
    where id = $1 and tenant_id = $tenant and attempts = $2 and due_at is not null`,
);

/** After this many transactions other campaigns of the tenant continue. */
const TRANSACTIONS_PER_TURN = 20;
const MIN_CHECK_MS = 1_000;
const MAX_CHECK_MS = 600_000;
/** A moving test clock stops at every check. There the next check waits for the next run, but at most this long. */
const MAX_TEST_CHECK_MS = 2 * 3600_000;

interface CampaignDeps {
  db: Database;
  log: Logger;
}

/** The longer an occurrence takes, the less often its end is checked. */
function nextCheck(beganAt: Date | null, now: Date): Date {
  const tenth = (now.getTime() - (beganAt ?? now).getTime()) / 10;
  return new Date(now.getTime() + Math.min(MAX_CHECK_MS, Math.max(MIN_CHECK_MS, tenth)));
}

async function nextTestCheck(tx: TenantTx, campaignId: string, soonest: Date): Promise<Date> {
  const run = (await tx.find(nextRun, [campaignId, tx.now]))?.at?.getTime() ?? 0;
  const latest = Math.min(run, tx.now.getTime() + MAX_TEST_CHECK_MS);
  return new Date(Math.max(soonest.getTime(), latest));
}

/** Advances a campaign by one transaction. Returns true if there is more to do now. */
async function advanceCampaign(tx: TenantTx, campaignId: string): Promise<boolean> {
  const { now } = tx;
  const locked = await tx.find(lockDue, [campaignId, now]);
  if (!locked) return false;
  if (locked.next_at !== null || locked.occurrence_at === null)
    return (await beginOccurrence(tx, locked)) !== undefined;
  if (await gatherRecipients(tx, locked)) return true;
  const started = await startRecipients(tx, locked);
  if (started === undefined) {
    const message = 'The automation was deleted while the campaign was running';
    await failCampaign(tx, campaignId, { code: 'automation_deleted', message });
    return false;
  }
  if (started > 0) return true;
  if (await hasOpenRecipients(tx, campaignId)) {
    const soonest = nextCheck(locked.began_at, now);
    const dueAt = isTestTenant(tx.tenantId) ? await nextTestCheck(tx, campaignId, soonest) : soonest;
    await tx.run(checkAgain, [campaignId, dueAt]);
  } else await endOccurrence(tx, locked);
  return false;
}

/** An invalid audience fails the campaign immediately. After other errors it is retried first. */
async function recordFailure(
  { db, log }: CampaignDeps,
  { id, tenant_id: tenantId, attempts }: DueCampaignRow,
  error: unknown,
): Promise<void> {
  const isAudienceError = error instanceof ExpressionError;
  if (!isAudienceError) log.error({ err: error, campaignId: id, tenantId }, 'a campaign failed');
  await db.forTenant(tenantId).transaction(async (tx) => {
    const dueAt = isAudienceError ? null : nextDueAt(campaignsQueue.retry, attempts + 1, tx.now);
    if (dueAt !== null) {
      await tx.run(postpone, [id, attempts, dueAt]);
      return;
    }
    const failure = isAudienceError
      ? { code: 'invalid_audience', message: error.message }
      : error instanceof AudienceTooSlow
        ? { code: 'audience_too_slow', message: error.message }
        : {
            code: 'internal',
            message: 'The campaign failed repeatedly because of an internal error; see the log of the server',
          };
    if (await tx.find(lockDue, [id, tx.now])) await failCampaign(tx, id, failure);
  });
}

/** Starts due occurrences of campaigns and the runs of their recipients, and ends finished occurrences. */
export async function runCampaigns(deps: CampaignDeps, [row]: DueCampaignRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  const tenant = deps.db.forTenant(row.tenant_id);
  try {
    for (let count = 0; count < TRANSACTIONS_PER_TURN; count += 1)
      if (!(await tenant.transaction((tx) => advanceCampaign(tx, row.id)))) break;
    return 'ok';
  } catch (error) {
    if (isServerTrouble(error)) throw error;
    await recordFailure(deps, row, error);
    return 'failing';
  }
}
