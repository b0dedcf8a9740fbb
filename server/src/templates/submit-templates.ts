import type { Logger } from 'pino';
import type { Keys } from '../base/crypto.ts';
import { storable } from '../base/storable.ts';
import { decryptConfig } from '../channels/encrypted-config.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { nextDueAt } from '../engine/retry.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { VendorFailure } from '../providers/vendor-failure.ts';
import { type Decision, type SubmittedRow, submitToVendor, type VendorTemplates } from './at-vendor.ts';
import { type TemplateTaskRow, templateTasksQueue } from './queues.ts';
import { publishStatusChange, TEMPLATE_COLUMNS, type TemplateRow } from './template.ts';

/** Counted before the vendor is called: after a crash the count shows that the vendor may have the template. */
const beginSubmission = statement<[id: string, attempts: number], SubmittedRow>(
  'template_tasks.begin_submission',
  `update template_tasks k set attempts = k.attempts + 1 from message_templates t
    where k.id = $1 and k.tenant_id = $tenant and k.attempts = $2 and t.id = k.template_id and t.tenant_id = k.tenant_id
   returning ${TEMPLATE_COLUMNS}, t.revision, t.submitted`,
);
const beginRemoval = statement<[id: string, attempts: number]>(
  'template_tasks.begin_removal',
  'update template_tasks set attempts = attempts + 1 where id = $1 and tenant_id = $tenant and attempts = $2',
);
const deleteTask = statement<[id: string, attempts: number]>(
  'template_tasks.delete',
  'delete from template_tasks where id = $1 and tenant_id = $tenant and attempts = $2',
);
/** Together with the tasks behind it that have the same name and language. */
const postpone = statement<[id: string, attempts: number, dueAt: Date]>(
  'template_tasks.postpone',
  `update template_tasks k set due_at = greatest(k.due_at, $3) from template_tasks mine
    where mine.id = $1 and mine.tenant_id = $tenant and mine.attempts = $2 and k.tenant_id = $tenant
      and k.channel_id = mine.channel_id and k.name = mine.name and k.language = mine.language and k.id >= mine.id`,
);
const setProblem = statement<[id: string, problem: string, now: Date]>(
  'templates.set_problem',
  'update message_templates set problem = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const lockSubmitted = statement<[id: string], TemplateRow & { revision: number }>(
  'templates.lock_submitted',
  `select ${TEMPLATE_COLUMNS}, t.revision from message_templates t where t.id = $1 and t.tenant_id = $tenant for no key update`,
);
const storeDecision = statement<
  [id: string, vendorId: string | null, submitted: number, status: string, reason: string | null, now: Date],
  TemplateRow
>(
  'templates.store_decision',
  `update message_templates t set vendor_id = coalesce($2, vendor_id), submitted = $3, status = $4, rejection_reason = $5,
          problem = null, updated_at = $6
    where t.id = $1 and t.tenant_id = $tenant returning ${TEMPLATE_COLUMNS}`,
);

/**
 * About a day. A template that is deleted here cannot show that it still exists at the vendor, so after that it is left
 * to the next sync.
 */
const MAX_REMOVAL_ATTEMPTS = 30;

export interface SubmitDeps {
  db: Database;
  keys: Keys;
  log: Logger;
  adapters: Adapters;
  context: AdapterContext;
}

/** Submits a new or changed template to the vendor, or deletes one there. */
export async function submitTemplates(deps: SubmitDeps, [task]: TemplateTaskRow[]): Promise<Outcome> {
  if (!task) return 'ok';
  const adapter = deps.adapters.get(task.provider);
  return task.template_id === null
    ? removeAtVendor(deps, task, adapter?.templates)
    : submitTemplate(deps, task, adapter);
}

const channelOf = (task: TemplateTaskRow, keys: Keys): AdapterChannel => ({
  id: task.channel_id,
  tenantId: task.tenant_id,
  kind: task.kind,
  address: task.address,
  config: decryptConfig(task.config_encrypted, keys),
});

