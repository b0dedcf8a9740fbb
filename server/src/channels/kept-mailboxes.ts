import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import type { OpenMailbox } from '../providers/mailbox.ts';
import { MAILBOX_INTERVAL_MS, type MailboxRow, mailboxesQueue } from './queues.ts';

const makeDue = systemStatement<[id: string, tenantId: string]>(
  'mailboxes.make_due',
  `update mailboxes set due_at = ${DUE_NOW} where id = $1 and tenant_id = $2 and due_at > ${DUE_NOW}`,
);

/** A server that announces mail all the time is not read more often. */
const MIN_PAUSE_MS = 1_000;
/** A connection that nobody has read through for so long belongs to a mailbox that is deleted, or read elsewhere. */
const MAX_UNREAD_MS = 4 * MAILBOX_INTERVAL_MS;

/**
 * The connections on which servers announce new mail (IDLE). Between two reads a connection waits here, without a place of
 * the queue. A mailbox without one is read every half minute, like one whose server cannot announce anything.
 */
export interface KeptMailboxes {
  /** The connection of a mailbox that is about to be read; undefined if there is none with its settings. */
  take(row: MailboxRow): OpenMailbox | undefined;
  /** Keeps a connection until the next read and returns true; false if there is no place: then the caller closes it. */
  keep(row: MailboxRow, mailbox: OpenMailbox): boolean;
  /** Closes what this process may no longer read, and connections that are lost or unused. */
  sweep(): void;
  close(): Promise<void>;
}

interface KeptMailbox {
  row: MailboxRow;
  mailbox: OpenMailbox;
  keptAt: number;
  timer?: NodeJS.Timeout;
}

interface KeptMailboxDeps {
  db: Pick<Database, 'run'>;
  wakeUps: Pick<WakeUps, 'wake'>;
  log: Logger;
  /** Whether this process works on a shard. */
  owns(shard: number): boolean;
  /** How many connections may wait in this process; a tenant may have a quarter of them. */
  maxKept: number;
}

export function createKeptMailboxes({ db, wakeUps, log, owns, maxKept }: KeptMailboxDeps): KeptMailboxes {
  const kept = new Map<string, KeptMailbox>();
  const closing = new Set<Promise<void>>();
  const perTenant = Math.max(1, Math.floor(maxKept / 4));
  let isClosed = false;

  function remove(entry: KeptMailbox): void {
    clearTimeout(entry.timer);
    if (kept.get(entry.row.id) === entry) kept.delete(entry.row.id);
  }
  function drop(entry: KeptMailbox): void {
    remove(entry);
    const ended: Promise<void> = entry.mailbox.close().finally(() => closing.delete(ended));
    closing.add(ended);
  }
  const isFull = (tenantId: string): boolean =>
    kept.size >= maxKept ||
    [...kept.values()].filter(({ row }) => row.tenant_id === tenantId).length >= perTenant;

  async function readNow(entry: KeptMailbox): Promise<void> {
    const { id, tenant_id: tenantId } = entry.row;
    if (kept.get(id) !== entry) return;
    try {
      await db.run(makeDue, [id, tenantId]);
      wakeUps.wake(mailboxesQueue.name, mailboxesQueue.shardOf(id, tenantId), id);
    } catch (error) {
      log.warn({ err: error, channelId: id }, 'announced mail is read at the next turn of its mailbox');
    }
  }

  return {
    take(row) {
      const entry = kept.get(row.id);
      if (!entry) return undefined;
      if (entry.row.config_encrypted.equals(row.config_encrypted) && entry.mailbox.isUsable()) {
        remove(entry);
        return entry.mailbox;
      }
      drop(entry);
      return undefined;
    },
    keep(row, mailbox) {
      const shard = mailboxesQueue.shardOf(row.id, row.tenant_id);
      if (isClosed || !owns(shard) || isFull(row.tenant_id)) return false;
      const entry: KeptMailbox = { row, mailbox, keptAt: performance.now() };
      kept.set(row.id, entry);
      mailbox.waitForMail().then(
        () => {
          entry.timer = setTimeout(
            () => void readNow(entry),
            Math.max(0, entry.keptAt + MIN_PAUSE_MS - performance.now()),
          );
        },
        () => {
          if (kept.get(row.id) === entry) drop(entry);
        },
      );
      return true;
    },
    sweep() {
      const now = performance.now();
      for (const entry of kept.values()) {
        const { row, mailbox, keptAt } = entry;
        const isOurs = owns(mailboxesQueue.shardOf(row.id, row.tenant_id));
        if (!isOurs || !mailbox.isUsable() || now - keptAt > MAX_UNREAD_MS) drop(entry);
      }
    },
    async close() {
      isClosed = true;
      for (const entry of kept.values()) drop(entry);
      await Promise.all(closing);
    },
  };
}
