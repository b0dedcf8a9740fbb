import { type TSchema, Type } from 'typebox';
import { inVisibleChannels, runFields, runSource } from '../automations/runs/run.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { collectIssues } from '../base/issues.ts';
import { chatFields, chatSource } from '../chats/search.ts';
import { contactSource, searchableContacts } from '../contacts/search.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantReader, TenantTx } from '../db/tenant.ts';
import { hasScope, meOf, type Principal, type Scope } from '../http/permissions.ts';
import type { Finish } from '../http/route.ts';
import { Uuid } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import { parseSearchRequest } from '../search/request.ts';
import { findMatchingIds } from '../search/run-search.ts';
import { Query } from '../search/schema.ts';
import { restrictToChannels, type SearchSource } from '../search/source.ts';
import { authorOf, OnBehalfOf } from '../users/author.ts';
import { type JobAction, validateFields } from './actions.ts';
import { maxBatchOf, notFound, scopeOf, validateAction } from './bulk-actions.ts';
import { insertRequested } from './insert-job.ts';
import { findJobState, requireJob, storeBulkProgress } from './job.ts';
import {
  type BulkKind,
  isBulkKind,
  isRequestedKind,
  type Job,
  presentStarted,
  type RequestedKind,
  type StartedJob,
} from './schema.ts';

const MAX_IDS = 10_000;
/** Their ids are stored with the job. To choose and store 30,000 takes 0.4 s. */
const MAX_ITEMS = 100_000;
const FIRST_BATCH = 50;

export const BulkBody = <A extends TSchema>(action: A) =>
  Type.Object({
    query: Type.Optional(Query),
    ids: Type.Optional(
      Type.Array(Uuid(), { minItems: 1, maxItems: MAX_IDS, description: 'Which ones, instead of a query' }),
    ),
    action,
    ...OnBehalfOf,
  });
interface BulkRequest {
  query?: string;
  ids?: string[];
  action: JobAction;
  userId?: string;
}

const visibleChats = statement<[ids: string[], channelIds: string[] | null], { id: string }>(
  'jobs.visible_chats',
  `select id from visible_chats where id = any ($1::uuid[]) and tenant_id = $tenant
      and ($2::uuid[] is null or channel_id = any ($2::uuid[]))`,
);
const visibleContacts = statement<[ids: string[]], { id: string }>(
  'jobs.visible_contacts',
  'select id from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant',
);

const visibleRuns = statement<[ids: string[], channelIds: string[] | null], { id: string }>(
  'jobs.visible_runs',
  `select r.id from visible_automation_runs r where r.id = any ($1::uuid[]) and r.tenant_id = $tenant
      and ($2::uuid[] is null or ${inVisibleChannels('$2::uuid[]')})`,
);

interface Target {
  source: SearchSource;
  searchable(reader: TenantReader, filter: string): Searchable | Promise<Searchable>;
  /** Of the given ids, those that exist and that the caller sees. */
  findVisible(db: TenantReader, ids: string[], principal: Principal): Promise<{ id: string }[]>;
}
const targets: Record<BulkKind, Target> = {
  change_chats: {
    source: chatSource,
    searchable: () => chatFields,
    findVisible: (db, ids, { channelIds }) =>
      db.all(visibleChats, [ids, channelIds ? [...channelIds] : null]),
  },
  // Every user sees all contacts.
  change_contacts: {
    source: contactSource,
    searchable: searchableContacts,
    findVisible: (db, ids) => db.all(visibleContacts, [ids]),
  },
  change_runs: {
    source: runSource,
    searchable: () => runFields,
    findVisible: (db, ids, { channelIds }) => db.all(visibleRuns, [ids, channelIds ? [...channelIds] : null]),
  },
};

/** What a bulk action is done to. `missingIds` were asked for, but do not exist for the caller. */
interface Items {
  ids: string[];
  missingIds: string[];
}

