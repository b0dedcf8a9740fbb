import type { Logger } from 'pino';
import { wakeForHours } from '../automations/runs/wake-for-hours.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { type BeforeChatRemoval, removeSomeChats } from '../chats/remove-chats.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { StoredHours } from '../hours/schema.ts';
import { lockTenantHours, requireFewHours } from '../hours/tenant-hours.ts';
import type { GivenHours } from '../hours/validate-hours.ts';
import { type Removal, startRemoval } from '../jobs/job.ts';
import { hasManyRows } from '../jobs/removal-steps.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelConfig, ChannelProblem } from '../providers/adapter-channel.ts';
import type { AdapterContext } from '../providers/adapter-context.ts';
import type { Adapters } from '../providers/adapters.ts';
import { recountSince } from '../reports/marks.ts';
import { CHANNEL_COLUMNS, type ChannelRow, findConfiguredChannel, presentChannel } from './channel.ts';
import { confirmVendorKey } from './confirm-key.ts';
import { decryptConfig, encryptConfig } from './encrypted-config.ts';
import { freeChannels } from './free-channels.ts';
import { endMailProblems, endProblem, endUnchecked } from './health.ts';
import { updateMailbox } from './mailbox.ts';
import type { Channel, ChannelConsent } from './schema.ts';
import { givenConsent, requireAllowedServers, requireValidHours } from './validate-channel.ts';
import { requireFreeVendorKey, takenKeyProblem, takenVendorKey, vendorKeys } from './vendor-key.ts';

type ConfiguredRow = ChannelRow & { config_encrypted: Buffer };

const lockChannel = statement<[id: string], ConfiguredRow>(
  'channels.lock',
  `select ${CHANNEL_COLUMNS}, config_encrypted from visible_channels where id = $1 and tenant_id = $tenant for update`,
);
const updateChannel = statement<
  [
    id: string,
    name: string,
    address: string,
    config: Buffer,
    now: Date,
    vendorKey: string | null,
    verifyHash: Buffer | null,
    accountKey: string | null,
    consent: Partial<ChannelConsent>,
    businessHours: StoredHours['businessHours'],
    quietHours: StoredHours['quietHours'],
  ],
  ChannelRow
>(
  'channels.update',
  `update visible_channels set name = $2, address = $3, config_encrypted = $4, updated_at = $5, vendor_key = $6, verify_hash = $7,
          account_key = $8, consent = consent || $9::jsonb, business_hours = $10, quiet_hours = $11,
          vendor_confirmed_at = case when vendor_key is not distinct from $6 then vendor_confirmed_at end
    where id = $1 and tenant_id = $tenant returning ${CHANNEL_COLUMNS}`,
);
const deleteChannel = statement<[id: string]>(
  'channels.delete',
  'delete from channels where id = $1 and tenant_id = $tenant',
);

export interface ConfigDeps {
  adapters: Adapters;
  keys: Keys;
  policy: OutboundPolicy;
  log: Logger;
}

export interface ChannelChange extends Partial<ChannelConsent>, GivenHours {
  kind?: string;
  provider?: string;
  name?: string;
  address?: string;
  config?: ChannelConfig;
}

/** Messages of a channel came over its kind through its provider, so neither can change. */
function requireSameKind(row: ChannelRow, change: ChannelChange): void {
  const issues = collectIssues();
  for (const name of ['kind', 'provider'] as const)
    if (change[name] !== undefined && change[name] !== row[name])
      issues.add(name, 'custom', `Cannot be changed from "${row[name]}"`);
  issues.throwIfAny();
}

