import type { Logger } from 'pino';
import { limitsOf, type OwnLimits } from '../access/limits.ts';
import { createCache } from '../base/cache.ts';
import type { TenantClock } from '../base/clock.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { isWithin, nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { type Plan, type Principal, plans } from '../http/permissions.ts';
import type { Session, Sessions } from '../http/sessions.ts';
import { isAdmin, type Role, roleScopes } from '../users/roles.ts';
import { hashCookie, IDLE_MS, isSeenLongAgo, noteSessionSeen } from './session.ts';

const MAX_CACHED = 10_000;
/** After this time other processes notice that a session has ended or a role has changed. */
const TTL_MS = 3_000;
const MAX_COOKIE_CHARACTERS = 100;

interface MembershipRow {
  tenant_id: string;
  user_id: string;
  user_name: string;
  role: Role;
  access: 'all' | 'teams';
  tenant_name: string;
  plan: Plan;
  rate_override: number | null;
  limits: OwnLimits;
  clock: Date | null;
  channel_ids: string[] | null;
  team_ids: string[];
}
interface SessionRow {
  id: string;
  person_id: string;
  name: string;
  is_operator: boolean;
  last_seen_at: Date;
  expires_at: Date;
}

const sessionByToken = systemStatement<[tokenHash: Buffer], SessionRow>(
  'sessions.by_token',
  `select s.id, s.person_id, p.name, p.is_operator, s.last_seen_at, s.expires_at
     from sessions s join people p on p.id = s.person_id where s.token_hash = $1`,
);
const memberships = systemStatement<[personId: string], MembershipRow>(
  'sessions.memberships',
  `select t.id as tenant_id, u.id as user_id, u.name as user_name, u.role, u.access, t.name as tenant_name, t.plan,
          t.rate_override, t.limits, t.clock,
          case when u.access = 'teams' then array(
            select distinct tc.channel_id from team_members m join team_channels tc on tc.team_id = m.team_id
             where m.user_id = u.id and m.tenant_id = u.tenant_id) end as channel_ids,
          array(select m.team_id from team_members m where m.user_id = u.id and m.tenant_id = u.tenant_id) as team_ids
     from users u join visible_tenants t on t.id = u.tenant_id where u.person_id = $1 order by t.name, t.id`,
);

interface Cached {
  session: Session;
  principals: ReadonlyMap<string, Principal>;
  isForTestTenant: boolean;
  lastSeenAt: Date;
  endsAtMs: number;
  staleAtMs: number;
}

const ended = (): ApiError => new ApiError('unauthorized', { detail: 'the session has ended, log in again' });

function principalOf(session: Session, row: MembershipRow): Principal {
  const isRestricted = row.access === 'teams' && !isAdmin(row.role);
  return {
    tenantId: row.tenant_id,
    tenantName: row.tenant_name,
    caller: {
      type: 'user',
      id: row.user_id,
      name: row.user_name,
      personId: session.personId,
      sessionId: session.id,
      isAdmin: isAdmin(row.role),
    },
    scopes: new Set(roleScopes[row.role]),
    ...(isRestricted ? { channelIds: new Set(row.channel_ids ?? []) } : {}),
    teamIds: row.team_ids,
    plan: row.plan,
    requestsPerMinute: row.rate_override ?? plans[row.plan].requestsPerMinute,
    limits: limitsOf(row.plan, row.limits),
  };
}

/**
 * Finds sessions by their cookie. The database is asked at most every three seconds per session, so that a revoked one ends
 * within that time in every process. Uses real time.
 */
export function findSessions(db: Database, clock: Pick<TenantClock, 'setTime'>, log: Logger): Sessions {
  const cache = createCache<string, Cached>(MAX_CACHED);
  const loading = new Map<string, Promise<Cached>>();

  async function load(key: string, hash: Buffer): Promise<Cached> {
    const row = await db.byKey.find(sessionByToken, [hash]);
    const now = nowMs();
    const endsAtMs = row ? Math.min(row.expires_at.getTime(), row.last_seen_at.getTime() + IDLE_MS) : 0;
    if (!row || now >= endsAtMs) {
      cache.delete(key);
      throw ended();
    }
    const session = {
      id: row.id,
      personId: row.person_id,
      personName: row.name,
      isOperator: row.is_operator,
    };
    const rows = await db.byKey.all(memberships, [row.person_id]);
    for (const { tenant_id, clock: time } of rows) if (time !== null) clock.setTime(tenant_id, time);
    const cached = {
      session,
      principals: new Map(rows.map((one) => [one.tenant_id, principalOf(session, one)])),
      isForTestTenant: rows.some((one) => one.clock !== null),
      lastSeenAt: row.last_seen_at,
      endsAtMs,
      staleAtMs: now + TTL_MS,
    };
    cache.set(key, cached);
    return cached;
  }

  /** Concurrent requests of one session share one lookup. */
  function loadOnce(key: string, hash: Buffer): Promise<Cached> {
    const pending = loading.get(key);
    if (pending) return pending;
    const promise = load(key, hash).finally(() => loading.delete(key));
    loading.set(key, promise);
    return promise;
  }

  function find(cookie: string): Cached | Promise<Cached> {
    if (cookie.length > MAX_COOKIE_CHARACTERS) throw ended();
    const hash = hashCookie(cookie);
    const key = hash.toString('base64');
    const cached = cache.get(key);
    const now = nowMs();
    const isFresh = cached && isWithin(now, cached.staleAtMs, TTL_MS) && now < cached.endsAtMs;
    if (isFresh && !cached.isForTestTenant) return cached;
    return cached?.isForTestTenant ? load(key, hash) : loadOnce(key, hash);
  }

  /** Notes that somebody uses the session, which lives on. */
  function use(cached: Cached): Cached {
    if (isSeenLongAgo(cached.lastSeenAt)) {
      cached.lastSeenAt = new Date(nowMs());
      noteSessionSeen(db, cached.session.id).catch((error) =>
        log.debug({ err: error }, 'could not note a session'),
      );
    }
    return cached;
  }

  return {
    find: (cookie) => {
      const found = find(cookie);
      return found instanceof Promise ? found.then((one) => use(one).session) : use(found).session;
    },
    principal: (cookie, tenantId) => {
      const found = find(cookie);
      return found instanceof Promise
        ? found.then((one) => choosePrincipal(use(one), tenantId))
        : choosePrincipal(use(found), tenantId);
    },
    recheck: (cookie, tenantId) => {
      const found = find(cookie);
      return found instanceof Promise
        ? found.then((one) => choosePrincipal(one, tenantId))
        : choosePrincipal(found, tenantId);
    },
    forget(id) {
      for (const [key, { session, principals }] of cache.entries())
        if (session.id === id || session.personId === id || principals.has(id)) cache.delete(key);
    },
  };
}

function choosePrincipal({ principals }: Cached, tenantId: string | undefined): Principal {
  if (tenantId === undefined) {
    const [only, another] = principals.values();
    if (another)
      throw invalidParam('Parley-Tenant', 'invalid_type', 'Required: you belong to several tenants');
    if (!only) throw new ApiError('forbidden', { detail: 'you belong to no tenant' });
    return only;
  }
  const principal = isUuid(tenantId) ? principals.get(tenantId) : undefined;
  if (!principal) throw new ApiError('forbidden', { detail: 'you do not belong to this tenant' });
  return principal;
}
