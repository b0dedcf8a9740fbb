import { createCache } from '../base/cache.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';

/** The index by which a confirmed key belongs to one channel. */
const CONFIRMED_KEY = 'channels_confirmed_vendor_key';

const confirm = statement<[id: string, vendorKey: string, now: Date]>(
  'channels.confirm_key',
  `update visible_channels set vendor_confirmed_at = $3
    where id = $1 and tenant_id = $tenant and vendor_key = $2 and vendor_confirmed_at is null`,
);

/** Whether an accepted call with these settings is an answer of the vendor itself. */
const isVendorItself = (adapter: Adapter, channel: AdapterChannel): boolean =>
  adapter.isVendorItself?.(channel.config) ?? true;

/**
 * Notes that the vendor has accepted the credentials of a channel: its vendor key belongs to this channel from now on.
 * Returns false if it belongs to another channel. Must not be called in a transaction, which a violation would end.
 */
export async function confirmVendorKey(
  db: TenantQueryable,
  adapter: Adapter,
  channel: AdapterChannel,
): Promise<boolean> {
  const vendorKey = adapter.vendorKey?.(channel.config);
  if (!vendorKey || !isVendorItself(adapter, channel)) return true;
  try {
    await db.run(confirm, [channel.id, vendorKey, db.now]);
    return true;
  } catch (error) {
    if (isUniqueViolation(error, CONFIRMED_KEY)) return false;
    throw error;
  }
}

const MAX_CHANNELS = 10_000;

/** The same after messages that were sent, once per channel and settings. */
export function createKeyConfirmer(): typeof confirmVendorKey {
  const known = createCache<string, AdapterChannel['config']>(MAX_CHANNELS);
  return async (db, adapter, channel) => {
    if (known.get(channel.id) === channel.config) return true;
    known.set(channel.id, channel.config);
    return confirmVendorKey(db, adapter, channel);
  };
}
