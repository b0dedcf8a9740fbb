import { createCache } from '../base/cache.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid } from '../base/ids.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import type { Adapter } from '../providers/adapter.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { ChannelKind } from '../providers/kinds.ts';
import { decryptConfig } from './encrypted-config.ts';

interface CredentialsRow {
  id: string;
  tenant_id: string;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

const CREDENTIALS_COLUMNS = 'id, tenant_id, kind, provider, address, config_encrypted';

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
