import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import { isAdmin, type Role, roleScopes } from '../users/roles.ts';
import type { Membership, SessionInfo } from './schema.ts';

const sessionById = systemStatement<
  [id: string],
  {
    expires_at: Date;
    person_id: string;
    email: string;
    name: string;
    is_operator: boolean;
    has_password: boolean;
    has_totp: boolean;
  }
>(
  'sessions.by_id',
  `select s.expires_at, p.id as person_id, p.email, p.name, p.is_operator, p.password_hash is not null as has_password,
          p.totp_confirmed_at is not null as has_totp
     from sessions s join people p on p.id = s.person_id where s.id = $1`,
);
interface MembershipRow {
  tenant_id: string;
  tenant_name: string;
  user_id: string;
  name: string;
  role: Role;
  access: 'all' | 'teams';
  channel_ids: string[];
}
const membershipsOf = systemStatement<[personId: string], MembershipRow>(
  'people.memberships',
  `select t.id as tenant_id, t.name as tenant_name, u.id as user_id, u.name, u.role, u.access,
          array(select distinct tc.channel_id from team_members m join team_channels tc on tc.team_id = m.team_id
                 where m.user_id = u.id and m.tenant_id = u.tenant_id order by tc.channel_id) as channel_ids
     from users u join visible_tenants t on t.id = u.tenant_id where u.person_id = $1 order by t.name, t.id`,
);

const presentMembership = (row: MembershipRow): Membership => ({
  tenantId: row.tenant_id,
  tenantName: row.tenant_name,
  userId: row.user_id,
  name: row.name,
  role: row.role,
  scopes: [...roleScopes[row.role]],
  channelIds: row.access === 'teams' && !isAdmin(row.role) ? row.channel_ids : null,
});

/** Who has logged in, and what they may do where. */
export async function describeSession(db: Database, sessionId: string): Promise<SessionInfo> {
  const row = await db.find(sessionById, [sessionId]);
  if (!row) throw new ApiError('unauthorized', { detail: 'the session has ended, log in again' });
  const memberships = await db.all(membershipsOf, [row.person_id]);
  return {
    id: sessionId,
    expiresAt: timestamp(row.expires_at),
    person: {
      id: row.person_id,
      email: row.email,
      name: row.name,
      isOperator: row.is_operator,
      hasPassword: row.has_password,
      hasTotp: row.has_totp,
    },
    memberships: memberships.map(presentMembership),
  };
}
