import type { Clock } from '../base/clock.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Database, Queryable, Tx } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';

const KEPT_MS = 24 * 3600_000;
const LONGEST_KEY = 255;
/** So long is a request believed to be under way that asks somebody outside, should its process have died meanwhile. */
const RESERVED_MS = 5 * 60_000;

const lock = statement<[key: string], { locked: boolean }>(
  'idempotency.lock',
  'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
);
interface KnownKey {
  request_hash: Buffer;
  /** Null while it is only reserved. */
  answer_encrypted: Buffer | null;
  reserved_until: Date | null;
}
const find = statement<[keyHash: Buffer, tenantId: string, since: Date], KnownKey>(
  'idempotency.find',
  `select request_hash, answer_encrypted, reserved_until from idempotency_keys
    where key_hash = $1 and tenant_id = $2 and created_at > $3`,
);
const store = statement<
  [keyHash: Buffer, tenantId: string, requestHash: Buffer, answer: Buffer, now: Date, mentions: string[]]
>(
  'idempotency.store',
  `insert into idempotency_keys (key_hash, tenant_id, request_hash, answer_encrypted, created_at, mentions)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (key_hash, tenant_id) do update set request_hash = excluded.request_hash,
     answer_encrypted = excluded.answer_encrypted, created_at = excluded.created_at, mentions = excluded.mentions`,
);
const reserve = statement<
  [keyHash: Buffer, tenantId: string, requestHash: Buffer, reservation: string, until: Date, now: Date]
>(
  'idempotency.reserve',
  `insert into idempotency_keys (key_hash, tenant_id, request_hash, reservation, reserved_until, created_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (key_hash, tenant_id) do update set request_hash = excluded.request_hash, answer_encrypted = null,
     reservation = excluded.reservation, reserved_until = excluded.reserved_until, created_at = excluded.created_at,
     mentions = '{}'`,
);
const storeReserved = statement<
  [keyHash: Buffer, tenantId: string, reservation: string, answer: Buffer, now: Date, mentions: string[]]
>(
  'idempotency.store_reserved',
  `update idempotency_keys
      set answer_encrypted = $4, created_at = $5, mentions = $6, reservation = null, reserved_until = null
    where key_hash = $1 and tenant_id = $2 and reservation = $3`,
);
const release = statement<[keyHash: Buffer, tenantId: string, reservation: string]>(
  'idempotency.release',
  'delete from idempotency_keys where key_hash = $1 and tenant_id = $2 and reservation = $3',
);
const forget = statement<[tenantId: string, mark: string]>(
  'idempotency.forget',
  'delete from idempotency_keys where tenant_id = $1 and mentions @> array[$2::bigint]',
);
const sweep = statement<[before: Date]>(
  'idempotency.sweep',
  `delete from idempotency_keys where ctid = any (array(
     select ctid from idempotency_keys where created_at <= $1 limit 10000))`,
);

/** What is kept of an answer: enough to give it again. */
export interface StoredAnswer {
  body: unknown;
  headers: Record<string, string>;
}

export interface IdempotentRequest {
  tenantId: string;
  key: string;
  method: string;
  path: string;
  bodyHash: Buffer;
}

export interface Idempotency {
  /**
   * Runs `work` at most once per key within 24 hours. Its effect and its answer are committed together; only
   * successes are kept, encrypted, because an answer may hold a secret.
   */
  once(
    request: IdempotentRequest,
    work: (tx: Tx) => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }>;
  /**
   * The same for work that asks somebody outside: the key is reserved in a row of its own first, and the answer is
   * committed with what `work` gives back to be done at the end. Whoever repeats the request meanwhile is told that it
   * is under way. A failure lets go of the key; so does, after five minutes, the death of the process.
   */
  reserve(
    request: IdempotentRequest,
    work: () => Promise<(tx: Tx) => Promise<StoredAnswer>>,
  ): Promise<StoredAnswer & { replayed: boolean }>;
  /** Forgets what is past its time. */
  sweep(): Promise<void>;
}

const PURPOSE = 'idempotency_keys.answer';

export const encryptedAnswer: EncryptedColumn = {
  table: 'idempotency_keys',
  column: 'answer_encrypted',
  key: [
    ['key_hash', 'bytea'],
    ['tenant_id', 'uuid'],
  ],
  purpose: PURPOSE,
};

