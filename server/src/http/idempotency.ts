import type { Clock } from '../base/clock.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const KEPT_MS = 24 * 3600_000;
const LONGEST_KEY = 255;

const lock = statement<[key: string], { locked: boolean }>(
  'idempotency.lock',
  'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as locked',
);
const find = statement<
  [keyHash: Buffer, tenantId: string, since: Date],
  { request_hash: Buffer; answer_encrypted: Buffer }
>(
  'idempotency.find',
  `select request_hash, answer_encrypted from idempotency_keys
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
  /** Forgets what is past its time. */
  sweep(): Promise<void>;
}

const PURPOSE = 'idempotency_keys.answer';

const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Stands for an id where the id itself is not to be read. */
const markOf = (id: string): string => sha256(id).readBigInt64BE().toString();

/** Marks of the ids that an answer has in it: whatever shows a person shows the person's id. */
const marksIn = (text: string): string[] => [...new Set(text.match(UUIDS))].map(markOf);

/** Deletes the stored answers that mention an id. A request repeated after that is a new one. */
export async function forgetAnswersAbout(tx: Tx, tenantId: string, id: string): Promise<void> {
  await tx.run(forget, [tenantId, markOf(id)]);
}

export function idempotency(db: Database, clock: Clock, keys: Keys): Idempotency {
  return {
    once(request, work) {
      if (request.key.length === 0 || request.key.length > LONGEST_KEY)
        throw invalidParam(
          'Idempotency-Key',
          request.key.length === 0 ? 'too_small' : 'too_big',
          `Must have 1 to ${LONGEST_KEY} characters`,
        );
      const keyHash = sha256(`${request.method}\n${request.path}\n${request.key}`);
      return db.transaction(async (tx) => {
        const held = await tx.find(lock, [`${request.tenantId}:${keyHash.toString('hex')}`]);
        if (!held?.locked)
          throw new ApiError('conflict', {
            detail: 'a request with this Idempotency-Key is still in flight; retry it in a moment',
          });
        const now = clock.now();
        const known = await tx.find(find, [keyHash, request.tenantId, new Date(now.getTime() - KEPT_MS)]);
        if (known && !known.request_hash.equals(request.bodyHash))
          throw new ApiError('idempotency_key_reused', {
            detail: 'this Idempotency-Key was used with another body; use a new key for a new request',
          });
        if (known)
          return {
            ...(JSON.parse(keys.decrypt(known.answer_encrypted, PURPOSE)) as StoredAnswer),
            replayed: true,
          };
        const answer = await work(tx);
        const text = JSON.stringify(answer);
        const sealed = keys.encrypt(text, PURPOSE);
        await tx.run(store, [keyHash, request.tenantId, request.bodyHash, sealed, now, marksIn(text)]);
        return { ...answer, replayed: false };
      });
    },
    async sweep() {
      while ((await db.run(sweep, [new Date(clock.now().getTime() - KEPT_MS)])) > 0);
    },
  };
}
