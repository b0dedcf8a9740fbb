import { describe, expect, it } from 'vitest';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const HOUR = 3600_000;
const token = { name: 'a', scopes: ['chats:read'] };
const withKey = (key: string) => ({ headers: { 'idempotency-key': key } });
const countTokens = async (tenant: TestTenant): Promise<number> =>
  (await tenant.post('/v3/tokens/search', { query: 'eq(name,"a")' })).body.pagination.total;

describe('the same key', () => {
  it('returns the stored answer with its secret, and acts once', async () => {
    const tenant = await server.tenant();
    const first = await tenant.post('/v3/tokens', token, withKey('k'));
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const again = await tenant.post('/v3/tokens', token, withKey('k'));
    expect(again.status).toBe(200);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.text).toBe(first.text);
    expect(again.body.data.token).toBe(first.body.data.token);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await countTokens(tenant)).toBe(1);
    const hook = { url: 'https://example.com/hook', events: [{}] };
    const made = await tenant.post('/v3/api_webhooks', hook, withKey('k'));
    expect((await tenant.post('/v3/api_webhooks', hook, withKey('k'))).text).toBe(made.text);
  });

  it('with another body is 422, and does nothing', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/tokens', token, withKey('k'));
    for (const raw of [JSON.stringify({ ...token, name: 'b' }), '{', '', `${JSON.stringify(token)} `]) {
      const answer = await tenant.call('POST', '/v3/tokens', { raw, ...withKey('k') });
      expect([answer.status, answer.body.error.messageKey]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(await countTokens(tenant)).toBe(1);
  });

  it('after a failure is a new attempt: only successes are stored', async () => {
    const tenant = await server.tenant();
    expect((await tenant.post('/v3/tokens', {}, withKey('k'))).status).toBe(400);
    const good = await tenant.post('/v3/tokens', token, withKey('k'));
    expect([good.status, good.headers['idempotent-replayed']]).toEqual([200, undefined]);
    const path = '/v3/sandbox/019a82a0-0000-7000-8000-00000000ffff/inbound';
    for (let times = 0; times < 2; times += 1)
      expect((await tenant.post(path, { from: '+15550001111', text: 'a' }, withKey('k'))).status).toBe(404);
  });

  it('is stored for 24 hours and then deleted', async () => {
    const tenant = await server.tenant();
    const first = await tenant.post('/v3/tokens', token, withKey('k'));
    server.clock.advance(24 * HOUR - 1);
    expect((await tenant.post('/v3/tokens', token, withKey('k'))).text).toBe(first.text);
    server.clock.advance(1);
    const later = await tenant.post('/v3/tokens', token, withKey('k'));
    expect(later.headers['idempotent-replayed']).toBeUndefined();
    expect(later.text).not.toBe(first.text);
    expect((await tenant.post('/v3/tokens', token, withKey('k'))).text).toBe(later.text);
    server.clock.advance(25 * HOUR);
    await server.system.app.sweep();
    const kept = await server.system.db.query('select 1 from idempotency_keys where tenant_id = $1', [
      tenant.id,
    ]);
    expect(kept.rows).toEqual([]);
  });

  it('is another key for another tenant and another path, and the same with a trailing slash', async () => {
    const tenant = await server.tenant();
    const other = await server.tenant();
    const first = await tenant.post('/v3/tokens', token, withKey('k'));
    expect((await other.post('/v3/tokens', token, withKey('k'))).text).not.toBe(first.text);
    const one = await tenant.channel();
    const two = await tenant.channel();
    const write = (id: string) =>
      tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', text: 'a' }, withKey('k'));
    const written = await write(one.id);
    expect((await write(two.id)).headers['idempotent-replayed']).toBeUndefined();
    expect((await write(one.id)).text).toBe(written.text);
    for (const path of ['/v3/tokens/', '/v3/tokens?x=1'])
      expect((await tenant.post(path, token, withKey('k'))).text).toBe(first.text);
  });

  it('is ignored on searches and on every method but POST', async () => {
    const tenant = await server.tenant();
    const search = () => tenant.post('/v3/tokens/search', {}, withKey('k'));
    const before = (await search()).body.pagination.total;
    await tenant.post('/v3/tokens', token);
    const after = await search();
    expect(after.body.pagination.total).toBe(before + 1);
    expect(after.headers['idempotent-replayed']).toBeUndefined();
    expect((await tenant.get('/v3/me', withKey(''))).status).toBe(200);
  });

  it.each([
    ['empty', '', 'too_small'],
    ['longer than 255 characters', 'k'.repeat(256), 'too_big'],
  ])('may not be %s', async (_, key, code) => {
    const tenant = await server.tenant();
    const answer = await tenant.post('/v3/tokens', token, withKey(key));
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toMatchObject({ 'Idempotency-Key': { key: code } });
    expect((await tenant.post('/v3/tokens', token, withKey('k'.repeat(255)))).status).toBe(200);
  });
});

describe('the same key at the same time', () => {
  it('is 409 while the first request is in flight', async () => {
    const tenant = await server.tenant();
    const { db } = server.system;
    let second: Answer | undefined;
    // A lock on the tenant's row holds the first request in the middle of its transaction.
    const first = await db.systemTransaction(async (tx) => {
      await tx.query('select 1 from tenants where id = $1 for update', [tenant.id]);
      const pending = tenant.post('/v3/tokens', token, withKey('k'));
      // Other files have databases of their own on the same server.
      const locks = `select 1 from pg_locks l join pg_database d on d.oid = l.database
                      where l.locktype = 'advisory' and d.datname = current_database()`;
      await expect.poll(async () => (await db.query(locks, [])).rows.length).toBe(1);
      second = await tenant.post('/v3/tokens', token, withKey('k'));
      return { pending };
    });
    expect([second?.status, second?.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(second?.body.error.message).toContain('in flight');
    const done = await first.pending;
    expect(done.status).toBe(200);
    expect((await tenant.post('/v3/tokens', token, withKey('k'))).text).toBe(done.text);
  });

  it('R9: fifty times at once has one effect and one answer', async () => {
    const tenant = await server.tenant();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => tenant.post('/v3/tokens', token, withKey('k'))),
    );
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    const good = answers.filter(({ status }) => status === 200);
    expect(new Set(good.map(({ text }) => text)).size).toBe(1);
    expect(good.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await countTokens(tenant)).toBe(1);
  });
});

describe('a stored answer', () => {
  it('is encrypted, and so is its key', async () => {
    const tenant = await server.tenant();
    const key = 'a-key-to-be-found';
    const { body } = await tenant.post('/v3/tokens', token, withKey(key));
    const { rows } = await server.system.db.query('select * from idempotency_keys where tenant_id = $1', [
      tenant.id,
    ]);
    expect(rows).toHaveLength(1);
    const dump = Object.values(rows[0] as object)
      .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
      .join('\n');
    for (const secret of [key, body.data.token, body.data.id, 'chats:read'])
      expect(dump).not.toContain(secret);
  });
});
