import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { decryptConfig } from '../channels/channel.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import type { Publisher } from '../engine/outbox.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import {
  type Adapter,
  type AdapterChannel,
  type AdapterContext,
  type ChannelKind,
  VendorFailure,
} from '../providers/adapter.ts';
import { type Decision, decideAtVendor, type SubmittedRow, type VendorTemplates } from './at-vendor.ts';
import { TEMPLATES_LIST } from './task.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

interface TaskRow extends QueueRow {
  channel_id: string;
  template_id: string | null;
  name: string;
  language: string;
  vendor_id: string | null;
  attempts: number;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

const tasks = declareQueue<TaskRow>({
  name: TEMPLATES_LIST,
  table: 'template_tasks',
  lane: 'channel_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'true',
  claim: `select k.id, k.tenant_id, k.channel_id, k.template_id, k.name, k.language, k.vendor_id, k.attempts,
                 c.kind, c.provider, c.address, c.config_encrypted
            from template_tasks k join channels c on c.id = k.channel_id and c.tenant_id = k.tenant_id
           where k.shard = $1 and k.channel_id = $2 and k.due_at <= $3 order by k.due_at, k.id limit $4`,
  batch: 1,
  perLane: 1,
  atOnce: 8,
});

/** Counted before the vendor is asked: whoever finds a task that was begun knows that the vendor may have heard of it. */
const beginSubmission = statement<[id: string, tenantId: string, attempts: number], SubmittedRow>(
  'template_tasks.begin_submission',
  `update template_tasks k set attempts = k.attempts + 1 from message_templates t
    where k.id = $1 and k.tenant_id = $2 and k.attempts = $3 and t.id = k.template_id and t.tenant_id = k.tenant_id
   returning ${TEMPLATE_COLUMNS}, t.revision, t.submitted`,
);
const beginRemoval = statement<[id: string, tenantId: string, attempts: number]>(
  'template_tasks.begin_removal',
  'update template_tasks set attempts = attempts + 1 where id = $1 and tenant_id = $2 and attempts = $3',
);
const strike = statement<[id: string, tenantId: string, attempts: number]>(
  'template_tasks.delete',
  'delete from template_tasks where id = $1 and tenant_id = $2 and attempts = $3',
);
/** With everything behind it that is about the same name and language. */
const postpone = statement<[id: string, tenantId: string, attempts: number, dueAt: Date]>(
  'template_tasks.postpone',
  `update template_tasks k set due_at = greatest(k.due_at, $4) from template_tasks mine
    where mine.id = $1 and mine.tenant_id = $2 and mine.attempts = $3 and k.tenant_id = $2
      and k.channel_id = mine.channel_id and k.name = mine.name and k.language = mine.language and k.id >= mine.id`,
);
const setProblem = statement<[id: string, tenantId: string, problem: string, now: Date]>(
  'templates.set_problem',
  'update message_templates set problem = $3, updated_at = $4 where id = $1 and tenant_id = $2',
);
const lockSubmitted = statement<[id: string, tenantId: string], TemplateRow & { revision: number }>(
  'templates.lock_submitted',
  `select ${TEMPLATE_COLUMNS}, t.revision from message_templates t where t.id = $1 and t.tenant_id = $2 for update`,
);
const storeDecision = statement<
  [
    id: string,
    tenantId: string,
    vendorId: string | null,
    submitted: number,
    status: string,
    reason: string | null,
    now: Date,
  ],
  TemplateRow
>(
  'templates.store_decision',
  `update message_templates t set vendor_id = coalesce($3, vendor_id), submitted = $4, status = $5, rejection_reason = $6,
          problem = null, updated_at = $7
    where t.id = $1 and t.tenant_id = $2 returning ${TEMPLATE_COLUMNS}`,
);

const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 3600_000;
/** A template that is gone here has nowhere to show that it is still there: after a day it is left to the next sync. */
const REMOVAL_TRIES = 30;

interface SubmitDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  publisher: Publisher;
  log: Logger;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
}

