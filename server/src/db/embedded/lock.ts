import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../../base/errors.ts';
import { type Connection, connect } from './connection.ts';

/** The bytes of "parley", so that no other program uses this key by chance. */
const LOCK_KEY = BigInt(`0x${Buffer.from('parley').toString('hex')}`).toString();
/** The backend of a killed process may hold the lock for some time. */
const LOCK_TIMEOUT_MS = 10_000;
const RETRY_MS = 200;

export interface FolderLock {
  release(): Promise<void>;
  /** Called if another Parley has the lock after the connection broke: this process must stop working. */
  onLost(listener: () => void): void;
}

/**
 * Makes this process the only Parley on its data folder, with a lock on a separate connection, and takes the lock again
 * if that connection breaks. A process that does not get the lock must not stop the database: the server belongs to the
 * process that holds the lock.
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
        if (broken) throw new Error('The connection broke while it took the folder lock.');
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
        // The database is down until its next user starts it again.
        await delay(RETRY_MS);
      }
    }
  }

  if (!(await take())) {
    throw new OperatorError(
      'Another Parley is running on this data folder: stop it first, or use another data folder for this one.',
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

async function tryLock(client: Client, isCancelled: () => boolean): Promise<boolean> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_lock($1::bigint) as taken',
      [LOCK_KEY],
    );
    if (rows[0]?.taken === true) return true;
    if (isCancelled() || performance.now() >= deadline) return false;
    await delay(RETRY_MS);
  }
}
