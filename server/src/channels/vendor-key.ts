import { sha256 } from '../base/crypto.ts';
import { type ApiError, invalidParam } from '../base/errors.ts';
import { systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { ChannelConfig } from '../providers/adapter-channel.ts';

const confirmedChannel = systemStatement<[provider: string, vendorKey: string], { id: string }>(
  'channels.confirmed',
  'select id from visible_channels where provider = $1 and vendor_key = $2 and vendor_confirmed_at is not null',
);

/** The keys by which a vendor's request without a channel id, and its first call, find this channel. */
export function vendorKeys(
  adapter: Adapter,
  config: ChannelConfig,
): { vendorKey: string | null; verifyHash: Buffer | null; accountKey: string | null } {
  const token = adapter.verifyToken?.(config);
  return {
    vendorKey: adapter.vendorKey?.(config) || null,
    verifyHash: token ? sha256(token) : null,
    accountKey: adapter.accountKey?.(config) || null,
  };
}

/** Refuses the key of a channel whose credentials the vendor has accepted. A key that is only claimed can be claimed again. */
export async function requireFreeVendorKey(
  tx: TenantTx,
  provider: string,
  config: ChannelConfig,
  vendorKey: string | null,
  ownId?: string,
): Promise<void> {
  const owner = vendorKey === null ? undefined : await tx.find(confirmedChannel, [provider, vendorKey]);
  if (owner && owner.id !== ownId) throw takenVendorKey(config, vendorKey);
}

/** The error does not say which channel has the key, because it may be another tenant's. */
export function takenVendorKey(config: ChannelConfig, vendorKey: string | null): ApiError {
  const { path, message } = takenKeyProblem(config, vendorKey);
  return invalidParam(path, 'custom', message);
}

/** The same as a problem of a channel. */
export function takenKeyProblem(config: ChannelConfig, vendorKey: string | null) {
  const name = Object.keys(config).find((setting) => config[setting] === vendorKey);
  return { path: name ? `config.${name}` : 'config', message: 'Another channel already has this one' };
}
