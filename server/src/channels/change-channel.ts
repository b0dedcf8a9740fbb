import type { Keys } from '../base/crypto.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type EndingDeps, removeChatsOf } from '../chats/remove-chats.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { Adapter, AdapterContext, ChannelConfig, ChannelProblem } from '../providers/adapter.ts';
import {
  CHANNEL_COLUMNS,
  type ChannelRow,
  decryptConfig,
  encryptConfig,
  findConfiguredChannel,
  presentChannel,
  takenVendorKey,
  vendorKeys,
} from './channel.ts';
import { keepMailbox } from './mailbox.ts';
import type { Channel } from './schema.ts';

type ConfiguredRow = ChannelRow & { config_encrypted: Buffer };

const lockChannel = statement<[id: string, tenantId: string], ConfiguredRow>(
  'channels.lock',
  `select ${CHANNEL_COLUMNS}, config_encrypted from channels where id = $1 and tenant_id = $2 for update`,
);
const updateChannel = statement<
  [
    id: string,
    tenantId: string,
    name: string,
    address: string,
    config: Buffer,
    now: Date,
    vendorKey: string | null,
    verifyHash: Buffer | null,
    accountKey: string | null,
  ],
  ChannelRow
>(
  'channels.update',
  `update channels set name = $3, address = $4, config_encrypted = $5, updated_at = $6, vendor_key = $7, verify_hash = $8,
          account_key = $9
    where id = $1 and tenant_id = $2 returning ${CHANNEL_COLUMNS}`,
);
const deleteChannel = statement<[id: string, tenantId: string]>(
  'channels.delete',
  'delete from channels where id = $1 and tenant_id = $2',
);

/** What a change of a channel needs: its vendor by name, and the key to its settings. */
export interface ConfigDeps {
  adapters: ReadonlyMap<string, Adapter>;
  keys: Keys;
}

export interface ChannelChange {
  kind?: string;
  provider?: string;
  name?: string;
  address?: string;
  config?: ChannelConfig;
}

/** Whoever has written to a channel wrote on its medium through its vendor: neither can become another. */
function requireSameNature(row: ChannelRow, change: ChannelChange): void {
  const issues: InvalidParams = {};
  for (const name of ['kind', 'provider'] as const)
    if (change[name] !== undefined && change[name] !== row[name])
      issues[name] = { key: 'custom', message: `Cannot change: the channel's is "${row[name]}"` };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
}

/** Changes what is given. Settings are put over the stored ones, so those that are not named stay. */
export async function changeChannel(
  tx: Tx,
  tenantId: string,
  channelId: string,
  change: ChannelChange,
  { adapters, keys }: ConfigDeps,
  now: Date,
): Promise<Channel> {
  const row = isUuid(channelId) ? await tx.find(lockChannel, [channelId, tenantId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  requireSameNature(row, change);
  const adapter = adapters.get(row.provider) as Adapter;
  const stored = decryptConfig(row.config_encrypted, keys);
  const config = change.config === undefined ? stored : adapter.configure(change.config, stored);
  const { name = row.name, address = row.address } = change;
  const { vendorKey, verifyHash, accountKey } = vendorKeys(adapter, config);
  const encrypted = encryptConfig(config, keys);
  const updated = await tx
    .find(updateChannel, [row.id, tenantId, name, address, encrypted, now, vendorKey, verifyHash, accountKey])
    .catch((error) => {
      throw isUniqueViolation(error, 'channels_provider_vendor_key_key')
        ? takenVendorKey(config, vendorKey)
        : error;
    });
  if (change.config !== undefined)
    await keepMailbox(tx, tenantId, row.id, adapter.mailboxOf?.(stored), adapter.mailboxOf?.(config), now);
  return presentChannel(updated as ChannelRow);
}

/**
 * Deletes a channel with everything that came over it, and says whether there was one. The lock keeps whoever would
 * add to it waiting, to find that it is gone.
 */
export async function removeChannel(
  tx: Tx,
  tenantId: string,
  channelId: string,
  deps: EndingDeps,
): Promise<boolean> {
  const row = isUuid(channelId) ? await tx.find(lockChannel, [channelId, tenantId]) : undefined;
  if (!row) return false;
  await removeChatsOf(tx, tenantId, row.id, deps);
  await tx.run(deleteChannel, [row.id, tenantId]);
  return true;
}

/** What is wrong with a channel, as far as can be told without writing to anyone. Changes nothing. */
export async function checkChannel(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  channelId: string,
  { adapters, keys, context }: ConfigDeps & { context: AdapterContext },
): Promise<{ ok: boolean; problems: ChannelProblem[] }> {
  const channel = await findConfiguredChannel(db, tenantId, channelId, keys);
  if (!channel) throw new ApiError('channel_not_found');
  const problems = await (adapters.get(channel.provider) as Adapter).check(channel, context);
  return { ok: problems.length === 0, problems };
}
