import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant } from '../base/ids.ts';
import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import { declareQueue, HELD, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { ExpressionError } from '../search/tokens.ts';
import {
  beginOccurrence,
  DUE_COLUMNS,
  type DueCampaign,
  endOccurrence,
  failCampaign,
} from './begin-occurrence.ts';
import { CAMPAIGNS_LIST } from './campaign.ts';
import { gatherRecipients, hasOpenRecipients, serveRecipients } from './serve-recipients.ts';

interface Row extends QueueRow {
  attempts: number;
}

const due = declareQueue<Row>({
  name: CAMPAIGNS_LIST,
  table: 'campaigns',
  lane: 'tenant_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select id, tenant_id, attempts from campaigns
           where shard = $1 and tenant_id = $2 and due_at <= $3 order by due_at, id limit $4`,
  batch: 1,
  perLane: 4,
  atOnce: 8,
});

const lockDue = statement<[id: string, tenantId: string, now: Date], DueCampaign>(
  'campaigns.lock_due',
  // One that was paused or cancelled, or taken further by another worker, is no longer due.
  `select ${DUE_COLUMNS} from campaigns c
    where c.id = $1 and c.tenant_id = $2 and c.due_at <= $3 and c.status in ('scheduled', 'running')
      for no key update of c`,
);
const lookAgain = statement<[id: string, tenantId: string, dueAt: Date]>(
  'campaigns.look_again',
  'update campaigns set due_at = $3, attempts = 0 where id = $1 and tenant_id = $2',
);
const nextRun = statement<[campaignId: string, tenantId: string, now: Date], { at: Date | null }>(
  'campaigns.next_run',
  `select min(due_at) as at from automation_runs
    where campaign_id = $1 and tenant_id = $2 and due_at > $3 and due_at < ${HELD}`,
);
const postpone = statement<[id: string, tenantId: string, attempts: number, dueAt: Date]>(
  'campaigns.postpone',
  `update campaigns set attempts = attempts + 1, due_at = $4
    where id = $1 and tenant_id = $2 and attempts = $3 and due_at is not null`,
);

/** A campaign that fails for reasons of ours is tried so often, and then stays to be looked at. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1_000;
/** How many transactions one turn takes, so that the campaigns of a tenant take turns. */
const STRETCH = 20;
const SOONEST_LOOK_MS = 1_000;
const LATEST_LOOK_MS = 600_000;
/** A clock that is moved stops at every look, so there the next one may wait until a run goes on, but no longer than this. */
const LATEST_TEST_LOOK_MS = 2 * 3600_000;

export interface CampaignDeps {
  db: Database;
  clock: Clock;
  publisher: Publisher;
  wakeUps: WakeUps;
  log: Logger;
}

/** The longer an occurrence takes, the less it matters to know at once that it is over. */
function nextLook(beganAt: Date | null, now: Date): Date {
  const tenth = (now.getTime() - (beganAt ?? now).getTime()) / 10;
  return new Date(now.getTime() + Math.min(LATEST_LOOK_MS, Math.max(SOONEST_LOOK_MS, tenth)));
}

async function nextTestLook(
  tx: Tx,
  tenantId: string,
  campaignId: string,
  soonest: Date,
  now: Date,
): Promise<Date> {
  const run = (await tx.find(nextRun, [campaignId, tenantId, now]))?.at?.getTime() ?? 0;
  const latest = Math.min(run, now.getTime() + LATEST_TEST_LOOK_MS);
  return new Date(Math.max(soonest.getTime(), latest));
}

/** Begins occurrences of campaigns that are due, starts the runs of their recipients, and ends them when all are through. */
export function runCampaigns(deps: CampaignDeps): Work {
  const { db, clock, wakeUps, log } = deps;

  /** One transaction's worth of work; true when there is more to do at once. */
  async function advance(tx: Tx, tenantId: string, campaignId: string): Promise<boolean> {
    const now = clock.now(tenantId);
    const locked = await tx.find(lockDue, [campaignId, tenantId, now]);
    if (!locked) return false;
    if (locked.next_at !== null || locked.occurrence_at === null)
      return (await beginOccurrence(tx, tenantId, locked, deps)) !== undefined;
    if (await gatherRecipients(tx, tenantId, locked, now)) return true;
    const served = await serveRecipients(tx, tenantId, locked, { wakeUps, now });
    if (served === undefined) {
      const message = 'The automation was deleted while the campaign was under way';
      await failCampaign(tx, tenantId, campaignId, { code: 'automation_deleted', message }, deps);
      return false;
    }
    if (served > 0) return true;
    if (await hasOpenRecipients(tx, tenantId, campaignId)) {
      const soonest = nextLook(locked.began_at, now);
      const at = isTestTenant(tenantId)
        ? await nextTestLook(tx, tenantId, campaignId, soonest, now)
        : soonest;
      await tx.run(lookAgain, [campaignId, tenantId, at]);
    } else await endOccurrence(tx, tenantId, locked, deps);
    return false;
  }

  /** What the tenant can put right is told at once; anything else is tried again before. */
  async function giveUpOn({ id, tenant_id: tenantId, attempts }: Row, error: unknown): Promise<void> {
    const isTheirs = error instanceof ExpressionError;
    if (!isTheirs) log.error({ err: error, campaignId: id, tenantId }, 'a campaign failed');
    if (!isTheirs && attempts + 1 < TRIES) {
      const dueAt = new Date(clock.now(tenantId).getTime() + FIRST_PAUSE_MS * 4 ** attempts);
      await db.run(postpone, [id, tenantId, attempts, dueAt]);
      return;
    }
    const issue = isTheirs
      ? { code: 'invalid_audience', message: error.message }
      : { code: 'internal', message: 'It failed again and again for a reason of the server; see its log' };
    await db.transaction(async (tx) => {
      if (await tx.find(lockDue, [id, tenantId, clock.now(tenantId)]))
        await failCampaign(tx, tenantId, id, issue, deps);
    });
  }

  return work(due, async ([row]) => {
    if (!row) return 'ok';
    try {
      for (let done = 0; done < STRETCH; done += 1)
        if (!(await db.transaction((tx) => advance(tx, row.tenant_id, row.id)))) break;
      return 'ok';
    } catch (error) {
      if (error instanceof ApiError && error.key === 'service_unavailable') throw error;
      await giveUpOn(row, error);
      return 'failing';
    }
  });
}