const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Stands for an id where the id itself is not to be read. */
const markOf = (id: string): string => sha256(id).readBigInt64BE().toString();

/** Marks of the ids that an answer has in it: whatever shows a person shows the person's id. */
const marksIn = (text: string): string[] => [...new Set(text.match(UUIDS))].map(markOf);

/** Deletes the stored answers that mention an id. A request repeated after that is a new one. */
export async function forgetAnswersAbout(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.run(forget, [tenantId, markOf(id)]);
}

const inFlight = (): ApiError =>
  new ApiError('conflict', {
    detail: 'a request with this Idempotency-Key is still in flight; retry it in a moment',
  });

function hashOf({ key, method, path }: IdempotentRequest): Buffer {
  if (key.length === 0 || key.length > LONGEST_KEY)
    throw invalidParam(
      'Idempotency-Key',
      key.length === 0 ? 'too_small' : 'too_big',
      `Must have 1 to ${LONGEST_KEY} characters`,
    );
  return sha256(`${method}\n${path}\n${key}`);
}

export function idempotency(db: Database, clock: Clock, keys: Keys): Idempotency {
  /** The answer that is kept for the key, if there is one; until the transaction ends nobody else has the key. */
  async function findAnswer(
    tx: Queryable,
    { tenantId, bodyHash }: IdempotentRequest,
    keyHash: Buffer,
    now: Date,
  ): Promise<StoredAnswer | undefined> {
    const held = await tx.find(lock, [`${tenantId}:${keyHash.toString('hex')}`]);
    if (!held?.locked) throw inFlight();
    const known = await tx.find(find, [keyHash, tenantId, new Date(now.getTime() - KEPT_MS)]);
    if (!known) return undefined;
    const isReserved = known.reserved_until !== null && known.reserved_until > now;
    if (known.answer_encrypted === null && !isReserved) return undefined;
    if (!known.request_hash.equals(bodyHash))
      throw new ApiError('idempotency_key_reused', {
        detail: 'this Idempotency-Key was used with another body; use a new key for a new request',
      });
    if (known.answer_encrypted === null) throw inFlight();
    return JSON.parse(keys.decrypt(known.answer_encrypted, PURPOSE)) as StoredAnswer;
  }

  const encrypt = (answer: StoredAnswer): { encrypted: Buffer; marks: string[] } => {
    const text = JSON.stringify(answer);
    return { encrypted: keys.encrypt(text, PURPOSE), marks: marksIn(text) };
  };

  return {
    once(request, work) {
      const keyHash = hashOf(request);
      return db.transaction(async (tx) => {
        const now = clock.real();
        const known = await findAnswer(tx, request, keyHash, now);
        if (known) return { ...known, replayed: true };
        const answer = await work(tx);
        const { encrypted, marks } = encrypt(answer);
        await tx.write(store, [keyHash, request.tenantId, request.bodyHash, encrypted, now, marks]);
        return { ...answer, replayed: false };
      });
    },
    async reserve(request, work) {
      const keyHash = hashOf(request);
      const { tenantId, bodyHash } = request;
      const reservation = newId();
      const known = await db.transaction(async (tx) => {
        const now = clock.real();
        const answer = await findAnswer(tx, request, keyHash, now);
        const until = new Date(now.getTime() + RESERVED_MS);
        if (!answer) await tx.run(reserve, [keyHash, tenantId, bodyHash, reservation, until, now]);
        return answer;
      });
      if (known) return { ...known, replayed: true };
      try {
        const finish = await work();
        return await db.transaction(async (tx) => {
          const answer = await finish(tx);
          const { encrypted, marks } = encrypt(answer);
          const kept = [keyHash, tenantId, reservation, encrypted, clock.real(), marks] as const;
          // It took so long that the key has passed to another, who is at it now: this one's effect must not count.
          if ((await tx.run(storeReserved, [...kept])) === 0) throw inFlight();
          return { ...answer, replayed: false };
        });
      } catch (error) {
        await db.run(release, [keyHash, tenantId, reservation]).catch(() => {});
        throw error;
      }
    },
    async sweep() {
      while ((await db.run(sweep, [new Date(clock.real().getTime() - KEPT_MS)])) > 0);
    },
  };
}
