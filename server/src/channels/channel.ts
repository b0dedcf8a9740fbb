import { createCache } from '../base/cache.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import type { Queryable } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader, TenantTx } from '../db/tenant.ts';
import type { StoredHours } from '../hours/schema.ts';
import { lockTenantHours, requireFewHours } from '../hours/tenant-hours.ts';
import { type GivenHours, validateHours } from '../hours/validate-hours.ts';
import { timestamp } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { validateHost, validateUrl } from '../outbound/validate-url.ts';
import type { Adapter, AdapterChannel, ChannelConfig, ChannelKind } from '../providers/adapter.ts';
import { updateMailbox } from './mailbox.ts';
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
const CONFIG = 'channels.config';

interface CredentialsRow {
  id: string;
  tenant_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

const CREDENTIALS_COLUMNS = 'id, tenant_id, kind, provider, address, config_encrypted';
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
const confirmedChannel = systemStatement<[provider: string, vendorKey: string], { id: string }>(
  'channels.confirmed',
  'select id from visible_channels where provider = $1 and vendor_key = $2 and vendor_confirmed_at is not null',
);
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
const credentialsById = systemStatement<[id: string], CredentialsRow>(
  'channels.credentials',
  `select ${CREDENTIALS_COLUMNS} from visible_channels where id = $1`,
);
const credentialsByKey = systemStatement<
  [provider: string, keys: string[]],
  CredentialsRow & { key: string }
>(
  'channels.credentials_by_key',
  `select ${CREDENTIALS_COLUMNS}, vendor_key as key from visible_channels where provider = $1 and vendor_key = any ($2::text[])
   union all
   select ${CREDENTIALS_COLUMNS}, account_key from visible_channels where provider = $1 and account_key = any ($2::text[])`,
);
const latestCredentials = systemStatement<[provider: string, limit: number], CredentialsRow>(
  'channels.latest_credentials',
  `select ${CREDENTIALS_COLUMNS} from visible_channels where provider = $1 order by updated_at desc, id limit $2`,
);
const credentialsByVerifyHash = systemStatement<[provider: string, verifyHash: Buffer], { id: string }>(
  'channels.by_verify_hash',
  'select id from visible_channels where provider = $1 and verify_hash = $2 limit 1',
);

const credentialsOfTenant = statement<[], CredentialsRow>(
  'channels.credentials_of_tenant',
  `select ${CREDENTIALS_COLUMNS} from visible_channels where tenant_id = $tenant order by created_at, id`,
);

/** How contacts of a channel opt out by a message, with the defaults. */
export const consentOf = (given: Partial<ChannelConsent>): ChannelConsent => ({
  optOutWords: given.optOutWords ?? null,
  optInWords: given.optInWords ?? null,
  optOutConfirmation: given.optOutConfirmation ?? null,
});

/** The settings of opting out in a body. */
export const givenConsent = ({
  optOutWords,
  optInWords,
  optOutConfirmation,
}: Partial<ChannelConsent>): Partial<ChannelConsent> => ({
  ...(optOutWords === undefined ? {} : { optOutWords }),
  ...(optInWords === undefined ? {} : { optInWords }),
  ...(optOutConfirmation === undefined ? {} : { optOutConfirmation }),
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

export interface ChannelInput extends Partial<ChannelConsent>, GivenHours {
  kind: ChannelKind;
  provider: string;
  name: string;
  address: string;
  config?: ChannelConfig;
}

/** The hours of a body as they are stored. */
export function requireValidHours(given: GivenHours): GivenHours {
  const issues = collectIssues();
  const hours = validateHours(given, issues);
  issues.throwIfAny();
  return hours;
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

/** Refuses servers that requests may never go to. No name is resolved: what it resolves to is checked with every connection. */
export function requireAllowedServers(adapter: Adapter, config: ChannelConfig, policy: OutboundPolicy): void {
  const issues = collectIssues().at('config');
  for (const [path, server] of Object.entries(adapter.servers?.(config) ?? {})) {
    if (server === undefined) continue;
    const decision = server.includes('://') ? validateUrl(server, policy) : validateHost(server, policy);
    if (!decision.ok) issues.add(path, 'custom', decision.reason);
  }
  issues.throwIfAny();
}

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

/** What the provider route needs of a channel to verify a request. */
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

/** All channels of the tenant with their settings, the oldest first. */
export async function findAllCredentials(db: TenantQueryable, keys: Keys): Promise<ChannelCredentials[]> {
  return (await db.all(credentialsOfTenant, [])).map((row) => credentialsOf(row, keys));
}

const MAX_CREDENTIALS = 10_000;
const CREDENTIALS_MS = 3_000;

type Reader = Pick<Queryable, 'all' | 'find'>;

/** Finds channels by their id, for vendors' requests; cached for three seconds. */
export function channelCredentials(
  db: Reader,
  keys: Keys,
): (channelId: string) => Promise<ChannelCredentials | undefined> {
  const cache = createCache<string, ChannelCredentials>(MAX_CREDENTIALS, { ttl: CREDENTIALS_MS });
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

/** Finds channels of all tenants by their vendor keys; cached for three seconds. Unknown keys are ignored. */
export function vendorCredentials(
  db: Reader,
  keys: Keys,
): (provider: string, vendorKeys: string[]) => Promise<ChannelCredentials[]> {
  const cache = createCache<string, ChannelCredentials[]>(MAX_CREDENTIALS, { ttl: CREDENTIALS_MS });
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
    // A request may name a channel by its own key and by its account's.
    return [
      ...new Map([...found.values()].flat().map((credentials) => [credentials.id, credentials])).values(),
    ];
  };
}

/** Installations have few apps of a vendor, each with many channels; decrypting so many takes 10 ms. */
const MAX_SIGNERS_READ = 200;
const MAX_SIGNERS = 50;

/** Finds one channel for each secret of a provider, among those that were changed last; cached for three seconds. */
export function signerCredentials(
  db: Reader,
  keys: Keys,
): (adapter: Adapter) => Promise<ChannelCredentials[]> {
  const cache = createCache<string, ChannelCredentials[]>(100, { ttl: CREDENTIALS_MS });
  return async ({ provider, signingSecret }) => {
    if (!signingSecret) return [];
    const known = cache.get(provider);
    if (known) return known;
    const signers = new Map<string, ChannelCredentials>();
    for (const row of await db.all(latestCredentials, [provider, MAX_SIGNERS_READ])) {
      const channel = credentialsOf(row, keys);
      const secret = signingSecret(channel.config);
      if (!signers.has(secret)) signers.set(secret, channel);
      if (signers.size === MAX_SIGNERS) break;
    }
    const found = [...signers.values()];
    cache.set(provider, found);
    return found;
  };
}

/** Whether a channel of this provider has this verify token, which the vendor's first call carries. */
export const isVerifyToken = async (db: Reader, provider: string, token: string): Promise<boolean> =>
  (await db.find(credentialsByVerifyHash, [provider, sha256(token)])) !== undefined;
