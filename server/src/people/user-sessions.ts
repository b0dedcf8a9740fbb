import { isUuid } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Principal } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { requireManagedUser } from '../users/user.ts';
import type { UserSession } from './schema.ts';
import { IDLE_MS, revokeSession } from './session.ts';

interface UserSessionRow {
  id: string;
  user_id: string;
  user_name: string;
  address: string;
  agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

const userOfSession = statement<[id: string], { user_id: string; person_id: string }>(
  'sessions.user_of',
  `select u.id as user_id, s.person_id from sessions s join users u on u.person_id = s.person_id
    where s.id = $1 and u.tenant_id = $tenant`,
);

export const userSessionFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 's.id' },
    userId: { type: 'uuid', sql: 'u.id' },
    address: { type: 'string', sql: 's.address' },
    createdAt: { type: 'time', sql: 's.created_at' },
    lastSeenAt: { type: 'time', sql: 's.last_seen_at' },
    expiresAt: { type: 'time', sql: 's.expires_at' },
  },
  names: ['u.name', 's.address'],
  id: 's.id',
};

/** The sessions of the people who are users of the tenant, as far as they have not ended. */
export const userSessionSource = async (): Promise<SearchSource> => ({
  select: `s.id, u.id as user_id, u.name as user_name, s.address, s.agent, s.created_at, s.last_seen_at, s.expires_at`,
  from: 'sessions s join users u on u.person_id = s.person_id',
  tenantColumn: 'u.tenant_id',
  where: (bind) =>
    `s.expires_at > ${bind(new Date(nowMs()))}::timestamptz and s.last_seen_at > ${bind(new Date(nowMs() - IDLE_MS))}::timestamptz`,
});

export const presentUserSession = (row: UserSessionRow): UserSession => ({
  id: row.id,
  user: { id: row.user_id, name: row.user_name },
  address: row.address,
  agent: row.agent,
  createdAt: timestamp(row.created_at),
  lastSeenAt: timestamp(row.last_seen_at),
  expiresAt: timestamp(row.expires_at),
});

/** Ends a session of somebody whom the caller manages, and returns whether it existed. Those of owners only owners end. */
export async function revokeUserSession(
  tx: TenantTx,
  sessionId: string,
  principal: Principal,
  forget: (sessionId: string) => void,
): Promise<boolean> {
  const found = isUuid(sessionId) ? await tx.find(userOfSession, [sessionId]) : undefined;
  if (!found) return false;
  await requireManagedUser(tx, found.user_id, principal);
  tx.afterCommit(() => forget(sessionId.toLowerCase()));
  return revokeSession(tx, found.person_id, sessionId);
}
