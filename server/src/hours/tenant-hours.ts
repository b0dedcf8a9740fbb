import { ApiError, invalidParam } from '../base/errors.ts';
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

/** The hours of all channels are read at once: more than a thousand channels with all their holidays. */
const MAX_CHARACTERS = 1_000_000;
const sizeOfHours = statement<[], { characters: number }>(
  'hours.size',
  `select coalesce(sum(length(business_hours::text)), 0)::int as characters from visible_channels where tenant_id = $tenant`,
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

/** Throws if the hours of all channels are too large together. The caller has locked the hours, and stored those of a channel. */
export async function requireFewHours(tx: TenantTx): Promise<void> {
  const { characters = 0 } = (await tx.find(sizeOfHours, [])) ?? {};
  if (characters > MAX_CHARACTERS)
    throw invalidParam(
      'businessHours',
      'too_big',
      'The hours of all channels together are too many: set common ones for the tenant, or remove dates that have passed',
    );
}
