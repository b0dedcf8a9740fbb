import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { nowMs } from '../base/time.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantQueryable, TenantTx } from '../db/tenant.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { hasScope, type Principal, type Scope } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import { DEFAULT_TOKEN_SECONDS, type Token } from './schema.ts';

interface TokenRow {
  id: string;
  name: string;
  scopes: string[];
  expires_at: Date;
  last_used_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const insertToken = statement<
  [id: string, name: string, scopes: string[], expiresAt: Date, now: Date],
  TokenRow & { tenant_id: string }
>(
  'tokens.insert',
  `insert into tokens (id, tenant_id, name, scopes, expires_at, created_at, updated_at)
   select $1, t.id, $2, $3, $4, $5, $5 from visible_tenants t where t.id = $tenant
   returning id, tenant_id, name, scopes, expires_at, last_used_at, created_at, updated_at`,
);
const noteUsed = statement<[id: string, now: Date, before: Date]>(
  'tokens.note_used',
  // Several processes may do so at once.
  `update tokens set last_used_at = $2
    where id = $1 and tenant_id = $tenant and (last_used_at is null or last_used_at < $3)`,
);
const deleteToken = statement<[id: string]>(
  'tokens.delete',
  'delete from tokens where id = $1 and tenant_id = $tenant',
);

const NOTED_EVERY_MS = 3_600_000;

/** Notes that a token is used, at most once an hour. In real time. */
export async function noteTokenUsed(
  db: TenantQueryable,
  tokenId: string,
  lastUsedAt: Date | null,
): Promise<void> {
  const now = nowMs();
  if (lastUsedAt !== null && now - lastUsedAt.getTime() < NOTED_EVERY_MS) return;
  await db.run(noteUsed, [tokenId, new Date(now), new Date(now - NOTED_EVERY_MS)]);
}

/** Expired tokens that are kept per tenant, the newest, so that their owner sees what has expired. */
const MAX_EXPIRED = 1_000;

const removeExpired = systemStatement<[before: Date, now: Date, maxExpired: number]>(
  'tokens.delete_expired',
  `delete from tokens t using (
     select id, tenant_id from (
       select id, tenant_id, expires_at,
              row_number() over (partition by tenant_id order by expires_at desc, id desc) as number
         from tokens where expires_at < $2) as expired
      where expires_at < $1 or number > $3 limit 1000) as old
    where t.id = old.id and t.tenant_id = old.tenant_id`,
);

/** Deletes tokens that expired before a time, or more than are kept, and returns how many. */
export async function removeExpiredTokens(
  db: Pick<Queryable, 'run'>,
  { before, now, maxExpired = MAX_EXPIRED }: { before: Date; now: Date; maxExpired?: number },
): Promise<number> {
  let removed = 0;
  for (let last = -1; last !== 0; removed += last)
    last = await db.run(removeExpired, [before, now, maxExpired]);
  return removed;
}

export const presentToken = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  expiresAt: timestamp(row.expires_at),
  lastUsedAt: timestampOrNull(row.last_used_at),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

interface TokenInput {
  name: string;
  scopes: readonly string[];
  expiresIn?: number;
}

/** Creates a token. The access token itself is in this answer and is not stored. Lifetimes are in real time. */
export async function issueToken(
  tx: TenantQueryable,
  input: TokenInput,
  authenticator: Authenticator,
): Promise<Token & { token: string }> {
  const issuedAt = new Date(nowMs());
  const expiresAt = new Date(issuedAt.getTime() + (input.expiresIn ?? DEFAULT_TOKEN_SECONDS) * 1000);
  const scopes = [...new Set(input.scopes)];
  const row =
    isUuid(tx.tenantId) && (await tx.find(insertToken, [newId(), input.name, scopes, expiresAt, issuedAt]));
  if (!row) throw new ApiError('tenant_not_found');
  return {
    ...presentToken(row),
    // The id as the database writes it: the path may have it in capitals, and caches compare text.
    token: await authenticator.sign({
      tokenId: row.id,
      tenantId: row.tenant_id,
      scopes,
      issuedAt,
      expiresAt,
    }),
  };
}

/** Throws an issue for each scope that the caller does not have: a token cannot create one with more rights. */
export function requireOwnScopes(principal: Principal, scopes: readonly string[]): void {
  const issues = collectIssues();
  for (const [index, scope] of scopes.entries())
    if (!hasScope(principal, scope as Scope))
      issues.add(`scopes.${index}`, 'custom', `The caller lacks the scope "${scope}"`);
  issues.throwIfAny();
}

/** Revokes a token, at once in this process and within seconds in others. Returns whether it existed. */
export async function revokeToken(
  tx: TenantTx,
  tokenId: string,
  authenticator: Authenticator,
): Promise<boolean> {
  if (!isUuid(tokenId)) return false;
  const found = (await tx.run(deleteToken, [tokenId])) === 1;
  tx.afterCommit(() => authenticator.forget(tokenId.toLowerCase()));
  return found;
}
