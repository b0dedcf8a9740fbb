import { limitRows } from '../access/limits.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { chatFields } from '../chats/search.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { type Caller, hasScope, type Principal } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import { parseSearchRequest } from '../search/request.ts';
import type { View } from './schema.ts';

export interface ViewRow {
  id: string;
  user_id: string | null;
  name: string;
  query: string;
  sort_by: string | null;
  is_shared: boolean;
  created_at: Date;
  updated_at: Date;
}

export const VIEW_COLUMNS =
  'v.id, v.user_id, v.name, v.query, v.sort_by, v.is_shared, v.created_at, v.updated_at';

const insertView = statement<
  [
    id: string,
    userId: string | null,
    name: string,
    query: string,
    sortBy: string | null,
    isShared: boolean,
    now: Date,
  ],
  ViewRow
>(
  'views.insert',
  `insert into views as v (id, tenant_id, user_id, name, query, sort_by, is_shared, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $7) returning ${VIEW_COLUMNS}`,
);
const viewById = statement<[id: string], ViewRow>(
  'views.by_id',
  `select ${VIEW_COLUMNS} from views v where v.id = $1 and v.tenant_id = $tenant`,
);
const lockView = statement<[id: string], ViewRow>(
  'views.lock',
  `select ${VIEW_COLUMNS} from views v where v.id = $1 and v.tenant_id = $tenant for no key update`,
);
const updateView = statement<
  [id: string, name: string, query: string, sortBy: string | null, isShared: boolean, now: Date],
  ViewRow
>(
  'views.update',
  `update views v set name = $2, query = $3, sort_by = $4, is_shared = $5, updated_at = $6
    where v.id = $1 and v.tenant_id = $tenant returning ${VIEW_COLUMNS}`,
);
const deleteView = statement<[id: string]>(
  'views.delete',
  'delete from views where id = $1 and tenant_id = $tenant',
);

const requireFewViews = limitRows('inboxViews', 'views');

export const presentView = (row: ViewRow): View => ({
  id: row.id,
  userId: row.user_id,
  name: row.name,
  query: row.query,
  sortBy: row.sort_by,
  isShared: row.is_shared,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

interface ViewInput {
  name: string;
  query: string;
  sortBy?: string | null;
  isShared?: boolean;
}

/** The user whose own views a caller sees; null for a token, which sees the shared ones. */
export const viewerOf = ({ type, id }: Caller): string | null => (type === 'user' ? id : null);

const isVisible = (row: ViewRow, { caller }: Principal): boolean =>
  row.is_shared || row.user_id === viewerOf(caller);

/** `me()` is the user who looks at a view; which one is not known when it is saved. */
const SOMEBODY = { userId: '00000000-0000-7000-8000-000000000000', teamIds: [] };

/** Throws for a filter or an order that a search of chats would refuse. */
function requireValid({ query, sortBy }: Pick<ViewInput, 'query' | 'sortBy'>, now: Date): void {
  parseSearchRequest({ query, ...(sortBy ? { sortBy } : {}) }, chatFields, now, SOMEBODY);
}

/** A token has no views of its own. */
function requireOwner(userId: string | null, isShared: boolean): void {
  if (userId === null && !isShared)
    throw invalidParam('isShared', 'custom', 'Must be true: a token has no views of its own');
}

export async function createView(tx: TenantTx, input: ViewInput, { caller }: Principal): Promise<View> {
  const userId = viewerOf(caller);
  const { name, query, sortBy = null, isShared = userId === null } = input;
  requireOwner(userId, isShared);
  requireValid(input, tx.now);
  await requireFewViews(tx);
  const row = await tx.find(insertView, [newId(), userId, name, query, sortBy, isShared, tx.now]);
  return presentView(row as ViewRow);
}

export async function requireView(db: TenantReader, viewId: string, principal: Principal): Promise<View> {
  const row = isUuid(viewId) ? await db.find(viewById, [viewId]) : undefined;
  if (!row || !isVisible(row, principal)) throw new ApiError('view_not_found');
  return presentView(row);
}

/** Users change their own views; those of others only if they manage users. */
function requireChangeable(row: ViewRow, principal: Principal): void {
  const { caller } = principal;
  if (caller.type !== 'user' || row.user_id === caller.id || hasScope(principal, 'users:write')) return;
  throw new ApiError('forbidden', { detail: 'only its author or an admin can change this view' });
}

async function lockVisible(tx: TenantTx, viewId: string, principal: Principal): Promise<ViewRow | undefined> {
  const row = isUuid(viewId) ? await tx.find(lockView, [viewId]) : undefined;
  if (!row || !isVisible(row, principal)) return undefined;
  requireChangeable(row, principal);
  return row;
}

export async function changeView(
  tx: TenantTx,
  viewId: string,
  change: Partial<ViewInput>,
  principal: Principal,
): Promise<View> {
  const row = await lockVisible(tx, viewId, principal);
  if (!row) throw new ApiError('view_not_found');
  const { name = row.name, query = row.query, sortBy = row.sort_by, isShared = row.is_shared } = change;
  requireOwner(row.user_id, isShared);
  requireValid({ query, sortBy }, tx.now);
  const updated = await tx.find(updateView, [row.id, name, query, sortBy, isShared, tx.now]);
  return presentView(updated as ViewRow);
}

/** Deletes a view and returns whether it existed. */
export async function removeView(tx: TenantTx, viewId: string, principal: Principal): Promise<boolean> {
  const row = await lockVisible(tx, viewId, principal);
  return row !== undefined && (await tx.run(deleteView, [row.id])) === 1;
}
