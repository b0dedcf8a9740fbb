import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../../base/errors.ts';
import { type Connection, connect } from './connection.ts';

/** The bytes of the word "parley", so that no one else takes this key by chance. */
const LOCK_KEY = BigInt(`0x${Buffer.from('parley').toString('hex')}`).toString();
/** The backend of a server that was killed may hold the lock until it notices. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 200;

export interface FolderLock {
  release(): Promise<void>;
  /** Called once when, after a broken connection, another Parley holds the lock: this one must stop working. */
  onLost(listener: () => void): void;
}

/**
 * Makes this process the only Parley on its data folder, on a connection of its own, and takes the lock again
 * whenever that connection breaks. A process that is refused here must leave the database running when it ends:
 * the server belongs to the one that holds the lock.
 */
export async function holdFolder(connection: Connection): Promise<FolderLock> {
  const listeners: (() => void)[] = [];
  let held: Client | undefined;
  let retaking: Promise<void> | undefined;
  let released = false;
  let lost = false;

  async function take(): Promise<boolean> {
    const client = await connect(connection, 'parley folder lock');
    let broken = false;
    client.once('end', () => {
      broken = true;
      if (held !== client) return;
      held = undefined;
      if (!released) retaking = retake();
    });
    try {
      if (await tryLock(client, () => released)) {
        if (broken) throw new Error('The connection broke as it took the folder lock.');
        held = client;
        return true;
      }
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    await client.end();
    return false;
  }

  async function retake(): Promise<void> {
    while (!released) {
      try {
        if (await take()) return;
        if (released) return;
        lost = true;
        for (const listener of listeners) listener();
        return;
      } catch {
        // The database is down. Whoever needs it starts it again; until then there is nothing to hold.
        await delay(RETRY_MS);
      }
    }
  }

  if (!(await take())) {
    throw new OperatorError(
      'Another Parley is running on this data folder: stop it first, or give this one a data folder of its own.',
    );
  }
  return {
    async release() {
      released = true;
      await retaking;
      await held?.end().catch(() => {});
    },
    onLost(listener) {
      if (lost) listener();
      else listeners.push(listener);
    },
  };
}

async function tryLock(client: Client, givenUp: () => boolean): Promise<boolean> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as taken',
      [LOCK_KEY],
    );
    if (rows[0]?.taken === true) return true;
    if (givenUp() || performance.now() >= deadline) return false;
    await delay(RETRY_MS);
  }
}
