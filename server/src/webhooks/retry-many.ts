import { invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import type { Finish } from '../http/route.ts';
import { nextBatch } from '../jobs/batch-size.ts';
import { insertRequested } from '../jobs/insert-job.ts';
import { findItems, findJobState, type JobState, storeBulkProgress } from '../jobs/job.ts';
import { presentStarted, type StartedJob } from '../jobs/schema.ts';
import { parseSearchRequest } from '../search/request.ts';
import { findMatchingIds } from '../search/run-search.ts';
import { authorOf } from '../users/author.ts';
import { deliverySource, foundDeliveryFields } from './deliveries.ts';
import { lockWebhook, notActive, repeatDeliveries } from './replay.ts';
import { requireWebhook } from './webhook.ts';

/** Their ids are stored with the job. */
const MAX_ITEMS = 100_000;
const FIRST_BATCH = 200;
const MAX_BATCH = 2_000;

const repeatable = statement<[ids: string[], webhookId: string], { id: string }>(
  'deliveries.repeatable',
  `select d.id from deliveries d
    where d.id = any ($1::uuid[]) and d.tenant_id = $tenant and d.webhook_id = $2 and d.status <> 'pending'
      and exists (select 1 from visible_events e where e.id = d.event_id and e.tenant_id = d.tenant_id)
    order by d.id for no key update of d`,
);
/** Starts to send again what a webhook was sent before. Which deliveries is chosen now. */
export async function startRetries(
  db: TenantDatabase,
  webhookId: string,
  query: string,
  principal: Principal,
): Promise<Finish<StartedJob>> {
  const webhook = await requireWebhook(db.byKey, webhookId);
  if (webhook.status !== 'active') throw notActive(webhook.status);
  const ids = await db.search(async (reader) => {
    const request = parseSearchRequest({ query }, foundDeliveryFields, reader.now);
    if (!request.filter) throw invalidParam('query', 'custom', 'Must not be blank: say which ones');
    const source = deliverySource(webhook.id);
    return findMatchingIds(
      reader,
      { searchable: foundDeliveryFields, source, tenantId: reader.tenantId, request },
      MAX_ITEMS + 1,
    );
  });
  if (ids.length > MAX_ITEMS)
    throw invalidParam(
      'query',
      'too_big',
      `Matches more than ${MAX_ITEMS}; use a narrower one several times`,
    );
  return async (tx) =>
    presentStarted(
      await insertRequested(tx, {
        kind: 'retry_deliveries',
        subjectId: webhook.id,
        author: await authorOf(tx, principal, undefined),
        batch: FIRST_BATCH,
        itemIds: ids.toSorted(),
      }),
    );
}

async function retryBatch(tx: TenantTx, job: JobState): Promise<boolean> {
  const startedAt = performance.now();
  const { ids, left } = await findItems(tx, job);
  // Locked before its deliveries, as everywhere.
  const webhook = isUuid(job.subject_id) ? await tx.find(lockWebhook, [job.subject_id]) : undefined;
  if (ids.length > 0 && webhook?.status !== 'active') {
    const reason = webhook ? `The webhook is ${webhook.status}` : 'The webhook was deleted';
    await storeBulkProgress(tx, job, {
      status: 'failed',
      handled: left,
      batch: job.batch,
      done: 0,
      errors: [reason],
      failed: left,
    });
    return true;
  }
  const found = (await tx.all(repeatable, [ids, job.subject_id])).map(({ id }) => id);
  await repeatDeliveries(tx, job.subject_id, found);
  const known = new Set(found);
  const isEnded = ids.length === left;
  await storeBulkProgress(tx, job, {
    status: isEnded ? 'completed' : 'running',
    handled: ids.length,
    batch: nextBatch(job.batch, performance.now() - startedAt, ids.length === job.batch, MAX_BATCH),
    done: found.length,
    errors: ids
      .filter((id) => !known.has(id))
      .map((id) => `The delivery ${id} is pending, or its event is no longer stored`),
  });
  return isEnded;
}

/** Does a batch of a job and returns whether it has ended. */
export const runRetries = (_deps: unknown, tenant: TenantDatabase, jobId: string): Promise<boolean> =>
  tenant.transaction(async (tx) => {
    const job = await findJobState(tx, jobId);
    return job ? retryBatch(tx, job) : true;
  });