/** Changes the given fields. Settings are merged into the stored ones, so settings that are not given stay. */
export async function changeChannel(
  tx: TenantTx,
  channelId: string,
  change: ChannelChange,
  { adapters, keys, policy, log }: ConfigDeps,
): Promise<Channel> {
  const hours = requireValidHours(change);
  const setsHours = Object.keys(hours).length > 0;
  if (setsHours) await lockTenantHours(tx);
  const row = isUuid(channelId) ? await tx.find(lockChannel, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  requireSameKind(row, change);
  const adapter = adapters.get(row.provider) as Adapter;
  const stored = decryptConfig(row.config_encrypted, keys);
  const config = change.config === undefined ? stored : adapter.configure(change.config, stored);
  if (change.config !== undefined) requireAllowedServers(adapter, config, policy);
  const { name = row.name, address = row.address } = change;
  const { vendorKey, verifyHash, accountKey } = vendorKeys(adapter, config);
  await requireFreeVendorKey(tx, row.provider, config, vendorKey, row.id);
  if (change.config !== undefined) {
    const problem = await updateMailbox(tx, row.id, adapter.mailboxOf?.(stored), adapter.mailboxOf?.(config));
    if (problem !== null) await endProblem(tx, row.id, problem, log);
    await endMailProblems(tx, row.id);
  }
  const encrypted = encryptConfig(config, keys);
  const updated = await tx
    .find(updateChannel, [
      row.id,
      name,
      address,
      encrypted,
      tx.now,
      vendorKey,
      verifyHash,
      accountKey,
      givenConsent(change),
      hours.businessHours === undefined ? row.business_hours : hours.businessHours,
      hours.quietHours === undefined ? row.quiet_hours : hours.quietHours,
    ])
    .catch((error) => {
      throw isUniqueViolation(error, 'channels_tenant_vendor_key_key')
        ? takenVendorKey(config, vendorKey)
        : error;
    });
  if (hours.businessHours) await requireFewHours(tx);
  if (setsHours) await wakeForHours(tx);
  return presentChannel(updated as ChannelRow);
}

const CHATS_AT_ONCE = 2_000;

/**
 * Deletes a channel with everything that came over it. The row lock makes transactions that would add to the channel wait;
 * they then find it deleted. A large channel is hidden at once and deleted by a job: its credentials, templates and the
 * address are free from then on. Returns undefined if the channel does not exist.
 */
export async function removeChannel(
  tx: TenantTx,
  channelId: string,
  beforeRemoval: BeforeChatRemoval,
): Promise<Removal | undefined> {
  const row = isUuid(channelId) ? await tx.find(lockChannel, [channelId]) : undefined;
  if (!row) return undefined;
  tx.announce(deletionOf('channel', row.id));
  await recountSince(tx, row.created_at);
  if (await hasManyRows(tx, 'delete_channel', row.id)) {
    const jobId = await startRemoval(tx, 'delete_channel', row.id, [row.id]);
    if (jobId === undefined) return undefined;
    await freeChannels(tx, [row.id]);
    return { jobId };
  }
  while ((await removeSomeChats(tx, row.id, CHATS_AT_ONCE, beforeRemoval)) === CHATS_AT_ONCE);
  await tx.run(deleteChannel, [row.id]);
  return { jobId: null };
}

/**
 * Finds what is wrong with a channel, without sending anything. If nothing is, its vendor key belongs to it from now on,
 * and a channel that was never checked is healthy.
 */
export async function checkChannel(
  db: TenantDatabase,
  channelId: string,
  { adapters, keys, context, log }: ConfigDeps & { context: AdapterContext },
): Promise<{ ok: boolean; problems: ChannelProblem[] }> {
  const channel = await findConfiguredChannel(db.byKey, channelId, keys);
  if (!channel) throw new ApiError('channel_not_found');
  const adapter = adapters.get(channel.provider) as Adapter;
  const problems = await adapter.check(channel, context);
  if (problems.length === 0 && !(await confirmVendorKey(db, adapter, channel)))
    problems.push(takenKeyProblem(channel.config, adapter.vendorKey?.(channel.config) ?? null));
  if (problems.length === 0 && channel.health === 'unchecked')
    await db.transaction((tx) => endUnchecked(tx, channelId, log));
  return { ok: problems.length === 0, problems };
}
