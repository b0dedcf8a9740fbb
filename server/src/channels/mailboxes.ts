import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { Adapter, AdapterContext, ChannelKind, MailboxCursor } from '../providers/adapter.ts';
import { decryptConfig } from './channel.ts';
import { storeRequest } from './receive-request.ts';

interface MailboxRow extends QueueRow {
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
  uid_validity: number | null;
  uid: number | null;
  attempts: number;
  /** As PostgreSQL writes it: it is compared with again, and may be infinite. */
  due: string;
}

const mailboxes = declareQueue<MailboxRow>({
  name: 'mailboxes',
  table: 'mailboxes',
  lane: 'id',
  order: 'due_at',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select m.id, m.tenant_id, m.uid_validity, m.uid, m.attempts, m.due_at::text as due,
                 c.kind, c.provider, c.address, c.config_encrypted
            from mailboxes m join channels c on c.id = m.id and c.tenant_id = m.tenant_id
           where m.shard = $1 and m.id = $2 and m.due_at <= $3 order by m.due_at limit $4`,
  batch: 1,
  perLane: 1,
  atOnce: 16,
});

// Whoever lost its lease, or read a mailbox that was changed meanwhile, finds another due_at or another place.
const UNCHANGED = `id = $1 and tenant_id = $2 and due_at = $3::timestamptz
  and uid_validity is not distinct from $4 and uid is not distinct from $5`;
type Unchanged = [id: string, tenantId: string, due: string, uidValidity: number | null, uid: number | null];

const moveOn = statement<[...Unchanged, uidValidity: number, uid: number, dueAt: Date]>(
  'mailboxes.move_on',
  `update mailboxes set uid_validity = $6, uid = $7, due_at = $8, attempts = 0, error = null where ${UNCHANGED}`,
);
const fail = statement<[...Unchanged, error: string, dueAt: Date]>(
  'mailboxes.fail',
  `update mailboxes set error = $6, due_at = $7, attempts = attempts + 1 where ${UNCHANGED}`,
);

const PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;

interface MailboxDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  log: Logger;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
}

/**
 * Looks into mailboxes every half minute. What came is stored as vendors' requests are, together with how far the
 * mailbox has been read, so no mail is lost between the two and none is stored twice.
 */
export function readMailboxes(deps: MailboxDeps): Work {
  const { db, clock, keys, adapters, context } = deps;
  const later = (ms: number): Date => new Date(clock.real().getTime() + ms);

  async function read(row: MailboxRow): Promise<void> {
    const adapter = adapters.get(row.provider);
    if (!adapter?.receive) throw new Error(`The provider "${row.provider}" has no mailboxes.`);
    const { id, tenant_id: tenantId, kind, address } = row;
    const config = decryptConfig(row.config_encrypted, keys);
    const before: MailboxCursor | null =
      row.uid_validity === null || row.uid === null ? null : { uidValidity: row.uid_validity, uid: row.uid };
    const { requests, cursor, more } = await adapter.receive(
      { id, tenantId, kind, address, config },
      before,
      context,
    );
    const dueAt = more ? clock.real() : later(PAUSE_MS);
    await db.transaction(async (tx) => {
      const moved = await tx.run(moveOn, [...unchanged(row), cursor.uidValidity, cursor.uid, dueAt]);
      if (moved === 0) return;
      for (const request of requests) await storeRequest(tx, [{ id, tenantId }], request, deps);
    });
  }

  return work(mailboxes, async ([row]) => {
    const mailbox = row as MailboxRow;
    try {
      await read(mailbox);
      return 'ok';
    } catch (error) {
      const pauseMs = Math.min(PAUSE_MS * 2 ** mailbox.attempts, LONGEST_PAUSE_MS);
      const why = storable(error instanceof Error ? error.message : String(error));
      deps.log.warn({ channelId: mailbox.id, why }, 'a mailbox could not be read, will be tried again');
      await db.run(fail, [...unchanged(mailbox), why, later(pauseMs)]);
      return 'failing';
    }
  });
}

const unchanged = (row: MailboxRow): Unchanged => [row.id, row.tenant_id, row.due, row.uid_validity, row.uid];
