import { ApiError, type InvalidParams } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Authenticator } from '../http/authenticate.ts';
import { hasScope, type Principal, type Scope } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import { DEFAULT_TOKEN_SECONDS, type Token } from './schema.ts';

interface TokenRow {
  id: string;
  name: string;
  scopes: string[];
  expires_at: Date;
  created_at: Date;
  updated_at: Date;
}

const insertToken = statement<
  [id: string, tenantId: string, name: string, scopes: string[], expiresAt: Date, now: Date],
  TokenRow & { tenant_id: string }
>(
  'tokens.insert',
  `insert into tokens (id, tenant_id, name, scopes, expires_at, created_at, updated_at)
   select $1, t.id, $3, $4, $5, $6, $6 from tenants t where t.id = $2
   returning id, tenant_id, name, scopes, expires_at, created_at, updated_at`,
);
const deleteToken = statement<[id: string, tenantId: string]>(
  'tokens.delete',
  'delete from tokens where id = $1 and tenant_id = $2',
);

export const presentToken = (row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  scopes: row.scopes,
  expiresAt: timestamp(row.expires_at),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export interface TokenInput {
  name: string;
  scopes: readonly string[];
  expiresIn?: number;
}

/** Makes a token; the access token itself is in this answer and nowhere else. Lifetimes are in real time. */
export async function issueToken(
  tx: Queryable,
  tenantId: string,
  input: TokenInput,
  authenticator: Authenticator,
): Promise<Token & { token: string }> {
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + (input.expiresIn ?? DEFAULT_TOKEN_SECONDS) * 1000);
  const scopes = [...new Set(input.scopes)];
  const row =
    isUuid(tenantId) &&
    (await tx.find(insertToken, [newId(), tenantId, input.name, scopes, expiresAt, issuedAt]));
  if (!row) throw new ApiError('tenant_not_found');
  return {
    ...presentToken(row),
    // The id as the database spells it: the path may have it in capitals, and caches compare texts.
    token: await authenticator.sign({
      tokenId: row.id,
      tenantId: row.tenant_id,
      scopes,
      issuedAt,
      expiresAt,
    }),
  };
}

/** Refuses scopes that the caller does not have: a token cannot make a stronger one. */
export function requireOwnScopes(principal: Principal, scopes: readonly string[]): void {
  const missing = [...scopes.entries()].filter(([, scope]) => !hasScope(principal, scope as Scope));
  if (missing.length === 0) return;
  const invalidParams: InvalidParams = {};
  for (const [at, scope] of missing)
    invalidParams[`scopes.${at}`] = {
      key: 'custom',
      message: `The caller's token lacks the scope "${scope}"`,
    };
  throw new ApiError('invalid_body_params', { invalidParams });
}

/** Revokes a token at once in this process, within seconds in others. Says whether there was one. */
export async function revokeToken(
  tx: Tx,
  tenantId: string,
  tokenId: string,
  authenticator: Authenticator,
): Promise<boolean> {
  if (!isUuid(tokenId)) return false;
  const found = (await tx.run(deleteToken, [tokenId, tenantId])) === 1;
  tx.afterCommit(() => authenticator.forget(tokenId.toLowerCase()));
  return found;
}
