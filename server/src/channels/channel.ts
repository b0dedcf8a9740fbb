import { LRUCache } from 'lru-cache';
import type { Keys } from '../base/crypto.ts';
import { ApiError, type InvalidParams, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Database, Queryable, Tx } from '../db/database.ts';
import type { SealedColumn } from '../db/reseal.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { Adapter, AdapterChannel, ChannelConfig, ChannelKind } from '../providers/adapter.ts';
import type { Channel } from './schema.ts';

export interface ChannelRow {
  id: string;
  kind: ChannelKind;
  provider: string;
  name: string;
  address: string;
  health: Channel['health'];
  problem: string | null;
  created_at: Date;
  updated_at: Date;
}

export const CHANNEL_COLUMNS = 'id, kind, provider, name, address, health, problem, created_at, updated_at';
const CONFIG = 'channels.config';

export const sealedConfig: SealedColumn = {
  table: 'channels',
  column: 'config_encrypted',
  key: [
    ['id', 'uuid'],
    ['tenant_id', 'uuid'],
  ],
  purpose: CONFIG,
};

export const sealConfig = (config: ChannelConfig, keys: Keys): Buffer =>
  keys.encrypt(JSON.stringify(config), CONFIG);
export const openConfig = (sealed: Buffer, keys: Keys): ChannelConfig =>
  JSON.parse(keys.decrypt(sealed, CONFIG)) as ChannelConfig;

const insertChannel = statement<
  [
    id: string,
    tenantId: string,
    kind: string,
    provider: string,
    name: string,
    address: string,
    config: Buffer,
    now: Date,
  ],
  ChannelRow
>(
  'channels.insert',
  `insert into channels
     (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, 'healthy', $8, $8) returning ${CHANNEL_COLUMNS}`,
);
const channelById = statement<[id: string, tenantId: string], ChannelRow>(
  'channels.by_id',
  `select ${CHANNEL_COLUMNS} from channels where id = $1 and tenant_id = $2`,
);
const configuredChannel = statement<
  [id: string, tenantId: string],
  Pick<ChannelRow, 'id' | 'kind' | 'provider' | 'address'> & { config_encrypted: Buffer }
>(
  'channels.configured',
  'select id, kind, provider, address, config_encrypted from channels where id = $1 and tenant_id = $2',
);
const heldChannel = statement<[id: string, tenantId: string], ChannelRow>(
  'channels.hold',
  `select ${CHANNEL_COLUMNS} from channels where id = $1 and tenant_id = $2 for key share`,
);
const knownChannels = statement<[ids: string[], tenantId: string, kind: string | null], { id: string }>(
  'channels.known',
  `select id from channels where id = any ($1::uuid[]) and tenant_id = $2 and ($3::text is null or kind = $3)`,
);
interface GateRow {
  id: string;
  tenant_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}
const gateById = statement<[id: string], GateRow>(
  'channels.gate',
  'select id, tenant_id, kind, provider, address, config_encrypted from channels where id = $1',
);

const gatesOfTenant = statement<[tenantId: string], GateRow>(
  'channels.gates_of_tenant',
  `select id, tenant_id, kind, provider, address, config_encrypted from channels
    where tenant_id = $1 order by created_at, id`,
);

export const presentChannel = (row: ChannelRow): Channel => ({
  id: row.id,
  kind: row.kind,
  provider: row.provider,
  name: row.name,
  address: row.address,
  health: row.health,
  problem: row.problem,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export interface ChannelInput {
  kind: ChannelKind;
  provider: string;
  name: string;
  address: string;
  config?: ChannelConfig;
}

/** Makes a channel; its configuration is stored encrypted and never given back. */
export async function createChannel(
  tx: Tx,
  tenantId: string,
  input: ChannelInput,
  adapter: Adapter,
  keys: Keys,
  now: Date,
): Promise<Channel> {
  if (!adapter.kinds.includes(input.kind))
    throw invalidParam('kind', 'custom', `The provider "${input.provider}" has no ${input.kind} channels`);
  const config = sealConfig(adapter.configure(input.config ?? {}, {}), keys);
  const { kind, provider, name, address } = input;
  const row = await tx.find(insertChannel, [newId(), tenantId, kind, provider, name, address, config, now]);
  return presentChannel(row as ChannelRow);
}

export async function requireChannel(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  channelId: string,
): Promise<Channel> {
  const row = isUuid(channelId) ? await db.find(channelById, [channelId, tenantId]) : undefined;
  if (!row) throw new ApiError('channel_not_found');
  return presentChannel(row);
}

/** The channel that a body names. Until the transaction ends nobody deletes it, so that rows can refer to it. */
export async function findHeldChannel(
  tx: Tx,
  tenantId: string,
  channelId: string,
): Promise<Channel | undefined> {
  const row = await tx.find(heldChannel, [channelId, tenantId]);
  return row && presentChannel(row);
}

/** A channel as its adapter sees it, with its settings. */
export async function findConfiguredChannel(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  channelId: string,
  keys: Keys,
): Promise<(AdapterChannel & { provider: string }) | undefined> {
  const row = isUuid(channelId) ? await db.find(configuredChannel, [channelId, tenantId]) : undefined;
  if (!row) return undefined;
  const { id, kind, provider, address, config_encrypted } = row;
  return { id, kind, provider, address, config: openConfig(config_encrypted, keys) };
}

/** What is said of a body that names a channel which the tenant does not have. */
export const faultOfUnknownChannel = (channelId: string): InvalidParams => ({
  channelId: { key: 'custom', message: `There is no channel ${channelId}` },
});

/** Which of these ids are channels of the tenant, and of that kind where one is named, in lower case. */
export async function findKnownChannelIds(
  db: Queryable,
  tenantId: string,
  ids: string[],
  kind?: ChannelKind,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  return new Set((await db.all(knownChannels, [ids, tenantId, kind ?? null])).map((row) => row.id));
}

/** What the provider route must know of a channel before it trusts a request. */
export interface ChannelGate extends AdapterChannel {
  tenantId: string;
  provider: string;
}

const gateOf = ({ tenant_id, config_encrypted, ...row }: GateRow, keys: Keys): ChannelGate => ({
  ...row,
  tenantId: tenant_id,
  config: openConfig(config_encrypted, keys),
});

/** All channels of a tenant with their settings, the oldest first. */
export async function findChannelsOf(db: Queryable, tenantId: string, keys: Keys): Promise<ChannelGate[]> {
  return (await db.all(gatesOfTenant, [tenantId])).map((row) => gateOf(row, keys));
}

const GATES_KEPT = 10_000;
const GATE_MS = 3_000;

/** Channels as vendors' requests need them: by id alone, remembered for three seconds. */
export function channelGates(
  db: Database,
  keys: Keys,
): (channelId: string) => Promise<ChannelGate | undefined> {
  const cache = new LRUCache<string, ChannelGate>({ max: GATES_KEPT, ttl: GATE_MS });
  return async (channelId) => {
    const known = cache.get(channelId);
    if (known || !isUuid(channelId)) return known;
    const row = await db.byKey.find(gateById, [channelId]);
    if (!row) return undefined;
    const gate = gateOf(row, keys);
    cache.set(channelId, gate);
    return gate;
  };
}
