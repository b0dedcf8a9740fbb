import { randomSecret, sha256 } from '../base/crypto.ts';
import { isUuid, newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import type { Queryable } from '../db/queryable.ts';
import { systemStatement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { OwnSession } from './schema.ts';

export const IDLE_MS = 12 * 3600_000;
const LIFETIME_MS = 30 * 24 * 3600_000;
/** How exactly the last use is known: each note of it is a write. */
const SEEN_EVERY_MS = 60_000;
const COOKIE_BYTES = 32;
const MAX_AGENT_CHARACTERS = 255;
const MAX_SESSIONS = 50;

export const hashCookie = (cookie: string): Buffer => sha256(cookie);

interface SessionRow {
  id: string;
  address: string;
  agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

const insertSession = systemStatement<
  [
    id: string,
    personId: string,
    tokenHash: Buffer,
    address: string,
    agent: string,
    now: Date,
    expiresAt: Date,
    maxSessions: number,
  ]
>(
  'sessions.insert',
  // The oldest ones of the person end, if there are too many.
  `with gone as (
     delete from sessions where id = any (array(
       select id from sessions where person_id = $2 order by created_at desc, id desc offset $8 - 1)))
   insert into sessions (id, person_id, token_hash, address, agent, created_at, last_seen_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $6, $7)`,
);
const deleteByToken = systemStatement<[tokenHash: Buffer], { id: string }>(
  'sessions.delete_by_token',
  'delete from sessions where token_hash = $1 returning id',
);
const deleteSession = systemStatement<[id: string, personId: string], { id: string }>(
  'sessions.delete',
  'delete from sessions where id = $1 and person_id = $2 returning id',
);
const sessionsOf = systemStatement<[personId: string, now: Date, seenAfter: Date], SessionRow>(
  'sessions.of_person',
  `select id, address, agent, created_at, last_seen_at, expires_at from sessions
    where person_id = $1 and expires_at > $2 and last_seen_at > $3 order by last_seen_at desc, id desc`,
);
const noteSeen = systemStatement<[id: string, now: Date, before: Date]>(
  'sessions.seen',
  'update sessions set last_seen_at = $2 where id = $1 and last_seen_at < $3',
);
const sweep = systemStatement<[now: Date, seenAfter: Date]>(
  'sessions.sweep',
  'delete from sessions where last_seen_at <= $2 or expires_at <= $1',
);

export interface NewSession {
  id: string;
  cookie: string;
  maxAgeSeconds: number;
}

export interface Client {
  address: string;
  agent: string;
}

/** Begins a session of a person. Its cookie is in the answer and stored nowhere. */
export async function createSession(
  tx: Queryable,
  personId: string,
  { address, agent }: Client,
): Promise<NewSession> {
  const now = nowMs();
  const session = { id: newId(), cookie: randomSecret(COOKIE_BYTES), maxAgeSeconds: LIFETIME_MS / 1000 };
  await tx.run(insertSession, [
    session.id,
    personId,
    hashCookie(session.cookie),
    address,
    agent.slice(0, MAX_AGENT_CHARACTERS).toWellFormed().replaceAll('\0', ''),
    new Date(now),
    new Date(now + LIFETIME_MS),
    MAX_SESSIONS,
  ]);
  return session;
}

/** Ends the session of a cookie, and returns its id if it existed. */
export const endSessionOf = async (tx: Queryable, cookie: string): Promise<string | undefined> =>
  (await tx.find(deleteByToken, [hashCookie(cookie)]))?.id;

/** Ends one of a person's sessions. */
export async function revokeSession(
  db: Pick<Queryable, 'find'>,
  personId: string,
  sessionId: string,
): Promise<boolean> {
  return isUuid(sessionId) && (await db.find(deleteSession, [sessionId, personId])) !== undefined;
}

/** The sessions of a person that have not ended, the last used first. */
export async function listSessions(
  db: Queryable,
  personId: string,
  currentId: string,
): Promise<OwnSession[]> {
  const now = nowMs();
  const rows = await db.all(sessionsOf, [personId, new Date(now), new Date(now - IDLE_MS)]);
  return rows.map((row) => ({
    id: row.id,
    isCurrent: row.id === currentId,
    address: row.address,
    agent: row.agent,
    createdAt: timestamp(row.created_at),
    lastSeenAt: timestamp(row.last_seen_at),
    expiresAt: timestamp(row.expires_at),
  }));
}

/** Whether the last use is old enough to be noted again. */
export const isSeenLongAgo = (lastSeenAt: Date): boolean => nowMs() - lastSeenAt.getTime() >= SEEN_EVERY_MS;

/** Notes that a session was used. Many processes may do so at once. */
export async function noteSessionSeen(db: Queryable, sessionId: string): Promise<void> {
  const now = nowMs();
  await db.run(noteSeen, [sessionId, new Date(now), new Date(now - SEEN_EVERY_MS)]);
}

/** Deletes the sessions that have ended. */
export async function sweepSessions(db: Database): Promise<void> {
  const now = nowMs();
  await db.run(sweep, [new Date(now), new Date(now - IDLE_MS)]);
}
