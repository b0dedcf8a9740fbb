import { describe, expect, it } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import type { Database } from '../../src/db/database.ts';
import { requireSameKey } from '../../src/installation.ts';
import { encryptedColumns, rotateKey } from '../../src/rotate-key.ts';
import { workerDatabase } from '../kit/execution.ts';
import { usePerson } from '../kit/people.ts';
import { useReceiver } from '../kit/receiver.ts';
import { SECRET_KEY, type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { enrol } from '../kit/session-calls.ts';

const NEW_KEY = 'another-secret-key-for-tests-0123456789';
const before = keysFrom(SECRET_KEY);
const during = keysFrom(NEW_KEY, [SECRET_KEY]);
const after = keysFrom(NEW_KEY);
const receiver = await useReceiver();

const hook = () => ({ url: receiver.url, events: [{ type: 'message.received' }] });
const withKey = { headers: { 'idempotency-key': 'k' } };

/** An access token, which only a vendor with OAuth gives out. */
const storeAccessToken = (db: Database, channelId: string) =>
  db.query(
    `insert into channel_tokens (id, tenant_id, token_encrypted, updated_at)
     select id, tenant_id, $2, now() from channels where id = $1`,
    [channelId, before.encrypt('{}', 'channel_tokens.token')],
  );

/** One of everything that is encrypted. */
async function createFixtures(server: TestServer, tenant: TestTenant) {
  const { db } = server.system;
  await enrol(await usePerson(server, tenant, 'agent'));
  const channel = await tenant.channel();
  await storeAccessToken(db, channel.id);
  await tenant.put('/v3/secrets/crmKey', { value: 'hidden' });
  const made = await tenant.post('/v3/api_webhooks', hook(), withKey);
  const rotated = await tenant.post(`/v3/api_webhooks/${made.body.data.id}/rotate_secret`);
  return { channel, answer: made.text, secret: rotated.body.data.secret as string };
}

const as = (server: TestServer, token: string) => ({
  get: (path: string) => server.call('GET', path, { token }),
  post: (path: string, body?: unknown, headers = {}) => server.call('POST', path, { token, body, headers }),
});

async function keyPrefixesIn(server: TestServer): Promise<string[]> {
  const prefixes: string[] = [];
  for (const { table, column } of encryptedColumns) {
    const { rows } = await server.system.db.query(
      `select encode(substring(${column} from 1 for 5), 'hex') as prefix from ${table} where ${column} is not null`,
      [],
    );
    expect([table, column, rows.length > 0]).toEqual([table, column, true]);
    prefixes.push(...rows.map((row) => String(row.prefix)));
  }
  return [...new Set(prefixes)];
}

describe('changing the secret key', () => {
  it('knows every column that is encrypted', async () => {
    const server = await useServer();
    const { rows } = await server.system.db.query(
      `select table_name || '.' || column_name as name
         from information_schema.columns join information_schema.tables using (table_schema, table_name)
        where table_schema = 'public' and table_type = 'BASE TABLE' and column_name like '%encrypted%' order by 1`,
      [],
    );
    expect(rows.map((row) => row.name)).toEqual(
      encryptedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
    );
  });

  it('loses nothing: the old key works beside the new one until everything is re-encrypted', async () => {
    const first = await useServer();
    const { databaseUrl } = first;
    await requireSameKey(first.system.db, before);
    const tenant = await first.tenant();
    const { channel, answer } = await createFixtures(first, tenant);
    const { token } = tenant;
    await first.stop();

    const second = await useServer({ databaseUrl, keys: during });
    await requireSameKey(second.system.db, during);
    await expect(requireSameKey(second.system.db, after)).rejects.toThrow('PARLEY_SECRET_KEY_PREVIOUS');
    const caller = as(second, token);
    expect((await caller.get('/v3/me')).status).toBe(200);
    const replay = () => caller.post('/v3/api_webhooks', hook(), withKey.headers);
    const write = (text: string) =>
      caller.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text });
    expect((await replay()).text).toBe(answer);
    await write('with both');
    await second.settle();
    expect(receiver.received.at(-1)?.body.data.text).toBe('with both');
    const newToken = (await caller.post('/v3/tokens', { name: 'new', scopes: ['*'] })).body.data.token;
    expect(await keyPrefixesIn(second)).toEqual([before.prefix.toString('hex')]);

    expect(await rotateKey(second.system.db, during)).toBe(encryptedColumns.length);
    expect(await keyPrefixesIn(second)).toEqual([after.prefix.toString('hex')]);
    expect(await rotateKey(second.system.db, during)).toBe(0);
    expect((await replay()).text).toBe(answer);
    // An Idempotency-Key belongs to its token.
    const ofNewToken = (await as(second, newToken).post('/v3/api_webhooks', hook(), withKey.headers)).text;
    await second.stop();

    const third = await useServer({ databaseUrl, keys: after });
    await requireSameKey(third.system.db, after);
    await expect(requireSameKey(third.system.db, before)).rejects.toThrow('another secret key');
    expect((await as(third, token).get('/v3/me')).status).toBe(401);
    const later = as(third, newToken);
    expect((await later.post('/v3/api_webhooks', hook(), withKey.headers)).text).toBe(ofNewToken);
    await later.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'with the new one' });
    await third.settle();
    // The receiver of the kit verifies every signature with the webhook's own secret.
    expect(receiver.received.at(-1)?.body.data.text).toBe('with the new one');
  });

  it('goes on where it was broken off, and until it is done the old key is asked for', async () => {
    const server = await useServer();
    const { db } = server.system;
    await requireSameKey(db, before);
    const tenant = await server.tenant();
    for (let n = 0; n < 3; n += 1) await createFixturesQuietly(db, tenant, n);
    await enrol(await usePerson(server, tenant, 'agent'));
    let looks = 0;
    await rotateKey(db, during, () => ++looks > 2);
    await expect(requireSameKey(db, after)).rejects.toThrow('PARLEY_SECRET_KEY_PREVIOUS');
    await rotateKey(db, during);
    await requireSameKey(db, after);
    expect(await keyPrefixesIn(server)).toEqual([after.prefix.toString('hex')]);
  });

  it('is done by two processes at once without harm, more rows than are taken at a time', async () => {
    const server = await useServer();
    const { db } = server.system;
    const tenant = await server.tenant();
    await createFixtures(server, tenant);
    await db.query(
      `insert into idempotency_keys (key_hash, tenant_id, request_hash, answer_encrypted, created_at)
       select sha256(n::text::bytea), tenant_id, request_hash, answer_encrypted, created_at
         from idempotency_keys, generate_series(1, 1200) n where tenant_id = $1`,
      [tenant.id],
    );
    const other = workerDatabase(server);
    const counts = await Promise.all([rotateKey(db, during), rotateKey(other, during)]);
    expect(counts.reduce((sum, count) => sum + count)).toBe(encryptedColumns.length + 1200);
    expect(await keyPrefixesIn(server)).toEqual([after.prefix.toString('hex')]);
  });
});

