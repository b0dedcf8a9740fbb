import { createTenant } from './access/tenants.ts';
import { issueToken } from './access/tokens.ts';
import type { Keys } from './base/crypto.ts';
import { OperatorError } from './base/errors.ts';
import { createChannel } from './channels/channel.ts';
import type { Channel } from './channels/schema.ts';
import type { Database } from './db/database.ts';
import { statement } from './db/statement.ts';
import { demoChannels } from './demo/content.ts';
import type { Authenticator } from './http/authenticate.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';

const PURPOSE = 'installation.key_check';

// Many processes may start at once. A statement does not see what was committed while it waited for a lock, so
// whoever waits looks with a statement of its own afterwards.
const addKeyCheck = statement<[check: Buffer]>(
  'installation.keep',
  'insert into installation (key_check) values ($1) on conflict do nothing',
);
const findKeyCheck = statement<[], { key_check: Buffer }>(
  'installation.find',
  'select key_check from installation',
);
const replaceKeyCheck = statement<[check: Buffer]>(
  'installation.replace_key',
  'update installation set key_check = $1',
);
const lockInstallation = statement<[]>('installation.lock', 'select 1 from installation for update');
const keepDemo = statement<[tenantId: string]>(
  'installation.keep_demo',
  'update installation set demo_tenant_id = $1',
);
const findFirstStart = statement<[], { is_first: boolean }>(
  'installation.first_start',
  'select not exists (select 1 from tenants) as is_first',
);

/** Refuses to start with another secret key than the one the database was written with: nothing could be read. */
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

/** From here on the present key is the one that the database is written with: earlier ones are no longer needed. */
export async function keepKeyCheck(db: Database, keys: Keys): Promise<void> {
  await db.run(replaceKeyCheck, [keys.encrypt('parley', PURPOSE)]);
}

export interface Demo {
  token: string;
  /** The first of them. */
  channel: Channel;
}

/**
 * At the very first start: a tenant "demo" with a token and a channel of each kind, so that there is something to try.
 * What is in them follows when the server listens.
 */
export async function createDemo(
  db: Database,
  deps: { keys: Keys; authenticator: Authenticator; now: Date },
): Promise<Demo | undefined> {
  return db.transaction(async (tx) => {
    await tx.run(lockInstallation, []);
    const row = await tx.find(findFirstStart, []);
    if (!row?.is_first) return undefined;
    const tenant = await createTenant(tx, { name: 'demo' }, deps.now);
    const { token } = await issueToken(
      tx,
      tenant.id,
      { name: 'first start', scopes: ['*'] },
      deps.authenticator,
    );
    const channels: Channel[] = [];
    for (const channel of demoChannels) {
      const input = { ...channel, provider: sandbox.provider };
      channels.push(await createChannel(tx, tenant.id, input, sandbox, deps.keys, deps.now));
    }
    await tx.run(keepDemo, [tenant.id]);
    return { token, channel: channels[0] as Channel };
  });
}
