import type { Clock } from '../base/clock.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';

const RETENTION_MS = 24 * 3600_000;
const MAX_KEY_CHARACTERS = 255;
/** How long a key stays reserved if the process dies while it calls a vendor. */
const RESERVED_MS = 5 * 60_000;

const lock = systemStatement<[key: string], { locked: boolean }>(
  'idempotency.lock',
  'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
);
interface KnownKey {
  request_hash: Buffer;
  /** Null while the key is only reserved. */
  answer_encrypted: Buffer | null;
  reserved_until: Date | null;
}
const find = statement<[keyHash: Buffer, since: Date], KnownKey>(
  'idempotency.find',
  `select request_hash, answer_encrypted, reserved_until from idempotency_keys
    where key_hash = $1 and tenant_id = $tenant and created_at > $2`,
);
const store = statement<
  [keyHash: Buffer, requestHash: Buffer, answer: Buffer, now: Date, mentions: string[]]
>(
  'idempotency.store',
  `insert into idempotency_keys (key_hash, tenant_id, request_hash, answer_encrypted, created_at, mentions)
   values ($1, $tenant, $2, $3, $4, $5)
   on conflict (key_hash, tenant_id) do update set request_hash = excluded.request_hash,
     answer_encrypted = excluded.answer_encrypted, created_at = excluded.created_at, mentions = excluded.mentions`,
);
const reserve = statement<
  [keyHash: Buffer, requestHash: Buffer, reservation: string, until: Date, now: Date]
>(
  'idempotency.reserve',
  `insert into idempotency_keys (key_hash, tenant_id, request_hash, reservation, reserved_until, created_at)
   values ($1, $tenant, $2, $3, $4, $5)
   on conflict (key_hash, tenant_id) do update set request_hash = excluded.request_hash, answer_encrypted = null,
     reservation = excluded.reservation, reserved_until = excluded.reserved_until, created_at = excluded.created_at,
     mentions = '{}'`,
);
const storeReserved = statement<
  [keyHash: Buffer, reservation: string, answer: Buffer, now: Date, mentions: string[]]
>(
  'idempotency.store_reserved',
  `update idempotency_keys
      set answer_encrypted = $3, created_at = $4, mentions = $5, reservation = null, reserved_until = null
    where key_hash = $1 and tenant_id = $tenant and reservation = $2`,
);
const release = statement<[keyHash: Buffer, reservation: string]>(
  'idempotency.release',
  'delete from idempotency_keys where key_hash = $1 and tenant_id = $tenant and reservation = $2',
);
const forget = statement<[idHash: string]>(
  'idempotency.forget',
  'delete from idempotency_keys where tenant_id = $tenant and mentions @> array[$1::bigint]',
);
const sweep = systemStatement<[before: Date]>(
  'idempotency.sweep',
  `delete from idempotency_keys where ctid = any (array(
     select ctid from idempotency_keys where created_at <= $1 limit 10000))`,
);

/** The part of an answer that is stored to send it again. */
interface StoredAnswer {
  body: unknown;
  headers: Record<string, string>;
}

interface IdempotentRequest {
  tenantId: string;
  /**
   * The token of the caller. A key belongs to it: the answer may contain what another token must not see, such as a token
   * with more scopes.
   */
  callerId: string;
  key: string;
  method: string;
  path: string;
  bodyHash: Buffer;
}