async function submitTemplate(
  deps: SubmitDeps,
  task: TemplateTaskRow,
  adapter: Adapter | undefined,
): Promise<Outcome> {
  const db = deps.db.forTenant(task.tenant_id);
  const row = await db.find(beginSubmission, [task.id, task.attempts]);
  if (!row) return 'ok';
  if (row.submitted === row.revision) {
    await db.run(deleteTask, [task.id, task.attempts + 1]);
    return 'ok';
  }
  const channel = channelOf(task, deps.keys);
  if (!adapter?.templates) {
    const review = adapter?.review?.decide(row.name, channel.config);
    if (!review) return storeResult(deps, task, row, { vendorId: null, status: 'approved', reason: null });
    if (task.attempts > 0 || review.afterMs === 0)
      return storeResult(deps, task, row, { ...review, vendorId: null });
    await db.run(postpone, [task.id, task.attempts + 1, new Date(db.now.getTime() + review.afterMs)]);
    return 'ok';
  }
  let decision: Decision;
  try {
    decision = await submitToVendor(adapter.templates, row, task.attempts > 0, channel, deps.context);
  } catch (error) {
    if (!(error instanceof VendorFailure) || error.isTemporary) return retryLater(deps, task, error);
    decision = { vendorId: null, status: 'rejected', reason: describeError(deps.log, error, task) };
  }
  return storeResult(deps, task, row, decision);
}

async function storeResult(
  { db }: SubmitDeps,
  task: TemplateTaskRow,
  row: SubmittedRow,
  decision: Decision,
): Promise<Outcome> {
  await db.forTenant(task.tenant_id).transaction(async (tx) => {
    const current = await tx.find(lockSubmitted, [row.id]);
    // The template was deleted meanwhile, which is queued already, or another process stored the result.
    if (!current || (await tx.run(deleteTask, [task.id, task.attempts + 1])) === 0) return;
    // A decision may have come before this answer, which then only says pending. A template that was changed since
    // waits for the decision on that change.
    const isNews = current.revision === row.revision && decision.status !== 'pending';
    const [status, reason] = isNews
      ? [decision.status, decision.reason]
      : [current.status, current.rejection_reason];
    const stored = await tx.find(storeDecision, [
      row.id,
      decision.vendorId,
      row.revision,
      status,
      reason,
      tx.now,
    ]);
    if (status !== current.status) publishStatusChange(tx, [stored as TemplateRow]);
  });
  return 'ok';
}

async function removeAtVendor(
  deps: SubmitDeps,
  task: TemplateTaskRow,
  templates: VendorTemplates | undefined,
): Promise<Outcome> {
  const db = deps.db.forTenant(task.tenant_id);
  if ((await db.run(beginRemoval, [task.id, task.attempts])) === 0) return 'ok';
  const channel = channelOf(task, deps.keys);
  const { name, language } = task;
  try {
    const vendorId =
      task.vendor_id ??
      (await templates?.list(channel, deps.context))?.templates.find(
        (one) => one.name === name && one.language === language,
      )?.vendorId;
    if (vendorId !== undefined) await templates?.remove({ vendorId, name }, channel, deps.context);
  } catch (error) {
    const isFinal = error instanceof VendorFailure && !error.isTemporary;
    if (!isFinal && task.attempts + 1 < MAX_REMOVAL_ATTEMPTS) return retryLater(deps, task, error);
    const problem = describeError(deps.log, error, task);
    const line = { channelId: task.channel_id, name, language, problem };
    deps.log.warn(line, 'a template could not be deleted at its vendor');
  }
  await db.run(deleteTask, [task.id, task.attempts + 1]);
  return 'ok';
}

async function retryLater(deps: SubmitDeps, task: TemplateTaskRow, error: unknown): Promise<Outcome> {
  const problem = describeError(deps.log, error, task);
  await deps.db.forTenant(task.tenant_id).transaction(async (tx) => {
    if (task.template_id !== null) await tx.run(setProblem, [task.template_id, problem, tx.now]);
    const dueAt = nextDueAt(templateTasksQueue.retry, task.attempts + 1, tx.now) as Date;
    await tx.run(postpone, [task.id, task.attempts + 1, dueAt]);
  });
  return 'failing';
}

/** The error of a call to the vendor, for the user; an error of our own is only logged. */
function describeError(log: Logger, error: unknown, task: TemplateTaskRow): string {
  if (error instanceof VendorFailure || error instanceof OutboundError) return storable(error.message);
  log.error({ err: error, channelId: task.channel_id }, 'a template could not be submitted to its vendor');
  return 'An internal error occurred';
}
