import { createTenant } from './access/tenants.ts';
import { issueToken } from './access/tokens.ts';
import type { Keys } from './base/crypto.ts';
import { OperatorError } from './base/errors.ts';
import { createChannel } from './channels/create-channel.ts';
import type { Channel } from './channels/schema.ts';
import type { Database } from './db/database.ts';
import type { Queryable } from './db/queryable.ts';
import { statement, systemStatement } from './db/statement.ts';
import type { SystemTx } from './db/transaction.ts';
import { demoChannels } from './demo/content.ts';
import type { Authenticator } from './http/authenticate.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import { createFirstLink } from './people/links.ts';
import type { PersonLink } from './people/schema.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';

const PURPOSE = 'installation.key_check';

// Many processes may start at the same time. A statement does not see what was committed while it waited for a lock, so
// the value is read by a second statement.
const addKeyCheck = systemStatement<[check: Buffer]>(
  'installation.add_key_check',
  'insert into installation (key_check) values ($1) on conflict do nothing',
);
const findKeyCheck = systemStatement<[], { key_check: Buffer }>(
  'installation.find_key_check',
  'select key_check from installation',
);
const replaceKeyCheck = systemStatement<[check: Buffer]>(
  'installation.replace_key_check',
  'update installation set key_check = $1',
);
const lockInstallation = systemStatement<[]>('installation.lock', 'select 1 from installation for update');
const setDemoTenant = statement<[]>(
  'installation.set_demo_tenant',
  'update installation set demo_tenant_id = $tenant',
);
const findFirstStart = systemStatement<[], { is_first: boolean }>(
  'installation.first_start',
  'select not exists (select 1 from visible_tenants) as is_first',
);

const checkWrite = systemStatement<[]>(
  'installation.check_write',
  'update installation set write_checked_at = now()',
);
const beginEpoch = systemStatement<[], { epoch: number; held_at: Date }>(
  'installation.begin_epoch',
  // By time and not counted: a backup from before the last restore would count to the same number again.
  `update installation set epoch = greatest(epoch + 1, extract(epoch from now())::bigint), held_at = now()
    where held_at is null returning epoch, held_at`,
);
const endHold = systemStatement<[]>('installation.end_hold', 'update installation set held_at = null');
const findEpoch = systemStatement<[], { epoch: number; held_at: Date | null }>(
  'installation.find_epoch',
  'select epoch, held_at from installation',
);

/** Throws if the database cannot store anything. */
export async function requireWritable(db: Database): Promise<void> {
  await db.run(checkWrite, []);
}

/** Begins a new epoch and a hold, and returns when; undefined while an earlier hold has not ended. */
export const beginHold = async (tx: SystemTx): Promise<Date | undefined> =>
  (await tx.find(beginEpoch, []))?.held_at;

export const endHoldNow = async (db: Queryable): Promise<void> => void (await db.run(endHold, []));

/** The epoch of event streams (0 before the first restore), and since when work is held. */
export async function findRestore(db: Queryable): Promise<{ epoch: number; heldAt: Date | null }> {
  const row = await db.find(findEpoch, []);
  return { epoch: row?.epoch ?? 0, heldAt: row?.held_at ?? null };
}

/** Throws if the database was encrypted with another secret key. */
export async function requireSameKey(db: Database, keys: Keys): Promise<void> {
  await db.run(addKeyCheck, [keys.encrypt('parley', PURPOSE)]);
  const row = await db.find(findKeyCheck, []);
  try {
    keys.decrypt((row as { key_check: Buffer }).key_check, PURPOSE);
  } catch {
    throw new OperatorError(
      'This database was written with another secret key. Set PARLEY_SECRET_KEY to that one, or copy secrets.json from the data folder that it was first started with; if you are changing the key, put the old one into PARLEY_SECRET_KEY_PREVIOUS.',
    );
  }
}

/** Encrypts the key check with the present key, after which earlier keys are no longer needed. */
export async function updateKeyCheck(db: Database, keys: Keys): Promise<void> {
  await db.run(replaceKeyCheck, [keys.encrypt('parley', PURPOSE)]);
}

/** The link by which the first person logs in; undefined if none is needed. Of many processes one creates it. */
export const createFirstLogin = (db: Database, baseUrl: string): Promise<PersonLink | undefined> =>
  db.systemTransaction(async (tx) => {
    await tx.run(lockInstallation, []);
    return createFirstLink(tx, baseUrl);
  });

export interface Demo {
  token: string;
  /** The first channel. */
  channel: Channel;
}

/**
 * Creates a tenant "demo" with a token and a channel of each kind at the very first start, and returns undefined at later
 * starts. Conversations are added when the server listens.
 */
export async function createDemo(
  db: Database,
  { keys, policy, authenticator }: { keys: Keys; policy: OutboundPolicy; authenticator: Authenticator },
): Promise<Demo | undefined> {
  return db.systemTransaction(async (system) => {
    await system.run(lockInstallation, []);
    const row = await system.find(findFirstStart, []);
    if (!row?.is_first) return undefined;
    const { id } = await createTenant(system, { name: 'demo' }, new Date());
    const tx = system.forTenant(id);
    const { token } = await issueToken(tx, { name: 'first start', scopes: ['*'] }, authenticator);
    const channels: Channel[] = [];
    for (const channel of demoChannels)
      channels.push(
        await createChannel(tx, { ...channel, provider: sandbox.provider }, sandbox, { keys, policy }),
      );
    await tx.run(setDemoTenant, []);
    return { token, channel: channels[0] as Channel };
  });
}