export interface Idempotency {
  /**
   * Runs `work` at most once per key within 24 hours. Its changes and its answer are committed in one transaction. Only
   * successful answers are stored, and they are encrypted, as an answer may contain a secret.
   */
  once(
    request: IdempotentRequest,
    work: (tx: TenantTx) => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }>;
  /**
   * The same for work that calls a vendor. The key is reserved first, and the answer is committed in the transaction of
   * the function that `work` returns. A repeated request gets a conflict meanwhile. A failure releases the key; if the
   * process dies, the reservation ends after five minutes.
   */
  reserve(
    request: IdempotentRequest,
    work: () => Promise<(tx: TenantTx) => Promise<StoredAnswer>>,
  ): Promise<StoredAnswer & { replayed: boolean }>;
  /** Deletes expired keys. */
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

/** Stored instead of the id, which must not be readable. */
const hashId = (id: string): string => sha256(id).readBigInt64BE().toString();

/** The hashes of all ids in an answer. An answer with data of a contact contains the id of the contact. */
const hashIdsIn = (text: string): string[] => [...new Set(text.match(UUIDS))].map(hashId);

/** Deletes the stored answers that mention an id. A request that is repeated after that runs again. */
export async function forgetAnswersAbout(tx: TenantTx, id: string): Promise<void> {
  await tx.run(forget, [hashId(id)]);
}

const inFlight = (): ApiError =>
  new ApiError('conflict', {
    detail: 'a request with this Idempotency-Key is still in flight; retry it in a moment',
  });

function hashOf({ callerId, key, method, path }: IdempotentRequest): Buffer {
  if (key.length === 0 || key.length > MAX_KEY_CHARACTERS)
    throw invalidParam(
      'Idempotency-Key',
      key.length === 0 ? 'too_small' : 'too_big',
      `Must have 1 to ${MAX_KEY_CHARACTERS} characters`,
    );
  return sha256(`${callerId}\n${method}\n${path}\n${key}`);
}

export function idempotency(db: Database, clock: Clock, keys: Keys): Idempotency {
  /** Finds the stored answer of the key, and locks the key until the transaction ends. */
  async function findAnswer(
    tx: TenantReader,
    { bodyHash }: IdempotentRequest,
    keyHash: Buffer,
    now: Date,
  ): Promise<StoredAnswer | undefined> {
    const held = await tx.find(lock, [`${tx.tenantId}:${keyHash.toString('hex')}`]);
    if (!held?.locked) throw inFlight();
    const known = await tx.find(find, [keyHash, new Date(now.getTime() - RETENTION_MS)]);
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

  const encrypt = (answer: StoredAnswer): { encrypted: Buffer; mentions: string[] } => {
    const text = JSON.stringify(answer);
    return { encrypted: keys.encrypt(text, PURPOSE), mentions: hashIdsIn(text) };
  };

  return {
    once(request, work) {
      const keyHash = hashOf(request);
      return db.forTenant(request.tenantId).transaction(async (tx) => {
        const now = clock.real();
        const known = await findAnswer(tx, request, keyHash, now);
        if (known) return { ...known, replayed: true };
        const answer = await work(tx);
        const { encrypted, mentions } = encrypt(answer);
        tx.enqueue(store, [keyHash, request.bodyHash, encrypted, now, mentions]);
        return { ...answer, replayed: false };
      });
    },
    async reserve(request, work) {
      const keyHash = hashOf(request);
      const { tenantId, bodyHash } = request;
      const reservation = newId();
      const known = await db.forTenant(tenantId).transaction(async (tx) => {
        const now = clock.real();
        const answer = await findAnswer(tx, request, keyHash, now);
        const until = new Date(now.getTime() + RESERVED_MS);
        if (!answer) await tx.run(reserve, [keyHash, bodyHash, reservation, until, now]);
        return answer;
      });
      if (known) return { ...known, replayed: true };
      try {
        const finish = await work();
        return await db.forTenant(tenantId).transaction(async (tx) => {
          const answer = await finish(tx);
          const { encrypted, mentions } = encrypt(answer);
          const params = [keyHash, reservation, encrypted, clock.real(), mentions] as const;
          // The reservation ended, and another request has the key now: roll back.
          if ((await tx.run(storeReserved, [...params])) === 0) throw inFlight();
          return { ...answer, replayed: false };
        });
      } catch (error) {
        await db
          .forTenant(tenantId)
          .run(release, [keyHash, reservation])
          .catch(() => {});
        throw error;
      }
    },
    async sweep() {
      while ((await db.run(sweep, [new Date(clock.real().getTime() - RETENTION_MS)])) > 0);
    },
  };
}
