import { LRUCache } from 'lru-cache';
import { type Keys, sha256 } from '../base/crypto.ts';
import { ApiError, type InvalidParams, invalidParam } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { Adapter, AdapterChannel, ChannelConfig, ChannelKind } from '../providers/adapter.ts';
import { keepMailbox } from './mailbox.ts';
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

interface CredentialsRow {
  id: string;
  tenant_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

const GATE_COLUMNS = 'id, tenant_id, kind, provider, address, config_encrypted';
export const encryptedConfig: EncryptedColumn = {
  table: 'channels',
  column: 'config_encrypted',
  key: [
    ['id', 'uuid'],
    ['tenant_id', 'uuid'],
  ],
  purpose: CONFIG,
};

export const encryptConfig = (config: ChannelConfig, keys: Keys): Buffer =>
  keys.encrypt(JSON.stringify(config), CONFIG);
export const decryptConfig = (encrypted: Buffer, keys: Keys): ChannelConfig =>
  JSON.parse(keys.decrypt(encrypted, CONFIG)) as ChannelConfig;

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
    vendorKey: string | null,
    verifyHash: Buffer | null,
    accountKey: string | null,
  ],
  ChannelRow
>(
  'channels.insert',
  `insert into channels
     (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at, vendor_key,
      verify_hash, account_key)
   values ($1, $2, $3, $4, $5, $6, $7, 'healthy', $8, $8, $9, $10, $11)
   on conflict (provider, vendor_key) do nothing returning ${CHANNEL_COLUMNS}`,
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
const credentialsById = statement<[id: string], CredentialsRow>(
  'channels.gate',
  `select ${GATE_COLUMNS} from channels where id = $1`,
);
const credentialsByKey = statement<[provider: string, keys: string[]], CredentialsRow & { key: string }>(
  'channels.gates_by_key',
  `select ${GATE_COLUMNS}, vendor_key as key from channels where provider = $1 and vendor_key = any ($2::text[])
   union all
   select ${GATE_COLUMNS}, account_key from channels where provider = $1 and account_key = any ($2::text[])`,
);
const credentialsByVerifyHash = statement<[provider: string, verifyHash: Buffer], { id: string }>(
  'channels.by_verify_hash',
  'select id from channels where provider = $1 and verify_hash = $2 limit 1',
);

const credentialsOfTenant = statement<[tenantId: string], CredentialsRow>(
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
  const config = adapter.configure(input.config ?? {}, {});
  const { kind, provider, name, address } = input;
  const { vendorKey, verifyHash, accountKey } = vendorKeys(adapter, config);
  const id = newId();
  const row = await tx.find(insertChannel, [
    id,
    tenantId,
    kind,
    provider,
    name,
    address,
    encryptConfig(config, keys),
    now,
    vendorKey,
    verifyHash,
    accountKey,
  ]);
  if (!row) throw takenVendorKey(config, vendorKey);
  await keepMailbox(tx, tenantId, id, undefined, adapter.mailboxOf?.(config), now);
  return presentChannel(row);
}

/** By what a vendor's request without a channel's id finds this channel, and its first call. */
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

/** What the vendor calls a channel by belongs to one channel. Whose it is, perhaps another tenant's, is not told. */
export function takenVendorKey(config: ChannelConfig, vendorKey: string | null): ApiError {
  const name = Object.keys(config).find((setting) => config[setting] === vendorKey);
  return invalidParam(
    name ? `config.${name}` : 'config',
    'custom',
    'There is a channel with this one already',
  );
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
  return { id, tenantId, kind, provider, address, config: decryptConfig(config_encrypted, keys) };
}

/** What is said of a body that names a channel which the tenant does not have. */
export const unknownChannelIssue = (channelId: string): InvalidParams => ({
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
export interface ChannelCredentials extends AdapterChannel {
  provider: string;
}

const credentialsOf = (row: CredentialsRow, keys: Keys): ChannelCredentials => ({
  id: row.id,
  tenantId: row.tenant_id,
  kind: row.kind,
  provider: row.provider,
  address: row.address,
  config: decryptConfig(row.config_encrypted, keys),
});

/** All channels of a tenant with their settings, the oldest first. */
export async function findChannelsOf(
  db: Queryable,
  tenantId: string,
  keys: Keys,
): Promise<ChannelCredentials[]> {
  return (await db.all(credentialsOfTenant, [tenantId])).map((row) => credentialsOf(row, keys));
}

const GATES_KEPT = 10_000;
const GATE_MS = 3_000;

type Reader = Pick<Queryable, 'all' | 'find'>;

/** Channels as vendors' requests need them: by id alone, remembered for three seconds. */
export function channelCredentials(
  db: Reader,
  keys: Keys,
): (channelId: string) => Promise<ChannelCredentials | undefined> {
  const cache = new LRUCache<string, ChannelCredentials>({ max: GATES_KEPT, ttl: GATE_MS });
  return async (channelId) => {
    const known = cache.get(channelId);
    if (known || !isUuid(channelId)) return known;
    const row = await db.find(credentialsById, [channelId]);
    if (!row) return undefined;
    const credentials = credentialsOf(row, keys);
    cache.set(channelId, credentials);
    return credentials;
  };
}

/** The same by what the vendor calls them, of whichever tenant. Keys that nobody has are left out. */
export function vendorCredentials(
  db: Reader,
  keys: Keys,
): (provider: string, vendorKeys: string[]) => Promise<ChannelCredentials[]> {
  const cache = new LRUCache<string, ChannelCredentials[]>({ max: GATES_KEPT, ttl: GATE_MS });
  return async (provider, vendorKeys) => {
    const found = new Map<string, ChannelCredentials[]>();
    for (const key of vendorKeys) {
      const known = cache.get(`${provider} ${key}`);
      if (known) found.set(key, known);
    }
    const unknown = vendorKeys.filter((key) => !found.has(key));
    if (unknown.length > 0) {
      const rows = await db.all(credentialsByKey, [provider, unknown]);
      for (const [key, some] of groupBy(rows, (row) => row.key)) {
        const credentials = some.map((row) => credentialsOf(row, keys));
        cache.set(`${provider} ${key}`, credentials);
        found.set(key, credentials);
      }
    }
    // A request may name a channel by its own key and by its account's: it is still one.
    return [
      ...new Map([...found.values()].flat().map((credentials) => [credentials.id, credentials])).values(),
    ];
  };
}

/** Whether a channel of this provider has the token that a vendor's first call shows. */
export const isVerifyToken = async (db: Reader, provider: string, token: string): Promise<boolean> =>
  (await db.find(credentialsByVerifyHash, [provider, sha256(token)])) !== undefined;
