import type { Keys } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Issues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader, TenantTx } from '../db/tenant.ts';
import type { StoredHours } from '../hours/schema.ts';
import { timestamp } from '../http/schema.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { decryptConfig } from './encrypted-config.ts';
import type { Channel, ChannelConsent } from './schema.ts';

export interface ChannelRow {
  id: string;
  kind: ChannelKind;
  provider: string;
  name: string;
  address: string;
  consent: Partial<ChannelConsent>;
  business_hours: StoredHours['businessHours'];
  quiet_hours: StoredHours['quietHours'];
  health: Channel['health'];
  problem: string | null;
  created_at: Date;
  updated_at: Date;
}

export const CHANNEL_COLUMNS =
  'id, kind, provider, name, address, consent, business_hours, quiet_hours, health, problem, created_at, updated_at';

const channelById = statement<[id: string], ChannelRow>(
  'channels.by_id',
  `select ${CHANNEL_COLUMNS} from visible_channels where id = $1 and tenant_id = $tenant`,
);
const configuredChannel = statement<
  [id: string],
  Pick<ChannelRow, 'id' | 'kind' | 'provider' | 'address' | 'health'> & { config_encrypted: Buffer }
>(
  'channels.configured',
  'select id, kind, provider, address, health, config_encrypted from visible_channels where id = $1 and tenant_id = $tenant',
);
const heldChannel = statement<[id: string], ChannelRow>(
  'channels.hold',
  `select ${CHANNEL_COLUMNS} from visible_channels where id = $1 and tenant_id = $tenant for key share`,
);
const knownChannels = statement<[ids: string[], kind: string | null], { id: string }>(
  'channels.known',
  `select id from visible_channels where id = any ($1::uuid[]) and tenant_id = $tenant and ($2::text is null or kind = $2)`,
);

/** How contacts of a channel opt out by a message, with the defaults. */
export const consentOf = (given: Partial<ChannelConsent>): ChannelConsent => ({
  optOutWords: given.optOutWords ?? null,
  optInWords: given.optInWords ?? null,
  optOutConfirmation: given.optOutConfirmation ?? null,
});

export const presentChannel = (row: ChannelRow): Channel => ({
  id: row.id,
  kind: row.kind,
  provider: row.provider,
  name: row.name,
  address: row.address,
  ...consentOf(row.consent),
  businessHours: row.business_hours,
  quietHours: row.quiet_hours,
  health: row.health,
  problem: row.problem,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export async function requireChannel(db: TenantReader, channelId: string): Promise<Channel> {
  const row = isUuid(channelId) ? await db.find(channelById, [channelId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  return presentChannel(row);
}

/** Finds a channel and locks it against deletion until the transaction ends, so that rows can refer to it. */
export async function findHeldChannel(tx: TenantTx, channelId: string): Promise<Channel | undefined> {
  const row = await tx.find(heldChannel, [channelId]);
  return row && presentChannel(row);
}

/** A channel as its adapter sees it, with its settings. */
export async function findConfiguredChannel(
  db: TenantReader,
  channelId: string,
  keys: Keys,
): Promise<(AdapterChannel & Pick<ChannelRow, 'provider' | 'health'>) | undefined> {
  const row = isUuid(channelId) ? await db.find(configuredChannel, [channelId]) : undefined;
  if (!row) return undefined;
  const { id, kind, provider, address, health, config_encrypted } = row;
  return {
    id,
    tenantId: db.tenantId,
    kind,
    provider,
    address,
    health,
    config: decryptConfig(config_encrypted, keys),
  };
}

const unknownChannelMessage = (channelId: string): string => `There is no channel ${channelId}`;

/** The error of a body whose `channelId` does not exist. */
export const unknownChannel = (channelId: string): ApiError =>
  invalidParam('channelId', 'custom', unknownChannelMessage(channelId));

/** The same as one of several issues. */
export const addUnknownChannel = (issues: Issues, channelId: string): void =>
  issues.add('channelId', 'custom', unknownChannelMessage(channelId));

/** Which of these ids are channels of the tenant (of this kind, if given), in lower case. */
export async function findKnownChannelIds(
  db: TenantQueryable,
  ids: string[],
  kind?: ChannelKind,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await db.all(knownChannels, [ids, kind ?? null])).map((row) => row.id));
}