/** The same without the answer that only one request of a tenant can have. */
async function createFixturesQuietly(db: Database, tenant: TestTenant, n: number): Promise<void> {
  const channel = await tenant.channel();
  await storeAccessToken(db, channel.id);
  await tenant.put(`/v3/secrets/crmKey${n}`, { value: 'hidden' });
  const made = await tenant.post('/v3/api_webhooks', hook(), { headers: { 'idempotency-key': `k${n}` } });
  await tenant.post(`/v3/api_webhooks/${made.body.data.id}/rotate_secret`);
}

describe('a value', () => {
  it('from before keys had ids is read with whichever key opens it', () => {
    const old = before.encrypt('hello', 'a');
    const withoutId = Buffer.concat([Buffer.of(1), old.subarray(before.prefix.length)]);
    expect([before, during].map((keys) => keys.decrypt(withoutId, 'a'))).toEqual(['hello', 'hello']);
    expect(() => after.decrypt(withoutId, 'a')).toThrow();
    expect(() => during.decrypt(withoutId, 'b')).toThrow();
  });

  it('of a key that is not at hand is refused', () => {
    expect(() => after.decrypt(before.encrypt('hello', 'a'), 'a')).toThrow('no key');
    expect(() => before.decrypt(Buffer.of(9, 9, 9), 'a')).toThrow('no key');
  });
});
