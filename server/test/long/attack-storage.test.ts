import { describe, expect, it } from 'vitest';
import { removeExpiredTokens } from '../../src/access/tokens.ts';
import { removeOldRequests } from '../../src/channels/failed-requests.ts';
import { storeInbound } from '../kit/inbound.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { pigeonChannel, withPigeon } from '../kit/vendor.ts';

/** What tenants and vendors can make us store, and how long it stays. */
const server = await useServer({ adapters: withPigeon });

describe('a token', () => {
  it('X18: that has expired is deleted after the retention, and the oldest when there are too many', async () => {
    const tenant = await server.tenant();
    const { db, app } = server.system;
    const names = ['valid', 'new', 'newer', 'newest', 'old'];
    for (const name of names) await tenant.post('/v3/tokens', { name, scopes: ['chats:read'] });
    const expire = (name: string, days: number) =>
      db.query(
        `update tokens set expires_at = now() - make_interval(days => $3) where tenant_id = $1 and name = $2`,
        [tenant.id, name, days],
      );
    for (const [name, days] of Object.entries({ new: 3, newer: 2, newest: 1, old: 31 }))
      await expire(name, days);
    const found = async () =>
      (await tenant.post('/v3/tokens/search', { query: 'ne(name,"test")' })).body.data
        .map((one: { name: string }) => one.name)
        .toSorted();
    await app.sweep();
    expect(await found()).toEqual(['new', 'newer', 'newest', 'valid']);
    await removeExpiredTokens(db, { before: new Date(0), now: new Date(), maxExpired: 2 });
    expect(await found()).toEqual(['newer', 'newest', 'valid']);
  });
});

describe('a request of a vendor', () => {
  /** Stores requests that the vendor's adapter cannot parse, and processes them until they are listed as failed. */
  async function fail(tenant: TestTenant, channelId: string, ...bodies: string[]): Promise<string[]> {
    const ids = await storeInbound(
      server.system.db.forTenant(tenant.id),
      channelId,
      bodies.map((body) => Buffer.from(body)),
    );
    for (let tries = 0; tries < 6; tries += 1) {
      await server.settle();
      server.clock.advance(60_000);
    }
    return ids;
  }

  it('X18: that has failed is deleted after the retention, and the oldest when there are too many', async () => {
    const tenant = await server.tenant();
    const channel = await pigeonChannel(tenant);
    const { db, app } = server.system;
    const listed = async () =>
      (await tenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data;
    const ids = await fail(tenant, channel.id, 'one', 'two', 'three');
    await db.query(`update inbound set created_at = created_at - interval '60 days' where id = $1`, [ids[0]]);
    const waiting = await storeInbound(db.forTenant(tenant.id), channel.id, [Buffer.from('waits')]);
    await db.query(
      `update inbound set created_at = created_at - interval '90 days', due_at = 'infinity' where id = any ($1::uuid[])`,
      [waiting],
    );
    const kept = async () => (await listed()).map((one: { id: string }) => one.id).toSorted();
    await app.sweep();
    expect(await kept()).toEqual([ids[1], ids[2]]);
    await db.query(`update tenants set limits = '{"storedFailedRequests": 1}' where id = $1`, [tenant.id]);
    await removeOldRequests(db, new Date(0));
    expect(await kept()).toHaveLength(1);
    await removeOldRequests(db, new Date(0), 2);
    expect(await kept()).toEqual([]);
    // What still waits to be processed is never deleted.
    const left = await db.query('select 1 from inbound where id = any ($1::uuid[])', [waiting]);
    expect(left.rows).toHaveLength(1);
    await db.query('delete from inbound where id = any ($1::uuid[])', [waiting]);
  });
});
