import type { Keys } from '../base/crypto.ts';
import { invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { StoredHours } from '../hours/schema.ts';
import { lockTenantHours, requireFewHours } from '../hours/tenant-hours.ts';
import type { GivenHours } from '../hours/validate-hours.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelConfig } from '../providers/adapter-channel.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { CHANNEL_COLUMNS, type ChannelRow, presentChannel } from './channel.ts';
import { encryptConfig } from './encrypted-config.ts';
import { updateMailbox } from './mailbox.ts';
import type { Channel, ChannelConsent } from './schema.ts';
import { givenConsent, requireAllowedServers, requireValidHours } from './validate-channel.ts';
import { requireFreeVendorKey, takenVendorKey, vendorKeys } from './vendor-key.ts';

const insertChannel = statement<
  [
    id: string,
    kind: string,
    provider: string,
    name: string,
    address: string,
    config: Buffer,
    now: Date,
    vendorKey: string | null,
    verifyHash: Buffer | null,
    accountKey: string | null,
    consent: Partial<ChannelConsent>,
    health: Channel['health'],
    businessHours: StoredHours['businessHours'],
    quietHours: StoredHours['quietHours'],
  ],
  ChannelRow
>(
  'channels.insert',
  `insert into channels
     (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at, vendor_key,
      verify_hash, account_key, consent, business_hours, quiet_hours)
   values ($1, $tenant, $2, $3, $4, $5, $6, $12, $7, $7, $8, $9, $10, $11, $13, $14)
   on conflict (tenant_id, provider, vendor_key) do nothing returning ${CHANNEL_COLUMNS}`,
);

export interface ChannelInput extends Partial<ChannelConsent>, GivenHours {
  kind: ChannelKind;
  provider: string;
  name: string;
  address: string;
  config?: ChannelConfig;
}

/** Creates a channel. Its configuration is stored encrypted and never returned. */
export async function createChannel(
  tx: TenantTx,
  input: ChannelInput,
  adapter: Adapter,
  { keys, policy }: { keys: Keys; policy: OutboundPolicy },
): Promise<Channel> {
  if (!adapter.kinds.includes(input.kind))
    throw invalidParam('kind', 'custom', `The provider "${input.provider}" has no ${input.kind} channels`);
  const hours = requireValidHours(input);
  const config = adapter.configure(input.config ?? {}, {});
  requireAllowedServers(adapter, config, policy);
  const { kind, provider, name, address } = input;
  const { vendorKey, verifyHash, accountKey } = vendorKeys(adapter, config);
  if (hours.businessHours) await lockTenantHours(tx);
  await requireFreeVendorKey(tx, provider, config, vendorKey);
  const id = newId();
  const row = await tx.find(insertChannel, [
    id,
    kind,
    provider,
    name,
    address,
    encryptConfig(config, keys),
    tx.now,
    vendorKey,
    verifyHash,
    accountKey,
    givenConsent(input),
    adapter.startsHealthy ? 'healthy' : 'unchecked',
    hours.businessHours ?? null,
    hours.quietHours ?? null,
  ]);
  if (!row) throw takenVendorKey(config, vendorKey);
  if (hours.businessHours) await requireFewHours(tx);
  await updateMailbox(tx, id, undefined, adapter.mailboxOf?.(config));
  return presentChannel(row);
}