/** Tells vendors that review templates what is new, changed and deleted, one thing of a channel at a time. */
export function submitTemplates(deps: SubmitDeps): Work {
  const { db, clock, keys, publisher, log, adapters, context } = deps;
  const later = (task: TaskRow, ms: number): Date => new Date(clock.now(task.tenant_id).getTime() + ms);
  const pauseAfter = (task: TaskRow): Date =>
    later(task, Math.min(FIRST_PAUSE_MS * 2 ** task.attempts, LONGEST_PAUSE_MS));
  const channelOf = (task: TaskRow): AdapterChannel => ({
    id: task.channel_id,
    tenantId: task.tenant_id,
    kind: task.kind,
    address: task.address,
    config: decryptConfig(task.config_encrypted, keys),
  });

  /** What the failure of a request to the vendor is in words; what went wrong on our side goes to the log alone. */
  function wordsOf(error: unknown, task: TaskRow): string {
    if (error instanceof VendorFailure || error instanceof OutboundError) return storable(error.message);
    log.error({ err: error, channelId: task.channel_id }, 'a template could not be brought to its vendor');
    return 'Something went wrong on our side';
  }

  async function holdUp(task: TaskRow, error: unknown): Promise<Outcome> {
    const problem = wordsOf(error, task);
    await db.transaction(async (tx) => {
      if (task.template_id !== null)
        await tx.run(setProblem, [task.template_id, task.tenant_id, problem, clock.now(task.tenant_id)]);
      await tx.run(postpone, [task.id, task.tenant_id, task.attempts + 1, pauseAfter(task)]);
    });
    return 'failing';
  }

  async function conclude(task: TaskRow, row: SubmittedRow, decision: Decision): Promise<Outcome> {
    await db.transaction(async (tx) => {
      const current = await tx.find(lockSubmitted, [row.id, task.tenant_id]);
      // Deleted meanwhile, and that is on the list already; or somebody else was faster.
      if (!current || (await tx.run(strike, [task.id, task.tenant_id, task.attempts + 1])) === 0) return;
      // The decision may have come before the answer, which then only says that it is pending; and a template that was
      // changed since waits for the decision on that change.
      const isNews = current.revision === row.revision && decision.status !== 'pending';
      const [status, reason] = isNews
        ? [decision.status, decision.reason]
        : [current.status, current.rejection_reason];
      const { vendorId } = decision;
      const stored = (await tx.find(storeDecision, [
        row.id,
        task.tenant_id,
        vendorId,
        row.revision,
        status,
        reason,
        clock.now(task.tenant_id),
      ])) as TemplateRow;
      if (status !== current.status) await publishStatusChange(tx, task.tenant_id, [stored], publisher);
    });
    return 'ok';
  }

  async function submit(task: TaskRow, adapter: Adapter | undefined): Promise<Outcome> {
    const row = await db.find(beginSubmission, [task.id, task.tenant_id, task.attempts]);
    if (!row) return 'ok';
    if (row.submitted === row.revision) {
      await db.run(strike, [task.id, task.tenant_id, task.attempts + 1]);
      return 'ok';
    }
    const channel = channelOf(task);
    if (!adapter?.templates) {
      const review = adapter?.review?.decide(row.name, channel.config);
      if (!review) return conclude(task, row, { vendorId: null, status: 'approved', reason: null });
      if (task.attempts > 0 || review.afterMs === 0)
        return conclude(task, row, { ...review, vendorId: null });
      await db.run(postpone, [task.id, task.tenant_id, task.attempts + 1, later(task, review.afterMs)]);
      return 'ok';
    }
    let decision: Decision;
    try {
      decision = await decideAtVendor(adapter.templates, row, task.attempts > 0, channel, context);
    } catch (error) {
      if (!(error instanceof VendorFailure) || error.isPassing) return holdUp(task, error);
      decision = { vendorId: null, status: 'rejected', reason: wordsOf(error, task) };
    }
    return conclude(task, row, decision);
  }

  async function remove(task: TaskRow, templates: VendorTemplates | undefined): Promise<Outcome> {
    if ((await db.run(beginRemoval, [task.id, task.tenant_id, task.attempts])) === 0) return 'ok';
    const channel = channelOf(task);
    const { name, language } = task;
    try {
      const vendorId =
        task.vendor_id ??
        (await templates?.list(channel, context))?.find(
          (one) => one.name === name && one.language === language,
        )?.vendorId;
      if (vendorId !== undefined) await templates?.remove({ vendorId, name }, channel, context);
    } catch (error) {
      const isFinal = error instanceof VendorFailure && !error.isPassing;
      if (!isFinal && task.attempts + 1 < REMOVAL_TRIES) return holdUp(task, error);
      const problem = wordsOf(error, task);
      log.warn({ channelId: task.channel_id, name, language, problem }, 'a template stays at its vendor');
    }
    await db.run(strike, [task.id, task.tenant_id, task.attempts + 1]);
    return 'ok';
  }

  return work(tasks, ([row]) => {
    const task = row as TaskRow;
    const adapter = adapters.get(task.provider);
    return task.template_id === null ? remove(task, adapter?.templates) : submit(task, adapter);
  });
}
