import { setTimeout as sleep } from 'node:timers/promises';
import { createCache } from '../base/cache.ts';
import type { Clock } from '../base/clock.ts';
import { type Keys, sha256 } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';
import type { AdapterChannel } from '../providers/adapter-channel.ts';
import type { AdapterContext, FetchedToken, TokenRequest } from '../providers/adapter-context.ts';
import { CredentialFailure, VendorFailure } from '../providers/vendor-failure.ts';

const PURPOSE = 'channel_tokens.token';
/** A token is replaced this long before it ends, or after half of its life if that is shorter. */
const MARGIN_MS = 3 * 60_000;
/** Longer than a vendor may take to answer. A process that was killed meanwhile delays the others by this much. */
const FETCH_MS = 45_000;
const WAIT_MS = 60_000;
const ASK_AGAIN_MS = 250;
const MAX_CHANNELS = 10_000;

export const encryptedToken: EncryptedColumn = {
  table: 'channel_tokens',
  column: 'token_encrypted',
  key: [
    ['id', 'uuid'],
    ['tenant_id', 'uuid'],
  ],
  purpose: PURPOSE,
};

const readToken = statement<[id: string], { token_encrypted: Buffer | null }>(
  'channel_tokens.read',
  'select token_encrypted from channel_tokens where id = $1 and tenant_id = $tenant',
);
const claimFetch = statement<[id: string, now: Date]>(
  'channel_tokens.claim',
  `insert into channel_tokens as t (id, tenant_id, fetching_until, updated_at)
   select c.id, c.tenant_id, now() + interval '${FETCH_MS} ms', $2 from visible_channels c where c.id = $1 and c.tenant_id = $tenant
   on conflict (id, tenant_id) do update set fetching_until = excluded.fetching_until
     where t.fetching_until is null or t.fetching_until < now()`,
);
const storeToken = statement<[id: string, token: Buffer, now: Date]>(
  'channel_tokens.store',
  'update channel_tokens set token_encrypted = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const releaseFetch = statement<[id: string]>(
  'channel_tokens.release',
  'update channel_tokens set fetching_until = null where id = $1 and tenant_id = $tenant',
);

interface StoredToken {
  accessToken: string;
  /** In milliseconds since 1970. */
  endsAt: number;
  /** The vendor's latest refresh token. */
  refreshToken: string;
  /** The refresh token in the settings that it goes back to, hashed. */
  origin: string;
  /** All settings that the access token depends on, hashed. */
  settings: string;
}

interface TokenDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
}

/** A request with what its token is stored under. */
interface WantedToken extends TokenRequest {
  channelId: string;
  tenantId: string;
  origin: string;
  settings: string;
}

const hash = (text: string): string => sha256(text).toString('base64url');

const wantedToken = ({ id, tenantId }: AdapterChannel, request: TokenRequest): WantedToken => ({
  ...request,
  channelId: id,
  tenantId,
  origin: hash(request.refreshToken),
  settings: hash(JSON.stringify([request.settings, request.refreshToken])),
});

const isUsable = (
  token: StoredToken | undefined,
  { settings, refused }: WantedToken,
  now: Date,
): token is StoredToken =>
  token?.settings === settings && token.endsAt > now.getTime() && token.accessToken !== refused;

/** The access tokens of channels: in memory, behind that in the database, and behind that at the vendor. */
export function createAccessTokens(deps: TokenDeps): AdapterContext['accessToken'] {
  const known = createCache<string, StoredToken>(MAX_CHANNELS);
  const asking = new Map<string, Promise<{ stored: StoredToken; isNew: boolean }>>();
  return async (channel, request) => {
    const wanted = wantedToken(channel, request);
    const cached = known.get(channel.id);
    if (isUsable(cached, wanted, deps.clock.real())) return { token: cached.accessToken, isNew: false };
    const key = [channel.id, wanted.settings, request.refused].join(' ');
    let answer = asking.get(key);
    if (!answer) {
      answer = obtainToken(deps, wanted).finally(() => asking.delete(key));
      asking.set(key, answer);
    }
    const { stored, isNew } = await answer;
    known.set(channel.id, stored);
    return { token: stored.accessToken, isNew };
  };
}

/** The stored token, or the next one: this process fetches it, or waits for the process that does. */
async function obtainToken(
  deps: TokenDeps,
  wanted: WantedToken,
): Promise<{ stored: StoredToken; isNew: boolean }> {
  const tenant = deps.db.forTenant(wanted.tenantId);
  const deadline = performance.now() + WAIT_MS;
  let isNew = false;
  while (performance.now() < deadline) {
    const before = await findStored(deps, wanted);
    if (isUsable(before, wanted, deps.clock.real())) return { stored: before, isNew };
    isNew = true;
    if ((await tenant.run(claimFetch, [wanted.channelId, deps.clock.real()])) > 0) {
      try {
        // Another process may have stored one between the read and the claim.
        const stored = await findStored(deps, wanted);
        if (!isUsable(stored, wanted, deps.clock.real())) return await storeNext(deps, wanted, stored);
      } finally {
        await tenant.run(releaseFetch, [wanted.channelId]);
      }
    } else await sleep(ASK_AGAIN_MS);
  }
  throw new VendorFailure('token_unavailable', 'No access token was fetched in time.', true);
}

async function findStored({ db, keys }: TokenDeps, wanted: WantedToken): Promise<StoredToken | undefined> {
  const row = await db.forTenant(wanted.tenantId).find(readToken, [wanted.channelId]);
  if (!row?.token_encrypted) return undefined;
  return JSON.parse(keys.decrypt(row.token_encrypted, PURPOSE)) as StoredToken;
}

async function storeNext(
  { db, clock, keys }: TokenDeps,
  wanted: WantedToken,
  before: StoredToken | undefined,
): Promise<{ stored: StoredToken; isNew: true }> {
  const { channelId, tenantId, origin, settings } = wanted;
  const latest = before?.origin === origin ? before.refreshToken : wanted.refreshToken;
  const { fetched, refreshToken } = await fetchWith(wanted, latest);
  const stored: StoredToken = {
    accessToken: fetched.accessToken,
    endsAt: clock.real().getTime() + Math.max(fetched.lifeMs - MARGIN_MS, fetched.lifeMs / 2),
    refreshToken: fetched.refreshToken ?? refreshToken,
    origin,
    settings,
  };
  const encrypted = keys.encrypt(JSON.stringify(stored), PURPOSE);
  await db.forTenant(tenantId).run(storeToken, [channelId, encrypted, clock.real()]);
  return { stored, isNew: true };
}

/** Fetches with the latest refresh token. If the vendor refuses it, the one in the settings may still be accepted. */
async function fetchWith(
  { fetch, refreshToken }: WantedToken,
  latest: string,
): Promise<{ fetched: FetchedToken; refreshToken: string }> {
  try {
    return { fetched: await fetch(latest), refreshToken: latest };
  } catch (error) {
    if (latest === refreshToken || !(error instanceof CredentialFailure)) throw error;
    return { fetched: await fetch(refreshToken), refreshToken };
  }
}
