import { ApiError } from '../base/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { businessOpening, findQuietEnd, type Opening } from './opening.ts';
import type { StoredHours } from './schema.ts';
import type { GivenHours } from './validate-hours.ts';

interface HoursRow {
  timezone: string;
  hours: StoredHours;
  /** Of the channels that have hours of their own, by their ids. */
  channels: Record<string, StoredHours> | null;
}

const HOURS = (row: string): string =>
  `json_build_object('businessHours', ${row}.business_hours, 'quietHours', ${row}.quiet_hours)`;
const SELECT_HOURS = `select t.timezone, ${HOURS('t')} as hours,
    (select json_object_agg(c.id, ${HOURS('c')}) from visible_channels c
      where c.tenant_id = t.id and num_nulls(c.business_hours, c.quiet_hours) < 2) as channels
    from visible_tenants t where t.id = $tenant`;
const readHours = statement<[], HoursRow>('hours.read', SELECT_HOURS);
const holdHours = statement<[], HoursRow>('hours.hold', `${SELECT_HOURS} for share of t`);
const lockHours = statement<[], { id: string }>(
  'hours.lock',
  'select id from visible_tenants where id = $tenant for no key update',
);

const NO_HOURS: StoredHours = { businessHours: null, quietHours: null };

/** All hours of a tenant. */
export interface TenantHours {
  /** The business hours of a channel, or of the tenant for null. */
  openingOf(channelId: string | null): Opening;
  /** When the quiet hours end in which a contact is; null outside of them. */
  quietUntil(channelId: string | null, contactTimezone: string | null, moment: Date): Date | null;
  /** Whether neither the tenant nor a channel has business hours. */
  readonly isAlwaysOpen: boolean;
}

function hoursOf({ timezone, hours, channels }: HoursRow): TenantHours {
  const openings = new Map<string | null, Opening>();
  const own = (channelId: string | null): StoredHours | undefined =>
    channelId === null ? undefined : channels?.[channelId];
  return {
    openingOf(channelId) {
      const businessHours = own(channelId)?.businessHours ?? hours.businessHours;
      let opening = openings.get(channelId);
      if (!opening) {
        opening = businessOpening(businessHours, timezone);
        openings.set(channelId, opening);
      }
      return opening;
    },
    quietUntil: (channelId, contact, moment) =>
      findQuietEnd(own(channelId)?.quietHours ?? hours.quietHours, { contact, tenant: timezone }, moment),
    isAlwaysOpen: [hours, ...Object.values(channels ?? {})].every((one) => one.businessHours === null),
  };
}

function requireRow(row: HoursRow | undefined): HoursRow {
  if (!row) throw new ApiError('tenant_not_found');
  return row;
}

/** Reads the hours of a tenant. Those that are given are used instead of the stored ones. */
export async function readTenantHours(
  db: TenantReader,
  { tenant, channel }: { tenant?: GivenHours; channel?: GivenHours & { id: string } } = {},
): Promise<TenantHours> {
  const row = requireRow(await db.find(readHours, []));
  return hoursOf({
    ...row,
    hours: { ...row.hours, ...tenant },
    channels: {
      ...row.channels,
      ...(channel ? { [channel.id]: { ...NO_HOURS, ...row.channels?.[channel.id], ...channel } } : {}),
    },
  });
}

/** The hours do not change until the transaction ends, so that a change of them finds every run that waits by them. */
export const holdTenantHours = async (tx: TenantTx): Promise<TenantHours> =>
  hoursOf(requireRow(await tx.find(holdHours, [])));

/** Locks the hours of the tenant and of its channels. Locked before channels and runs. */
export const lockTenantHours = async (tx: TenantTx): Promise<void> => void (await tx.find(lockHours, []));