async function findByQuery(
  db: TenantDatabase,
  { source, searchable }: Target,
  query: string,
  principal: Principal,
): Promise<Items> {
  const ids = await db.search(async (reader) => {
    const fields = await searchable(reader, query);
    const request = parseSearchRequest({ query }, fields, reader.now, meOf(principal));
    if (!request.filter)
      throw invalidParam('query', 'custom', 'Must not be blank: say which ones, or give ids');
    const restricted = restrictToChannels(source, principal.channelIds);
    return findMatchingIds(
      reader,
      { searchable: fields, source: restricted, tenantId: reader.tenantId, request },
      MAX_ITEMS + 1,
    );
  });
  if (ids.length > MAX_ITEMS)
    throw invalidParam(
      'query',
      'too_big',
      `Matches more than ${MAX_ITEMS}; use a narrower one several times`,
    );
  return { ids, missingIds: [] };
}

async function findByIds(
  db: TenantDatabase,
  { findVisible }: Target,
  given: readonly string[],
  principal: Principal,
): Promise<Items> {
  const wanted = [...new Set(given.map((id) => id.toLowerCase()))];
  const found = await findVisible(db, wanted, principal);
  const ids = new Set(found.map(({ id }) => id));
  return { ids: [...ids], missingIds: wanted.filter((id) => !ids.has(id)) };
}

/**
 * Starts a bulk action. What it is done to is chosen now, by one statement, and stored with the job: whatever changes until a
 * chat, contact or run has its turn neither adds nor removes one.
 */
export async function startBulk(
  db: TenantDatabase,
  kind: BulkKind,
  { query, ids, action, userId }: BulkRequest,
  principal: Principal,
): Promise<Finish<StartedJob>> {
  const issues = collectIssues();
  validateFields(action, issues.at('action'));
  if (query === undefined && ids === undefined)
    issues.add('query', 'invalid_type', 'Required, unless ids is given');
  if (query !== undefined && ids !== undefined)
    issues.add('ids', 'custom', 'Only one of query and ids is allowed');
  issues.throwIfAny();
  requireScope(principal, scopeOf(kind, action));
  const target = targets[kind];
  const items =
    ids === undefined
      ? await findByQuery(db, target, query as string, principal)
      : await findByIds(db, target, ids, principal);
  return async (tx) => {
    await validateAction(tx, action, issues.at('action'));
    issues.throwIfAny();
    const job = await insertRequested(tx, {
      kind,
      action,
      author: await authorOf(tx, principal, userId),
      // Batches lock their rows in this order.
      itemIds: items.ids.toSorted(),
      batch: Math.min(FIRST_BATCH, maxBatchOf(action.type)),
      errors: items.missingIds.map((id) => notFound(kind, id)),
    });
    return presentStarted(job);
  };
}

/** What cancelling a job needs. */
const requestedScopes: Record<RequestedKind, Scope> = {
  import_contacts: 'contacts:write',
  retry_deliveries: 'webhooks:write',
};

function requireScope(principal: Principal, scope: Scope): void {
  if (!hasScope(principal, scope))
    throw new ApiError('forbidden', { detail: `this action needs the scope "${scope}"` });
}

/** Ends a job that a caller has asked for before it is done. What is done stays. One that has ended is not changed. */
export async function cancelJob(tx: TenantTx, jobId: string, principal: Principal): Promise<Job> {
  const job = await requireJob(tx, jobId, principal);
  const { kind } = job;
  if (isBulkKind(kind) && job.action) requireScope(principal, scopeOf(kind, job.action as JobAction));
  else if (isRequestedKind(kind)) requireScope(principal, requestedScopes[kind]);
  else
    throw new ApiError('conflict', {
      detail: 'only bulk actions, imports and repeated deliveries can be cancelled',
    });
  const state = await findJobState(tx, job.id);
  if (!state) return requireJob(tx, jobId, principal);
  return storeBulkProgress(tx, state, {
    status: 'cancelled',
    handled: 0,
    batch: state.batch,
    done: 0,
    errors: [],
  });
}
