import { createTenant } from './access/tenants.ts';
import { issueToken } from './access/tokens.ts';
import type { Keys } from './base/crypto.ts';
import { OperatorError } from './base/errors.ts';
import { createChannel } from './channels/channel.ts';
import type { Channel } from './channels/schema.ts';
import type { Database } from './db/database.ts';
import { statement } from './db/statement.ts';
import type { Authenticator } from './http/authenticate.ts';
import { sandbox } from './providers/sandbox/sandbox.ts';

const PURPOSE = 'installation.key_check';

const keepKeyCheck = statement<[check: Buffer], { key_check: Buffer }>(
  'installation.keep',
  `with made as (insert into installation (key_check) values ($1) on conflict do nothing returning key_check)
   select key_check from made union all select key_check from installation limit 1`,
);
const lockFirstStart = statement<[], { is_first: boolean }>(
  'installation.first_start',
  `select not exists (select 1 from tenants) as is_first from installation for update`,
);

/** Refuses to start with another secret key than the one the database was written with: nothing could be read. */
export async function requireSameKey(db: Database, keys: Keys): Promise<void> {
  const row = await db.find(keepKeyCheck, [keys.encrypt('parley', PURPOSE)]);
  try {
    keys.decrypt((row as { key_check: Buffer }).key_check, PURPOSE);
  } catch {
    throw new OperatorError(
      'This database was written with another secret key. Set PARLEY_SECRET_KEY to that one, or copy secrets.json from the data folder that it was first started with.',
    );
  }
}

export interface Demo {
  token: string;
  channel: Channel;
}

/** At the very first start: a tenant "demo" with a token and a channel, so that there is something to try. */
export async function createDemo(
  db: Database,
  needs: { keys: Keys; authenticator: Authenticator; now: Date },
): Promise<Demo | undefined> {
  return db.transaction(async (tx) => {
    const row = await tx.find(lockFirstStart, []);
    if (!row?.is_first) return undefined;
    const tenant = await createTenant(tx, { name: 'demo' }, needs.now);
    const { token } = await issueToken(
      tx,
      tenant.id,
      { name: 'first start', scopes: ['*'] },
      needs.authenticator,
    );
    const channel = await createChannel(
      tx,
      tenant.id,
      { kind: 'whatsapp', provider: 'sandbox', name: 'Demo', address: '+15550000000' },
      sandbox,
      needs.keys,
      needs.now,
    );
    return { token, channel };
  });
}
